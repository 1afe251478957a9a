#include "kernel/faults.hpp"

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "kernel/integer_divisions.hpp"
#include "kiln/debug.hpp"
#include "kiln/error.hpp"
#include "shared/c_locale.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace kinds {
namespace {

using Callback = std::function<void(std::string_view)>;

std::mutex print_mutex;  // covers the copying of the pointer alone
std::shared_ptr<const Callback> print_callback;

constexpr std::size_t kHeaderBytes = offsetof(FaultBuffer, zeros);
constexpr std::size_t kPrints = offsetof(FaultBuffer, prints);

/// Of a field that a kernel wrote.
std::string text_of(std::span<const char, kFaultChars> field) {
  return {field.data(), strnlen(field.data(), field.size())};
}

/// "int32" of Clang's "'int32' (aka 'int')" and "'int'".
std::string type_text(std::string name) {
  if (name.size() > 1 && name[0] == '\'') name = name.substr(1, name.find('\'', 1) - 1);
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"signed char", "int8"},    {"short", "int16"},           {"int", "int32"},           {"long long", "int64"},
      {"unsigned char", "uint8"}, {"unsigned short", "uint16"}, {"unsigned int", "uint32"}, {"unsigned long long", "uint64"},
      {"float", "float32"},       {"double", "float64"}};
  for (const auto& [from, to] : kNames) {
    if (name == from) return to;
  }
  return name;
}

/// (3, 10) and (16,).
std::string tuple_text(std::span<const int64> numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}

std::string thread_text(const FaultPlace& place) {
  return place.item >= 0
             ? fmt::format("item {}", place.item)
             : fmt::format("thread ({}) of block ({})", fmt::join(place.thread, ", "), fmt::join(place.block, ", "));
}

std::string place_text(const FaultPlace& place) {
  return place.item < 0 && place.thread[0] < 0 ? "" : " at " + thread_text(place);
}

std::string argument_text(int32 argument, const backend::FaultTexts& texts) {
  const auto at = static_cast<std::size_t>(argument);
  if (at >= texts.arguments.size()) return "the result";
  return texts.arguments[at].empty() ? fmt::format("argument {}", argument) : texts.arguments[at];
}

/// What the operating system ended a body for.
std::string what_crashed(const Fault& fault) {
  const int signal = fault.bits;
  const char* const name = signal == SIGBUS ? "SIGBUS" : "SIGSEGV";
  const auto address = static_cast<std::uint64_t>(fault.index[0]);
  constexpr std::uint64_t kFirstPage = 4096;
  switch (static_cast<CrashKind>(fault.index[1])) {
    case CrashKind::stack_full:
      return "the stack is full: recursion that does not end, or arrays that are too large";
    case CrashKind::stack_overwritten:
      return fmt::format("{}: a write past the end of an array of the body's, or of KILN_SHARED memory", name);
    case CrashKind::no_address:
      return fmt::format("{}: a pointer that is no address", name);
    case CrashKind::guarded_memory:
      return fmt::format("{}: memory at {:#x} is not to be written, or not to be read either", name, address);
    case CrashKind::no_memory:
      return fmt::format("{}: memory at {:#x} is not the program's, by a {}", name, address,
                         address < kFirstPage ? "null pointer" : "pointer that leads nowhere");
    case CrashKind::instruction:
      break;
  }
  if (signal == SIGFPE) return "SIGFPE: a division of integers by zero, or one whose result does not fit";
  if (signal == SIGTRAP) return "SIGTRAP: a breakpoint, or __builtin_trap()";
  return "SIGILL: an instruction that this processor does not have, or __builtin_trap()";
}

