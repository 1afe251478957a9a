// What a kernel's text says about where its time goes. A guess that chooses between right variants, never a result.
#pragma once

#include <cstdint>
#include <string_view>

namespace kiln::kinds {
enum class ScanCode : std::uint8_t;
}  // namespace kiln::kinds

namespace kiln::ufunc {

/// Whether the text names a function that takes many instructions (exp, sin, pow, …): such a kernel waits for arithmetic, not
/// for memory.
[[nodiscard]] bool names_slow_function(std::string_view text) noexcept;

/// How much code a body is: `large` unless the text shows that it is not.
[[nodiscard]] kinds::ScanCode scan_code(std::string_view text) noexcept;

}  // namespace kiln::ufunc
