// Runs kernels of other projects by kiln, their texts unchanged, and compares with what a host compiler makes of the same
// texts. usage: driver run CASES.json REFERENCE.so FIRST
//        driver compile MANIFEST TARGET
// Prints a line for each kernel: its number or name, its state, and why, with tabs between them.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kiln/cupy.hpp"
#include "kiln/error.hpp"
#include "kiln/manifest.hpp"

namespace {

using kiln::Arg;
using kiln::Array;
using kiln::DType;
using nlohmann::json;
using Reference = void (*)(void** operands, int mode);

constexpr std::size_t kPage = 4096;
constexpr int kAttempts = 4;              // ways to choose inputs
constexpr int kGoOn = 3;                  // status: run the rest in another process
constexpr std::int64_t kElements = 4096;  // of an array of a raw kernel
constexpr unsigned kSeconds = 5;          // that a reference may take

// Memory that a child writes for its parent, between pages that nobody may touch.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes) : bytes_(bytes), pages_((bytes + kPage - 1) / kPage * kPage) {
    base_ = static_cast<char*>(mmap(nullptr, pages_ + 2 * kPage, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + kPage, pages_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(base_, pages_ + 2 * kPage); }
  [[nodiscard]] char* data() const { return base_ + kPage + pages_ - bytes_; }

 private:
  std::size_t bytes_;
  std::size_t pages_;
  char* base_;
};

struct Operand {
  DType dtype;
  kiln::Shape shape;
  bool output, scalar, raw;
  std::vector<char> before;    // a call
  std::vector<char> after[2];  // the reference's
  [[nodiscard]] Array array(const kiln::Shape& as) const {
    Array made = Array::empty(as, dtype);
    std::memcpy(made.data(), before.data(), static_cast<std::size_t>(made.nbytes()));
    return made;
  }
};

// Calls `visit` with a number of the dtype, or of its parts.
template <class Visit>
auto with_type(DType dtype, Visit visit) {
  // clang-format off
  switch (dtype) {
    case DType::bool_: return visit(bool());
    case DType::int8: return visit(std::int8_t());
    case DType::int16: return visit(std::int16_t());
    case DType::int32: return visit(std::int32_t());
    case DType::int64: return visit(std::int64_t());
    case DType::uint8: return visit(std::uint8_t());
    case DType::uint16: return visit(std::uint16_t());
    case DType::uint32: return visit(std::uint32_t());
    case DType::uint64: return visit(std::uint64_t());
    case DType::float16: return visit(kiln::float16());
    case DType::bfloat16: return visit(kiln::bfloat16());
    case DType::float64: case DType::complex128: return visit(double());
    default: return visit(float());
  }
  // clang-format on
}

void fill(Operand& operand, std::mt19937_64& random, int attempt) {
  with_type(operand.dtype, [&]<class T>(T) {
    const std::size_t count = operand.before.size() / sizeof(T);
    for (std::size_t k = 0; k < count; ++k) {
      const double unit = double(random() >> 11) * 0x1p-53;
      double value = attempt == 0 ? unit * 4 - 2 : attempt == 1 ? 0.05 + unit * 0.9 : 1;
      if constexpr (std::is_same_v<T, bool>)
        value = unit < 0.5;
      else if constexpr (std::is_integral_v<T>)
        value = attempt == 0   ? 1 + std::floor(unit * 4)
                : attempt == 1 ? std::floor(unit * 2)
                : attempt == 2 ? 1.0
                               : double(k % 100);
      const T element = static_cast<T>(static_cast<float>(value));
      std::memcpy(operand.before.data() + k * sizeof(T), &element, sizeof(T));
    }
  });
}

// The first element that differs, in words.
std::string difference(DType dtype, const char* is, const char* expected, std::size_t bytes, double tolerance) {
  return with_type(dtype, [&]<class T>(T) -> std::string {
    for (std::size_t k = 0; k < bytes / sizeof(T); ++k) {
      T a;
      T b;
      std::memcpy(&a, is + k * sizeof(T), sizeof(T));
      std::memcpy(&b, expected + k * sizeof(T), sizeof(T));
      if constexpr (std::is_integral_v<T>) {
        if (a == b) continue;
        return "element " + std::to_string(k) + " is " + std::to_string(a) + " and not " + std::to_string(b);
      } else {
        const double x = static_cast<double>(a);
        const double y = static_cast<double>(b);
        if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))) continue;
        char text[96];
        std::snprintf(text, sizeof text, "element %zu is %.9g and not %.9g", k, x, y);
        return text;
      }
    }
    return {};
  });
}

