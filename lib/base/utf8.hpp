// Whether bytes are UTF-8.
#pragma once

#include <string_view>

namespace kiln::base {

/// By Unicode's table 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace kiln::base
