// One interface for the compilers: NVRTC, hipRTC and Clang. They work with no device present.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/link_part.hpp"
#include "kiln/compile_report.hpp"
#include "kiln/device.hpp"
#include "kiln/device_code.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/inspect.hpp"
#include "types/arithmetic.hpp"

namespace kiln::backend {

/// The inputs of a compile besides the compiler and the target. All of them are in the cache key, unless said otherwise.
struct CompileRequest {
  std::string name = {};                            ///< kernel's name, as in #line; for messages
  std::string context = {};                         ///< loop's signature, for messages; not in the key
  std::string source = {};                          ///< whole translation unit
  std::map<std::string, std::string> headers = {};  ///< every file that an #include may name
  Arithmetic arithmetic = {};
  std::vector<LinkPart> link = {};  ///< parts for the target
  bool debug = false;               ///< true: the source has checks, and the compiler adds its own
  /// Limit of processor time; zero: the process's. Not in the key.
  std::chrono::milliseconds time_limit{0};
};

/// The option by which the texts of kernels-src learn of `same_bits`.
inline constexpr const char* kSameBits = "-DKILN_SAME_BITS=1";

/// Durations of a compile's stages, in milliseconds.
struct CompileTimes {
  double front_end = 0;  ///< parsing, and translating for LLVM
  double passes = 0;     ///< optimizing
  double code = 0;       ///< making machine code
  double link = 0;
};

/// Machine code, ready to be cached and loaded.
struct CompileResult {
  std::string code;
  std::string log;                                   ///< output of the compiler
  std::vector<Diagnostic> warnings = {};             ///< warnings about all texts, kiln's included
  CompileReport report = {};                         ///< absent members: the compiler does not report them
  std::optional<CompileTimes> times = std::nullopt;  ///< absent if the compiler does not report them
};
/// Returns the diagnostics of that severity.
[[nodiscard]] std::vector<Diagnostic> of_severity(std::vector<Diagnostic> diagnostics, Severity severity);

/// Texts that compile errors show: name as in #line → the user's text.
using UserTexts = std::map<std::string, std::string>;

/// One compiler for one target. Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Returns "NVRTC", "hipRTC", "Clang".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns the full version. It is cheap to ask for, because every key has it, even if nothing is compiled.
  [[nodiscard]] virtual std::string version() const = 0;
  /// Returns "sm_90", "gfx90a:xnack-", "x86-64-v3", or the CPU's feature list: everything that can change the code.
  [[nodiscard]] virtual std::string target() const = 0;
  /// Returns a short form of target() for messages.
  [[nodiscard]] virtual std::string short_target() const { return target(); }
  /// Returns the exact options that compile() would use, for the key. They include those of the compiler's environment
  /// variables.
  [[nodiscard]] virtual std::vector<std::string> options(const CompileRequest& request) const = 0;
  /// Compiles the request. Throws CompileError, with diagnostics in the user's coordinates. Throws DeviceError if the compiler
  /// cannot be loaded.
  [[nodiscard]] virtual CompileResult compile(const CompileRequest& request) const = 0;
  [[nodiscard]] virtual DeviceKind kind() const = 0;
  /// Returns the compiler for kernels in debug mode; it lives as long as this one. That is Clang, which checks more, unless the
  /// user has named another.
  [[nodiscard]] virtual const Compiler& for_debugging() const { return *this; }

  /// Returns the compiler for the same target that can link a kernel with these files: this one, or another. It lives as long
  /// as this one. Throws DeviceError if no compiler can.
  [[nodiscard]] virtual const Compiler& linking(const std::vector<LinkPart>& /*files*/) const { return *this; }

  /// Returns an intermediate form of the request as text. Throws the exceptions of compile(), and TypeError if this compiler
  /// has no such form.
  [[nodiscard]] virtual std::string emit(const CompileRequest& request, inspect::Form form) const;
  /// Returns code of functions for other linkers. The form must not be automatic. Throws the exceptions of compile(), and
  /// TypeError for a form that this compiler does not make.
  [[nodiscard]] virtual std::string device_code(const CompileRequest& request, DeviceCodeForm form) const;
  /// Returns the form that automatic means.
  [[nodiscard]] virtual DeviceCodeForm usual_form() const { return DeviceCodeForm::bitcode; }
};

/// Returns a compiler for "sm_90", "gfx90a", "x86-64-v3" or "native" (this CPU); no device is needed. Throws DeviceError for an
/// unknown target, with the list of known ones, and for a missing library, with every path tried.
std::shared_ptr<const Compiler> compiler_for(std::string_view target);

/// Returns the compiler that a key names ("NVRTC 13.0+65be0db342ad", "Clang 19.1.7+9"), in the version present here, for the
/// key's full target. Throws DeviceError by the rules of compiler_for().
std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler);

namespace gpu {
/// Returns a compiler for "sm_90", "gfx90a"; null if the name is not a GPU's.
std::shared_ptr<const Compiler> compiler_for_target(std::string_view target);
/// Returns the compiler of a key: "sm_100 (PTX for …" and "Clang 19.1.7+9"; null if the name is not a GPU's.
std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler);
}  // namespace gpu

}  // namespace kiln::backend