class Case {
 public:
  Case(const json& entry, void* library) : entry_(entry), library_(library), id_(entry.at("id").get<int>()) {
    for (const json& each : entry.at("operands")) {
      Operand operand{kiln::dtype_from_name(each.at("dtype").get<std::string>()),
                      {},
                      each.at("output"),
                      each.at("scalar"),
                      each.at("raw"),
                      {},
                      {}};
      std::size_t bytes = itemsize(operand.dtype);
      for (const std::int64_t extent : each.at("shape")) {
        operand.shape.push_back(extent);
        bytes *= static_cast<std::size_t>(extent);
      }
      operand.before.resize(bytes);
      operands_.push_back(std::move(operand));
    }
    reference_ = reinterpret_cast<Reference>(dlsym(library, ("ref_" + std::to_string(id_)).c_str()));
  }

  // The state and why: right, wrong, compiled (not compared), refused.
  std::pair<std::string, std::string> run() {
    const std::string kind = entry_.at("kind");
    try {
      if (kind == "elementwise") return elementwise();
      if (kind == "reduction") return reduction();
      return raw();
    } catch (const kiln::DeviceError& error) {
      lost_ = true;
      return {"wrong", std::string("the call fails: ") + error.what()};
    } catch (const std::exception& error) {
      return {"refused", error.what()};
    }
  }