/// The name that a text has in its #include or #line: Clang's is a path.
std::string file_text(const std::string& file) {
  constexpr std::string_view kFolder = "kiln/include/";
  const std::size_t at = file.find(kFolder);
  return at == std::string::npos ? file : file.substr(at + kFolder.size());
}

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) {
    const std::size_t newline = text.find('\n', begin);
    if (newline == std::string::npos) return {};
    begin = newline + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// A place in the user's texts, as these are written. `line` 0: it is none.
Diagnostic as_written_at(const std::string& path, int line, int column, const backend::FaultTexts& texts) {
  const std::string file = file_text(path);
  if (line <= 0 || file.starts_with("kiln/")) return {.line = 0};
  const auto known = texts.texts.find(file);
  return as_written({.file = file,
                     .line = line,
                     .column = column,
                     .text = {},
                     .source_line = known == texts.texts.end() ? std::string() : line_of(known->second, line)});
}

/// "k:2:9".
std::string name_of(const Diagnostic& place) {
  return fmt::format("{}:{}", place.file, place.line) + (place.column > 0 ? fmt::format(":{}", place.column) : "");
}

/// Below the message the line, and a caret.
std::string shown(const Diagnostic& place) {
  const std::string text = to_string(place);
  const std::size_t newline = text.find('\n');
  return newline == std::string::npos ? "" : text.substr(newline);
}

Diagnostic place_of_other(const Fault& fault, const backend::FaultTexts& texts) {
  return as_written_at(text_of(fault.to), fault.other_line, fault.other_column, texts);
}

/// ": k:2:9", below it the line and a caret; of a race both.
std::string source_text(const Fault& fault, const backend::FaultTexts& texts) {
  Diagnostic place = as_written_at(text_of(fault.file), fault.line, fault.column, texts);
  if (place.line == 0) return {};
  if (fault.kind == FaultKind::assertion && place.column > 0) {  // of a macro Clang tells the end
    const std::size_t begin = place.source_line.rfind("assert", static_cast<std::size_t>(place.column) - 1);
    if (begin != std::string::npos) place.column = static_cast<int>(begin) + 1;
  }
  std::string text = ": " + name_of(place) + shown(place);
  if (fault.kind != FaultKind::race) return text;
  const Diagnostic other = place_of_other(fault, texts);
  return name_of(other) == name_of(place) ? text : text + "\n" + name_of(other) + shown(other);
}

/// "element (2, 3) of a_out", "byte 8 of the dynamic shared memory".
std::string memory_text(const Fault& fault, const backend::FaultTexts& texts) {
  const std::string named = text_of(fault.text);
  if (fault.rank < 0) {
    return named.empty() ? fmt::format("{} bytes at {:#x}", fault.bits / 8, fault.index[0])
                         : fmt::format("byte {} of {}", fault.index[0], named);
  }
  std::string owner = fault.argument < 0 ? named : argument_text(fault.argument, texts);
  if (fault.rank == 0) return owner;
  return fmt::format("element {} of {}",
                     fault.rank == 1 ? std::to_string(fault.index[0])
                                     : tuple_text(std::span(fault.index, static_cast<std::size_t>(fault.rank))),
                     owner);
}

std::string race_text(const Fault& fault, const backend::FaultTexts& texts) {
  constexpr std::array kDoes{"reads", "writes", "updates"};
  constexpr std::array kDid{"read", "wrote", "updated"};
  const bool same_block =
      fault.place.item < 0 && std::equal(std::begin(fault.place.block), std::end(fault.place.block), fault.other.block);
  return fmt::format("race on {}, which it {}: {} {} it at {}, and {}", memory_text(fault, texts),
                     kDoes.at(static_cast<std::size_t>(fault.use)), thread_text(fault.other),
                     kDid.at(static_cast<std::size_t>(fault.other_use)), name_of(place_of_other(fault, texts)),
                     same_block ? "no barrier stands between" : "nothing orders the two");
}

std::string what_failed(const Fault& fault, const backend::FaultTexts& texts) {
  switch (fault.kind) {
    case FaultKind::bounds: {
      const auto rank = static_cast<std::size_t>(std::clamp(fault.rank, 1, kFaultRank));
      const std::span index(fault.index, rank);
      return fmt::format("index {} of {} is out of bounds, its shape is {}",
                         rank == 1 ? std::to_string(index[0]) : tuple_text(index), argument_text(fault.argument, texts),
                         tuple_text(std::span(fault.extent, rank)));
    }
    case FaultKind::array:
      if (text_of(fault.text).empty())
        return fmt::format("index {} of a std::array of {} elements is out of bounds", fault.index[0], fault.extent[0]);
      return fmt::format("index {} of an array {} is out of bounds", fault.index[0], type_text(text_of(fault.text)));
    case FaultKind::division:
      return fmt::format("division of integers by zero, {} {} 0", fault.index[0], text_of(fault.text));
    case FaultKind::shift:
      return fmt::format("shift by {} of {}, which has {} bits", fault.index[0], type_text(text_of(fault.text)), fault.bits);
    case FaultKind::conversion:
      return fmt::format("conversion of {} from {} to {}, which does not hold it", fault.value, type_text(text_of(fault.text)),
                         type_text(text_of(fault.to)));
    case FaultKind::nan:
      return fmt::format("{} is NaN", argument_text(fault.argument, texts));
    case FaultKind::assertion:
      return fmt::format("assertion failed, {}", text_of(fault.text));
    case FaultKind::status:
      return fmt::format("device function {} returned status {}", text_of(fault.text), fault.index[0]);
    case FaultKind::crash:
      return what_crashed(fault);
    case FaultKind::race:
      return race_text(fault, texts);
    case FaultKind::barrier:
      return fmt::format("barrier that {} does not reach", thread_text(fault.other));
    case FaultKind::shared:
      return fmt::format("shared<T>() asks for {} bytes, and the {} left; {}", fault.index[0],
                         fmt::format("{} has {}", fault.place.item < 0 ? "block" : "team", fault.extent[0]),
                         fault.place.item < 0 ? "give more .shared_bytes" : "declare more in .shared");
    case FaultKind::none:
      break;
  }
  return "unknown fault";
}

std::string complex_text(double real, double imaginary) {
  return fmt::format("({}{:+}j)", real, imaginary);
}
std::string complex_text(float real, float imaginary) {
  return fmt::format("({}{:+}j)", real, imaginary);
}

template <class To>
To bits_as(std::uint64_t bits) {
  To to;
  std::memcpy(&to, &bits, sizeof to);  // of little-endian machines
  return to;
}

std::string formatted(std::string_view format, std::span<const PrintValue> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const PrintValue& value : values) {
    switch (value.kind) {
      case PrintKind::boolean:
        store.push_back(value.bits[0] != 0);
        break;
      case PrintKind::integer:
        store.push_back(static_cast<std::int64_t>(value.bits[0]));
        break;
      case PrintKind::natural:
        store.push_back(value.bits[0]);
        break;
      case PrintKind::single:
        store.push_back(bits_as<float>(value.bits[0]));
        break;
      case PrintKind::real:
        store.push_back(bits_as<double>(value.bits[0]));
        break;
      case PrintKind::complex_single:
        store.push_back(complex_text(bits_as<float>(value.bits[0]), bits_as<float>(value.bits[1])));
        break;
      case PrintKind::complex_real:
        store.push_back(complex_text(bits_as<double>(value.bits[0]), bits_as<double>(value.bits[1])));
        break;
    }
  }
  const base::CLocale locale;  // for "{:a}"
  try {
    return fmt::vformat(format, store);
  } catch (const fmt::format_error& error) {
    return fmt::format("{} (print: {} for {} values)", format, error.what(), values.size());
  } catch (const std::bad_alloc&) {
    return fmt::format("{} (print: no memory for so long a text)", format);
  }
}

