// The exceptions that kiln throws. A message is one line: what failed, on what, and why. More lines may follow: the text and a
// caret of a SignatureError, the diagnostics of a CompileError, the source line of a kernel's fault.
//
// If a call throws, no output was modified. Exceptions:
// - a chunked call reports how many chunks are done (docs/larger-than-memory.md);
// - a kernel with a fault in debug mode has written the values that it computed (docs/debugging.md);
// - a stopped call may have written parts of its outputs.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/diagnostic.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Base of every exception that kiln throws on purpose.
class KILN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// Reports a signature or layout string that cannot be parsed. The message shows the string with a caret below the position.
class KILN_API SignatureError : public Error {
 public:
  /// Constructs the error. what() is the message, followed by the text and a caret below that byte.
  SignatureError(const std::string& message, std::string_view text, std::size_t position);
  ~SignatureError() override;
  /// Returns the zero-based byte offset into the string that was parsed.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

/// Reports shapes that do not fit: operands that do not broadcast, an `out` of the wrong shape, an impossible reshape, an axis
/// out of range.
class KILN_API ShapeError : public Error {
 public:
  using Error::Error;
  ~ShapeError() override;
};

/// Reports types or arguments that do not fit. Examples: no loop for the dtypes, a cast that the casting rule forbids, a
/// read-only output, a wrong number of arguments.
class KILN_API TypeError : public Error {
 public:
  using Error::Error;
  ~TypeError() override;
};

/// Reports a call that its .stop or its .timeout ended. The message names the reason and the state of the outputs.
///
/// Outputs may be partly written. A chunked call reports how many chunks are done. A kernel on a GPU runs on until it ends.
class KILN_API Stopped : public Error {
 public:
  using Error::Error;
  ~Stopped() override;
};

/// Reports an unknown device, a missing vendor library, a failure of the vendor's runtime, or a fault that a kernel in debug
/// mode found.
class KILN_API DeviceError : public Error {
 public:
  /// Constructs the error. `message` becomes what().
  explicit DeviceError(const std::string& message, int code = 0, std::string code_name = {});
  ~DeviceError() override;
  /// Returns the vendor's status code; 0 if kiln itself found the failure.
  [[nodiscard]] int code() const noexcept { return code_; }
  /// Returns the vendor's name of the code ("CUDA_ERROR_INVALID_PTX"); empty if there is none.
  [[nodiscard]] const std::string& code_name() const noexcept { return code_name_; }

 private:
  int code_;
  std::string code_name_;
};

/// Reports a kernel cache that was requested by name and cannot be used.
class KILN_API CacheError : public Error {
 public:
  using Error::Error;
  ~CacheError() override;
};

/// Reports a file that cannot be read or written, or that does not have the format that it claims.
class KILN_API IoError : public Error {
 public:
  using Error::Error;
  ~IoError() override;
};

/// Reports what failed in a collective call, on every rank: "kiln::warm: rank 3 of 8: …".
class KILN_API RankError : public Error {
 public:
  /// Constructs the error. `message` becomes what().
  RankError(int rank, const std::string& message);
  ~RankError() override;
  /// Returns the rank that failed; the first one, if there are several; -1 if it is not known.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// Reports a kernel that does not compile. what() is the formatted diagnostics; the parts are available as values.
class KILN_API CompileError : public Error {
 public:
  /// Parts of the error.
  struct Details {
    std::vector<Diagnostic> diagnostics;  ///< diagnostics in the compiler's order
    std::string log;                      ///< output of the compiler
    std::string source;                   ///< the whole translation unit
    std::vector<std::string> options;     ///< options of the compiler
    std::string target;                   ///< "sm_90", "gfx90a", "x86-64-v3"
    std::string compiler;                 ///< "NVRTC 13.0"
    std::string context;                  ///< signature of the loop that was compiled
  };
  /// Constructs the error. what() is made of the details.
  explicit CompileError(Details details);
  ~CompileError() override;
  /// Returns the diagnostics in the compiler's order. Notes in files that are not the user's are in log() alone.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return details_->diagnostics; }
  /// Returns the output of the compiler, unmodified.
  [[nodiscard]] const std::string& log() const noexcept { return details_->log; }
  /// Returns the whole translation unit that was compiled.
  [[nodiscard]] const std::string& source() const noexcept { return details_->source; }
  /// Returns the options of the compiler.
  [[nodiscard]] const std::vector<std::string>& options() const noexcept { return details_->options; }
  /// Returns "sm_90", "gfx90a", "x86-64-v3".
  [[nodiscard]] const std::string& target() const noexcept { return details_->target; }
  /// Returns "NVRTC 13.0".
  [[nodiscard]] const std::string& compiler() const noexcept { return details_->compiler; }
  /// Returns the signature of the loop that was compiled.
  [[nodiscard]] const std::string& context() const noexcept { return details_->context; }

 private:
  std::shared_ptr<const Details> details_;
};

}  // namespace kiln
