#include "emulator/run/driver_functions.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "emulator/run/block.hpp"

namespace kiln::emulator {
namespace {

constexpr std::size_t kHeap = 8U << 20U;  ///< CUDA's default for cudaLimitMallocHeapSize

/// The call, which has the user's line.
const Instruction& call_of(Warp& warp) {
  const Frame& frame = warp.frame();
  return frame.parent->code.instructions[frame.return_pc - 1];
}

std::uint64_t argument(Warp& warp, unsigned lane, std::size_t k) {
  const Parameter& place = warp.frame().code.parameters[k];
  std::uint64_t value = 0;
  std::memcpy(&value, warp.in_frame(warp.frame(), lane, place.offset), place.bytes);
  return value;
}
void give(Warp& warp, unsigned lane, std::uint64_t value) {
  const Parameter& place = warp.frame().code.results[0];
  std::memcpy(warp.in_frame(warp.frame(), lane, place.offset), &value, place.bytes);
}

template <class T>
T read(Warp& warp, unsigned lane, std::uint64_t address) {
  T value;
  std::memcpy(&value, warp.memory({call_of(warp), lane, sizeof(T), Warp::Use::read}, address), sizeof(T));
  return value;
}
std::string text_at(Warp& warp, unsigned lane, std::uint64_t address) {
  std::string text;
  while (const char next = read<char>(warp, lane, address++)) text += next;
  return text;
}

/// The arguments of printf: one after the other, each aligned to its size.
class Arguments {
 public:
  Arguments(Warp& warp, unsigned lane, std::uint64_t address) : warp_(warp), lane_(lane), address_(address) {}

  template <class T>
  T next() {
    ++count_;
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = read<T>(warp_, lane_, address_);
    address_ += sizeof(T);
    return value;
  }
  [[nodiscard]] std::string text() { return text_at(warp_, lane_, next<std::uint64_t>()); }
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  Warp& warp_;
  unsigned lane_;
  std::uint64_t address_;
  int count_ = 0;
};

template <class T>
void append(std::string& to, const std::string& specifier, T value) {
  constexpr int kMost = 1 << 20;  // of a width
  const int length = std::snprintf(nullptr, 0, specifier.c_str(), value);
  if (length <= 0 || length > kMost) return;
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(length) + 1);
  std::snprintf(to.data() + before, static_cast<std::size_t>(length) + 1, specifier.c_str(), value);
  to.pop_back();
}

/// One conversion, "%-8.3f", from behind its '%'. The text that follows it is returned.
std::string_view append_conversion(std::string& to, std::string_view text, Arguments& arguments) {
  std::string specifier = "%";
  bool is_long = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '*') {
      specifier += std::to_string(arguments.next<std::int32_t>());
    } else if (c == 'l') {
      is_long = true;
    } else if (std::string_view("#+- 0123456789.").find(c) != std::string_view::npos) {
      specifier += c;
    } else if (c != 'h') {
      break;
    }
  }
  if (text.empty()) return text;
  const char conversion = text.front();
  constexpr std::string_view kIntegers = "diouxX";
  if (kIntegers.find(conversion) != std::string_view::npos && is_long) {
    append(to, specifier + "ll" + conversion, arguments.next<long long>());
  } else if (kIntegers.find(conversion) != std::string_view::npos || conversion == 'c') {
    append(to, specifier + conversion, arguments.next<std::int32_t>());
  } else if (std::string_view("aAeEfFgG").find(conversion) != std::string_view::npos) {
    append(to, specifier + conversion, arguments.next<double>());
  } else if (conversion == 's') {
    append(to, specifier + conversion, arguments.text().c_str());
  } else if (conversion == 'p') {
    append(to, specifier + conversion, reinterpret_cast<const void*>(arguments.next<std::uint64_t>()));
  } else {
    to += conversion;  // "%%"
  }
  return text.substr(1);
}

// int vprintf(const char* format, void* arguments): gives their number, as CUDA's printf does.
void print(Warp& warp, const Instruction&, Mask lanes) {
  each_lane(lanes, [&](unsigned lane) {
    const std::string format = text_at(warp, lane, argument(warp, lane, 0));
    Arguments arguments(warp, lane, argument(warp, lane, 1));
    std::string text;
    for (std::string_view rest = format; !rest.empty();) {
      const std::size_t percent = std::min(rest.find('%'), rest.size());
      text += rest.substr(0, percent);
      rest.remove_prefix(percent);
      if (!rest.empty()) rest = append_conversion(text, rest.substr(1), arguments);
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    give(warp, lane, static_cast<std::uint64_t>(arguments.count()));
  });
  std::fflush(stdout);
}

// void __assertfail(const char* condition, const char* file, unsigned line, const char* function, size_t bytes of a char)
void fail_assertion(Warp& warp, const Instruction&, Mask lanes) {
  const unsigned lane = first_lane(lanes);
  const auto text = [&](std::size_t k) { return text_at(warp, lane, argument(warp, lane, k)); };
  const std::string line = std::to_string(argument(warp, lane, 2));
  warp.fail(Fault::assertion, call_of(warp), lane,
            "fails the assertion \"" + text(0) + "\" in " + text(3) + ", " + text(1) + ":" + line);
}

// void* malloc(size_t)
void allocate(Warp& warp, const Instruction&, Mask lanes) {
  Launch& launch = warp.block().launch();
  each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t bytes = argument(warp, lane, 0);
    Allocation* const made = launch.memory.allocate_in_heap(bytes, kHeap);
    give(warp, lane, made == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(made->address));
  });
}

// void free(void*)
void release(Warp& warp, const Instruction&, Mask lanes) {
  Memory& memory = warp.block().launch().memory;
  each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = argument(warp, lane, 0);
    if (address == 0) return;
    const Allocation* const found = memory.find(address, 0);
    if (found == nullptr || !found->in_heap || reinterpret_cast<std::uintptr_t>(found->address) != address)
      warp.fail(Fault::illegal_address, call_of(warp), lane, "frees what malloc did not give");
    memory.free(address);
  });
}

struct DriverFunction {
  std::string_view name;
  Handler run;
  std::array<std::uint64_t, 5> parameters;  ///< bytes; 0: none
  std::uint64_t result;
};
constexpr std::array kFunctions = std::to_array<DriverFunction>({{"vprintf", print, {8, 8}, 4},
                                                                 {"__assertfail", fail_assertion, {8, 8, 4, 8, 8}, 0},
                                                                 {"malloc", allocate, {8}, 8},
                                                                 {"free", release, {8}, 0}});

}  // namespace

Handler driver_function(const Function& declared) noexcept {
  const auto* const known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                         [&](const DriverFunction& each) { return each.name == declared.name; });
  if (known == kFunctions.end() || declared.is_kernel || declared.parameters.size() > known->parameters.size()) return nullptr;
  for (std::size_t k = 0; k < known->parameters.size(); ++k) {
    if (known->parameters[k] != (k < declared.parameters.size() ? declared.parameters[k].bytes : 0)) return nullptr;
  }
  if (known->result != (declared.results.empty() ? 0 : declared.results[0].bytes)) return nullptr;
  return known->run;
}

}  // namespace kiln::emulator