/// Makes the buffer zeros, and as many bytes of its prints. Allocates nothing.
void clear(backend::Backend& backend, const backend::Module& module, backend::Queue* queue, std::size_t printed) {
  constexpr std::size_t kBlock = 16384;
  static constexpr std::array<std::byte, kBlock> kZeros{};
  auto* const address = static_cast<char*>(module.faults());
  for (std::size_t at = 0; at < kPrints + printed; at += kBlock) {
    backend.upload(address + at, kZeros.data(), std::min(kBlock, kPrints + printed - at), queue);
  }
}

}  // namespace

std::string fault_message(const Fault& fault, std::uint32_t count, const backend::FaultTexts& texts, std::string_view device) {
  return fmt::format("{} failed on {}{}: {}{}{}", texts.kernel, device, place_text(fault.place), what_failed(fault, texts),
                     count > 1 && fault.kind != FaultKind::status ? fmt::format(" (the first of {} faults)", count) : "",
                     source_text(fault, texts));
}

std::vector<std::string> printed_texts(std::string_view records) {
  std::vector<std::pair<FaultPlace, std::string>> texts;
  while (records.size() >= sizeof(PrintRecord)) {
    PrintRecord record;
    std::memcpy(&record, records.data(), sizeof record);
    const std::size_t values_bytes = record.values * sizeof(PrintValue);
    if (record.bytes < sizeof record + values_bytes + record.format_bytes || record.bytes > records.size()) break;
    std::vector<PrintValue> values(record.values);
    if (!values.empty()) std::memcpy(values.data(), records.data() + sizeof record, values_bytes);
    texts.emplace_back(record.place, formatted(records.substr(sizeof record + values_bytes, record.format_bytes), values));
    records.remove_prefix(record.bytes);
  }
  const auto order = [](const FaultPlace& place) {
    return std::tuple(place.block[2], place.block[1], place.block[0], place.thread[2], place.thread[1], place.thread[0]);
  };
  std::ranges::stable_sort(texts, [&](const auto& a, const auto& b) {
    // Threads of a grid go by items where there are items.
    if (a.first.item >= 0 && b.first.item >= 0) return a.first.item < b.first.item;
    return order(a.first) < order(b.first);
  });
  std::vector<std::string> result;
  for (auto& [place, text] : texts) result.push_back(std::move(text));
  return result;
}

