// Looks into machine code without running it. Implementations: cpu/ and gpu/ (for both vendors).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/inspect.hpp"

namespace kiln::backend {

/// Machine code as a cache keeps it. The bytes may be damaged or hostile.
struct StoredCode {
  std::string name = {};         ///< the kernel's, for messages
  std::string_view target = {};  ///< in full, as Compiler::target() gives it
  bool by_clang = false;         ///< which can show it as LLVM's intermediate language, for any target
  std::string_view bytes = {};
};

/// Thread-safe; opens no device.
class Inspector {
 public:
  virtual ~Inspector() = default;
  /// The forms of kernels for that target.
  [[nodiscard]] virtual std::vector<inspect::Form> forms(const StoredCode& code) const = 0;
  /// The code in one of those forms; nothing where that takes another compile (Compiler::emit). IoError for code that is
  /// damaged; DeviceError where the disassembler is missing, with how to get it.
  [[nodiscard]] virtual std::optional<std::string> text(const StoredCode& code, inspect::Form form) const = 0;
  /// IoError for code that is damaged; DeviceError where what reads it is missing.
  [[nodiscard]] virtual inspect::Resources resources(const StoredCode& code) const = 0;
};

/// The target's name alone: "sm_90", "x86-64-v4".
[[nodiscard]] std::string_view short_name(std::string_view target) noexcept;
/// IoError: the machine code of "saxpy" for sm_90 is damaged: …
[[noreturn]] void refuse_damaged(const StoredCode& code, const std::string& why);

/// DeviceError for a target that no backend here knows.
[[nodiscard]] const Inspector& inspector_for(std::string_view target);

/// What each backend offers: null where the target is not its own.
namespace cpu {
const Inspector* inspector_for_target(std::string_view target);
}  // namespace cpu
namespace gpu {
const Inspector* inspector_for_target(std::string_view target);
}  // namespace gpu

}  // namespace kiln::backend
