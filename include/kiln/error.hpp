// The exceptions that kiln throws. Every message is one line that says what failed, on what, and why (below it,
// SignatureError's has the text and a caret, CompileError's the diagnostics, a kernel's fault its line). A call that throws has
// changed nothing, but for one that goes in chunks (docs/larger-than-memory.md), which says how many are done, one whose
// kernel met a fault in debug mode (docs/debugging.md), which wrote what it computed, and one that was stopped.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

/// Base of everything that kiln throws on purpose.
class KILN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// A signature or layout string that cannot be read. The message shows the string with a caret under the place.
class KILN_API SignatureError : public Error {
 public:
  /// what() is the message, and below it the text with a caret under that byte.
  SignatureError(const std::string& message, std::string_view text, std::size_t position);
  ~SignatureError() override;
  /// Zero-based byte offset into the string that was parsed.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

/// Shapes that do not broadcast, an `out` of the wrong shape, a reshape that does not fit, an axis out of range.
class KILN_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// No loop for the dtypes, a cast that the casting rule forbids, a read-only output, a wrong number of arguments.
class KILN_API TypeError : public Error {
 public:
  using Error::Error;
  ~TypeError() override;
};

/// A call that its .stop or its .timeout ended. The message says which of them, and what was written: outputs may be partly
/// written, a chunked call says how many chunks are done, and a kernel on a GPU runs on until it ends.
class KILN_API Stopped : public Error {
 public:
  using Error::Error;
  ~Stopped() override;
};

/// A device that does not exist, a vendor library that is missing, a failure that the vendor's runtime reported, or a fault
/// that a kernel in debug mode found.
class KILN_API DeviceError : public Error {
 public:
  /// `message` becomes what().
  explicit DeviceError(const std::string& message, int code = 0, std::string code_name = {});
  ~DeviceError() override;
  /// The vendor's status code, 0 where the failure is kiln's own finding.
  [[nodiscard]] int code() const noexcept { return code_; }
  /// The vendor's name of the code ("CUDA_ERROR_INVALID_PTX"), empty where there is none.
  [[nodiscard]] const std::string& code_name() const noexcept { return code_name_; }

 private:
  int code_;
  std::string code_name_;
};

/// A kernel cache that was asked for by name and cannot be used.
class KILN_API CacheError : public Error {
 public:
  using Error::Error;
  ~CacheError() override;
};

/// A file that cannot be read or written, or that is not what it claims to be.
class KILN_API IoError : public Error {
 public:
  using Error::Error;
  ~IoError() override;
};

/// How bad a finding is.
enum class Severity {
  note,     ///< belongs to the finding before it
  warning,  ///< doubtful, but it compiles
  error,    ///< does not compile
};

/// One finding of a compiler, in the coordinates of the user's text.
struct Diagnostic {
  Severity severity = Severity::error;  ///< errors come with CompileError, warnings from warnings()
  std::string file = {};                ///< the kernel's name, "NAME.functions", "NAME.preamble", or a header's name
  int line = 0;                         ///< from 1; 0 where the compiler gave none
  int column = 0;                       ///< from 1; 0 where the compiler gave none
  std::string text = {};                ///< the message alone
  std::string source_line = {};         ///< the line it points into, without its newline; may be empty
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};
/// "disc:1:7: warning: …"; below it the line and a caret, where they are known.
[[nodiscard]] KILN_API std::string to_string(const Diagnostic& diagnostic);

/// A kernel that did not compile. what() is the formatted diagnostics; the parts are values.
class KILN_API CompileError : public Error {
 public:
  /// The parts of the error.
  struct Details {
    std::vector<Diagnostic> diagnostics;  ///< in the order of the compiler
    std::string log;                      ///< what the compiler printed
    std::string source;                   ///< the whole translation unit
    std::vector<std::string> options;     ///< of the compiler
    std::string target;                   ///< "sm_90", "gfx90a", "x86-64-v3"
    std::string compiler;                 ///< "NVRTC 13.0"
    std::string context;                  ///< what was being compiled: the signature of the loop
  };
  /// what() is made of the details.
  explicit CompileError(Details details);
  ~CompileError() override;
  /// The findings, in the order of the compiler; notes of its own headers are in log() alone.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return details_->diagnostics; }
  /// What the compiler printed, as it was.
  [[nodiscard]] const std::string& log() const noexcept { return details_->log; }
  /// The whole translation unit that was compiled.
  [[nodiscard]] const std::string& source() const noexcept { return details_->source; }
  /// The options of the compiler.
  [[nodiscard]] const std::vector<std::string>& options() const noexcept { return details_->options; }
  /// "sm_90", "gfx90a", "x86-64-v3".
  [[nodiscard]] const std::string& target() const noexcept { return details_->target; }
  /// "NVRTC 13.0".
  [[nodiscard]] const std::string& compiler() const noexcept { return details_->compiler; }
  /// The signature of the loop that was compiled.
  [[nodiscard]] const std::string& context() const noexcept { return details_->context; }

 private:
  std::shared_ptr<const Details> details_;
};

}  // namespace kiln