void forget_diagnostics(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) {
  clear(backend, module, queue, static_cast<std::size_t>(kPrintBytes));
}

void forget_diagnostics_of_failed(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) noexcept {
  try {
    forget_diagnostics(backend, module, queue);
  } catch (...) {  // the launch's own error says more
  }
}

LaunchDiagnostics take_diagnostics(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) {
  const auto* const address = static_cast<const char*>(module.faults());
  alignas(FaultBuffer) std::array<std::byte, kPrints> header;
  backend.download(header.data(), address, kHeaderBytes, queue);
  const auto& found = *reinterpret_cast<const FaultBuffer*>(header.data());  // of which the prints are not read
  if (found.count == 0 && found.printed == 0) return {};
  const auto printed = std::min<std::size_t>(found.printed, kPrintBytes);
  std::string records;
  try {
    records.resize(printed);
    if (printed > 0) backend.download(records.data(), address + kPrints, printed, queue);
  } catch (const std::bad_alloc&) {
    clear(backend, module, queue, printed);
    throw;
  }
  // The messages may find no memory. Nothing of this call is left for the next one then.
  clear(backend, module, queue, printed);
  LaunchDiagnostics diagnostics;
  static const backend::FaultTexts kUnknown{.kernel = "kernel", .arguments = {}, .texts = {}};
  const backend::FaultTexts& texts = module.fault_texts != nullptr ? *module.fault_texts : kUnknown;
  if (found.count > 0) diagnostics.fault = fault_message(found.first, found.count, texts, backend.name());
  diagnostics.printed = printed_texts(records);
  if (found.dropped > 0) {
    diagnostics.printed.push_back(fmt::format("{}: {} more prints, for which there is no room", texts.kernel, found.dropped));
  }
  return diagnostics;
}

void tell(const LaunchDiagnostics& diagnostics) {
  if (!diagnostics.printed.empty()) {
    std::shared_ptr<const Callback> callback;
    {
      const std::lock_guard guard(print_mutex);
      callback = print_callback;
    }
    for (const std::string& text : diagnostics.printed) {
      if (callback != nullptr) {
        (*callback)(text);
      } else {
        fmt::print("{}\n", text);
      }
    }
    if (callback == nullptr) std::fflush(stdout);
  }
  if (diagnostics.stopped && !diagnostics.fault.empty()) {
    throw Stopped(std::string(diagnostics.stopped->what()) + "; before that " + diagnostics.fault);
  }
  if (diagnostics.stopped) throw Stopped(*diagnostics.stopped);
  if (!diagnostics.fault.empty()) throw Because<DeviceError>(Reason::fault, diagnostics.fault);
}

}  // namespace kinds

void set_print(std::function<void(std::string_view)> callback) {
  auto replacement = callback ? std::make_shared<const kinds::Callback>(std::move(callback)) : nullptr;
  const std::lock_guard guard(kinds::print_mutex);
  kinds::print_callback.swap(replacement);
}

}  // namespace kiln