  /// Returns true if the device may take no other launch in this process.
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  [[nodiscard]] std::string text(const char* name) const {
    const auto found = entry_.find(name);
    return found == entry_.end() || found->is_null() ? std::string() : found->get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> options() const { return entry_.value("options", std::vector<std::string>()); }

  // Runs the reference in a child, so that what it does with inputs that it does not expect hurts nobody.
  bool refer(int mode, int into) {
    std::vector<std::unique_ptr<Fenced>> memory;
    std::vector<void*> places;
    for (const Operand& operand : operands_) {
      memory.push_back(std::make_unique<Fenced>(operand.before.size()));
      places.push_back(memory.back()->data());
      std::memcpy(places.back(), operand.before.data(), operand.before.size());
    }
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      reference_(places.data(), mode);
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) return false;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const auto* data = static_cast<const char*>(places[k]);
      operands_[k].after[into].assign(data, data + operands_[k].before.size());
    }
    return true;
  }

  // Chooses inputs for which the reference gives the same in both orders of its elements, or as both modes of a reduction.
  bool choose(int first, int second, bool same) {
    if (reference_ == nullptr) return false;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::mt19937_64 random(entry_.at("seed").get<std::uint64_t>() + static_cast<std::uint64_t>(attempt));
      for (Operand& operand : operands_) fill(operand, random, attempt);
      if (!refer(first, 0) || !refer(second, 1)) continue;
      if (!same || std::ranges::all_of(operands_, [](const Operand& o) {
            return difference(o.dtype, o.after[0].data(), o.after[1].data(), o.before.size(), 1e-6).empty();
          }))
        return true;
    }
    return false;
  }

  [[nodiscard]] std::string compare(const std::vector<Array>& outputs, int mode) const {
    std::size_t next = 0;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      if (!operands_[k].output) continue;
      const Array& is = outputs[next++];
      const std::string found =
          difference(operands_[k].dtype, static_cast<const char*>(is.data()), operands_[k].after[mode].data(),
                     static_cast<std::size_t>(is.nbytes()), entry_.at("tolerance"));
      if (!found.empty()) return "operand " + std::to_string(k) + ": " + found;
    }
    return {};
  }

  std::pair<std::string, std::string> elementwise() {
    const kiln::Ufunc f = kiln::cupy::elementwise({.in_params = text("in_params"),
                                                   .out_params = text("out_params"),
                                                   .operation = text("operation"),
                                                   .name = text("name"),
                                                   .preamble = text("preamble"),
                                                   .loop_prep = text("loop_prep"),
                                                   .after_loop = text("after_loop"),
                                                   .options = options()});
    const bool comparable = choose(0, 1, true);
    std::vector<Arg> args;
    std::vector<Array> out;
    bool all_raw = true;
    for (const Operand& operand : operands_) {
      all_raw = all_raw && (operand.raw || operand.scalar);
      if (operand.output)
        out.push_back(operand.array(operand.shape));
      else
        args.push_back(operand.scalar ? Arg::of_bytes(operand.dtype, operand.before.data())
                                      : Arg(operand.array(operand.shape)));
    }
    kiln::CallOptions call{.out = out};
    if (all_raw) call.size = entry_.at("size").get<std::int64_t>();
    if (!comparable) {
      (void)f.compiled(args, call);
      return {"compiled", reference_ == nullptr ? "no reference" : "no inputs for which the order of elements does not matter"};
    }
    (void)f.outputs(args, call);
    const std::string found = compare(out, 0);
    return {found.empty() ? "right" : "wrong", found};
  }

  std::pair<std::string, std::string> reduction() {
    const kiln::Reduction f = kiln::cupy::reduction({.in_params = text("in_params"),
                                                     .out_params = text("out_params"),
                                                     .map_expr = text("map_expr"),
                                                     .reduce_expr = text("reduce_expr"),
                                                     .post_map_expr = text("post_map_expr"),
                                                     .identity = text("identity"),
                                                     .name = text("name"),
                                                     .reduce_type = text("reduce_type"),
                                                     .preamble = text("preamble"),
                                                     .options = options()});
    const std::int64_t size = entry_.at("size");
    const std::int64_t rows[] = {1, 4};
    const bool comparable = choose(1, 4, false);
    for (int mode = 0; mode < 2; ++mode) {
      std::vector<Arg> args;
      std::vector<Array> out;
      for (const Operand& operand : operands_) {
        if (operand.output)
          out.push_back(operand.array({rows[mode]}));
        else if (operand.scalar)
          args.push_back(Arg::of_bytes(operand.dtype, operand.before.data()));
        else
          args.push_back(Arg(operand.array(operand.raw ? operand.shape : kiln::Shape{rows[mode], size / rows[mode]})));
      }
      const kiln::ReductionOptions call{.axis = 1, .out = out};
      if (!comparable) {
        (void)f.compiled(args, call);
        continue;
      }
      (void)f.outputs(args, call);
      const std::string found = compare(out, mode);
      if (!found.empty()) return {"wrong", std::to_string(rows[mode]) + " rows: " + found};
    }
    if (!comparable) return {"compiled", reference_ == nullptr ? "no reference" : "no inputs that the reference takes"};
    return {"right", {}};
  }

  /// Launches each kernel that has a reference and is right to launch so: its pointers are to numbers.
  std::pair<std::string, std::string> raw() {
    std::vector<std::string> names = entry_.at("names");
    const kiln::cupy::RawModule source =
        kiln::cupy::raw_module({.code = text("code"), .options = options(), .name_expressions = names});
    if (names.empty()) names = source.names();
    std::size_t compared = 0;
    std::string why;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const kiln::cupy::Function function = source.get_function(names[k]);
      (void)function.compile(text("target"));
      const std::string none = text("target").starts_with("gfx") ? "not launched" : use_kernel(k);
      if (!none.empty()) {
        why = names[k] + ": " + none;
        continue;
      }
      const std::string found = launch(function);
      if (!found.empty()) return {"wrong", names[k] + ": " + found};
      ++compared;
    }
    return {compared > 0 ? "right" : "compiled",
            std::to_string(compared) + " of " + std::to_string(names.size()) + " kernels compared; " + why};
  }

  /// Makes the operands of the kernel's reference, and its inputs; the reason where there are none.
  std::string use_kernel(std::size_t kernel) {
    const std::string name = std::to_string(id_) + "_" + std::to_string(kernel);
    const auto types = reinterpret_cast<const char* (*)()>(dlsym(library_, ("types_" + name).c_str()));
    reference_ = reinterpret_cast<Reference>(dlsym(library_, ("ref_" + name).c_str()));
    if (types == nullptr || reference_ == nullptr) return "no reference";
    operands_.clear();
    std::istringstream list(types());
    for (std::string form, type; list >> form >> type;) {
      if (type == "?") return "parameters that are neither numbers nor pointers to numbers";
      const bool scalar = form == "s";
      Operand operand{kiln::dtype_from_name(type), {}, form == "p", scalar, true, {}, {}};
      if (!scalar) operand.shape = {kElements};
      operand.before.resize(itemsize(operand.dtype) * (scalar ? 1 : kElements));
      operands_.push_back(std::move(operand));
    }
    return choose_launch() ? "" : "no inputs with which it writes the same in every order";
  }

  bool choose_launch() {
    constexpr int kSizes[] = {40, 20, 8, 4, 2, 1, 100, 0};
    for (std::size_t attempt = 0; attempt < std::size(kSizes); ++attempt) {
      std::mt19937_64 random(entry_.at("seed").get<std::uint64_t>() + attempt);
      for (Operand& operand : operands_) {
        fill(operand, random, static_cast<int>(attempt) % kAttempts);
        if (!operand.scalar || kind(operand.dtype) != kiln::Kind::integer) continue;
        const std::int64_t size =
            kSizes[attempt] + static_cast<std::int64_t>(random() % (1 + static_cast<unsigned>(kSizes[attempt]) / 4));
        std::memcpy(operand.before.data(), &size, operand.before.size());
      }
      if (!refer(0, 0) || !refer(1, 1)) continue;
      bool same = true;
      bool writes = false;
      for (const Operand& o : operands_) {
        same = same && difference(o.dtype, o.after[0].data(), o.after[1].data(), o.before.size(), 1e-6).empty();
        writes = writes || (o.output && o.before != o.after[0]);
      }
      if (same && writes) return true;
    }
    return false;
  }

  [[nodiscard]] std::string launch(const kiln::cupy::Function& function) const {
    const auto extents = [this](const char* name) {
      const std::vector<std::int64_t> three = entry_.at(name);
      return kiln::Extent3{three[0], three[1], three[2]};
    };
    std::vector<Arg> args;
    std::vector<Array> outputs;
    for (const Operand& operand : operands_) {
      if (operand.scalar) {
        args.push_back(Arg::of_bytes(operand.dtype, operand.before.data()));
        continue;
      }
      const Array array = operand.array(operand.shape);
      args.push_back(Arg(array));
      if (operand.output) outputs.push_back(array);
    }
    function(extents("grid"), extents("block"), args);
    return compare(outputs, 0);
  }

  const json& entry_;
  void* library_;
  int id_;
  std::vector<Operand> operands_;
  Reference reference_ = nullptr;
  bool lost_ = false;
};

