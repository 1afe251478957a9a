// The compilers behind one interface: NVRTC, hipRTC and Clang. They work with no device present.
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
#include "kiln/device.hpp"
#include "kiln/device_code.hpp"
#include "kiln/error.hpp"
#include "kiln/inspect.hpp"

namespace kiln::backend {

/// Everything that a compile depends on besides the compiler and the target. All of it is in the cache key.
struct CompileRequest {
  std::string name = {};                            ///< the kernel's name, as in #line; for messages
  std::string context = {};                         ///< the loop's signature, for messages; not in the key
  std::string source = {};                          ///< the whole translation unit
  std::map<std::string, std::string> headers = {};  ///< every file that an #include may name
  bool contract = false;
  bool fast_math = false;
  std::vector<LinkPart> link = {};          ///< for the target
  bool debug = false;                       ///< its source has checks: the compiler adds those that are its own
  std::chrono::milliseconds time_limit{0};  ///< of the processor's time; zero: the process's. Not in the key
};

/// Machine code, ready to be cached and loaded.
struct CompileResult {
  std::string code;
  std::string log;                        ///< what the compiler printed
  std::vector<Diagnostic> warnings = {};  ///< of all texts, kiln's among them
};
/// Those of that severity.
[[nodiscard]] std::vector<Diagnostic> of_severity(std::vector<Diagnostic> diagnostics, Severity severity);

/// The text that compile errors are shown in: name as in #line → the user's text.
using UserTexts = std::map<std::string, std::string>;

/// One compiler for one target. Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// "NVRTC", "hipRTC", "Clang".
  [[nodiscard]] virtual std::string name() const = 0;
  /// The full version, cheap to ask for: it is part of every key, also when nothing will be compiled.
  [[nodiscard]] virtual std::string version() const = 0;
  /// "sm_90", "gfx90a:xnack-", "x86-64-v3", or the CPU's feature list: whatever can change the code.
  [[nodiscard]] virtual std::string target() const = 0;
  /// A short form of target() for messages.
  [[nodiscard]] virtual std::string short_target() const { return target(); }
  /// The exact options that compile() would use, for the key; with those of the compiler's own environment variables.
  [[nodiscard]] virtual std::vector<std::string> options(const CompileRequest& request) const = 0;
  /// Throws CompileError (diagnostics in the user's coordinates), or DeviceError where the compiler cannot be loaded.
  [[nodiscard]] virtual CompileResult compile(const CompileRequest& request) const = 0;
  [[nodiscard]] virtual DeviceKind kind() const = 0;
  /// The compiler for kernels in debug mode: Clang, which checks more, where the user has not named another. As long as this
  /// one.
  [[nodiscard]] virtual const Compiler& for_debugging() const { return *this; }

  /// Who compiles for the same target where the kernel is linked with these: this one, or another where this one cannot.
  /// DeviceError where nobody can. Lives as long as this one.
  [[nodiscard]] virtual const Compiler& linking(const std::vector<LinkPart>& /*files*/) const { return *this; }

  /// The request in a form on the way to machine code, as text; compile()'s errors. TypeError where this compiler has no such
  /// form.
  [[nodiscard]] virtual std::string emit(const CompileRequest& request, inspect::Form form) const;
  /// Code of functions that others link; compile()'s errors. The form is never automatic; TypeError for one that this compiler
  /// does not make.
  [[nodiscard]] virtual std::string device_code(const CompileRequest& request, DeviceCodeForm form) const;
  /// The form where none is chosen.
  [[nodiscard]] virtual DeviceCodeForm usual_form() const { return DeviceCodeForm::bitcode; }
  /// How many registers' worth of stores the machine code makes for want of registers, by the compiler's own report; nothing
  /// where it makes none. compile()'s errors.
  [[nodiscard]] virtual std::optional<std::int64_t> spills(const CompileRequest& request) const;
  /// Of a CPU's: why a body with loops is computed one item at a time, with the place in the user's text; empty where it is
  /// not, or where the compiler does not tell. Compiles.
  [[nodiscard]] virtual std::string why_scalar(const CompileRequest& request) const;
};

/// A compiler for "sm_90", "gfx90a", "x86-64-v3", "native" (this CPU): no device is needed. DeviceError for a target that no
/// compiler here knows, with the list of those it does, and for a missing library with every path tried.
std::shared_ptr<const Compiler> compiler_for(std::string_view target);

/// The compiler that a key names ("NVRTC 13.0+65be0db342ad", "Clang 19.1.7+9"), of whichever version it is here, for the key's
/// target in full. DeviceError as of compiler_for().
std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler);

namespace gpu {
/// For "sm_90", "gfx90a"; null for what is no GPU's name.
std::shared_ptr<const Compiler> compiler_for_target(std::string_view target);
/// The same of a key: "sm_100 (PTX for …" and "Clang 19.1.7+9".
std::shared_ptr<const Compiler> compiler_of_key(std::string_view target, std::string_view compiler);
}  // namespace gpu

}  // namespace kiln::backend
