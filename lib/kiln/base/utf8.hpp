// Whether bytes are UTF-8, how many of them are a character, and a text of them that a terminal shows as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kiln::base {

/// Bytes of the character that the text begins with; 0 where there is none, or bytes that are not UTF-8. By Unicode's table
/// 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// The text with '?' for each byte that is not UTF-8 and each control character but the tab, so that columns stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace kiln::base
