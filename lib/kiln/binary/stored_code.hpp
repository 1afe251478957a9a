// Machine code as a cache keeps it. The bytes may be damaged or hostile.
#pragma once

#include <string>
#include <string_view>

namespace kiln::backend {

struct StoredCode {
  std::string name = {};         ///< the kernel's, for messages
  std::string_view target = {};  ///< in full, as Compiler::target() gives it
  bool by_clang = false;         ///< which can show it as LLVM's intermediate language, for any target
  std::string_view bytes = {};
};

/// The target's name alone: "sm_90", "x86-64-v4".
[[nodiscard]] std::string_view short_name(std::string_view target) noexcept;
/// Throws IoError: the machine code of "saxpy" for sm_90 is damaged: …
[[noreturn]] void refuse_damaged(const StoredCode& code, const std::string& why);

/// What a target has in it where the code is PTX: "sm_120 (PTX for …".
inline constexpr std::string_view kAssemblyMark = " (PTX for ";

}  // namespace kiln::backend