void print(const std::string& id, const std::string& state, std::string why) {
  std::ranges::replace(why, '\n', '\v');
  std::ranges::replace(why, '\t', ' ');
  std::printf("%s\t%s\t%s\n", id.c_str(), state.c_str(), why.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> words(argv, static_cast<std::size_t>(argc));
  if (argc == 4 && std::string(words[1]) == "compile") {
    const kiln::Manifest manifest = kiln::Manifest::read(words[2]);
    (void)manifest.compile(
        {words[3]}, {.jobs = 1,
                     .other_sizes = false,
                     .progress = [](const kiln::ManifestKernel& kernel, const kiln::ManifestOutcome& outcome) {
                       print(kernel.kernel, outcome.state == kiln::ManifestOutcome::State::failed ? "refused" : "compiled",
                             outcome.error);
                       return true;
                     }});
    return 0;
  }
  if (argc != 5) return 2;
  std::ifstream file(words[2]);
  const json cases = json::parse(file);
  void* const library = dlopen(words[3], RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  for (std::size_t k = std::stoul(words[4]); k < cases.size(); ++k) {
    Case each(cases[k], library);
    const auto [state, why] = each.run();
    print(std::to_string(cases[k].at("id").get<int>()), state, why);
    if (each.lost()) return kGoOn;
  }
}
