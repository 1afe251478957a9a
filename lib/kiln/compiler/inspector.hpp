// Looks into machine code without running it. Implementations: cpu/ and gpu/ (for both vendors).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/stored_code.hpp"
#include "kiln/inspect.hpp"

namespace kiln::backend {

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
