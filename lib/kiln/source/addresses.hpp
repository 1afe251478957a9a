// Whether a body takes addresses of its operands' elements, or binds references to them, as far as its tokens tell.
#pragma once

#include "source/user_text.hpp"

namespace kiln::codegen {

/// False where no text can have the address of an element: it may lie anywhere, and be aligned as an element alone, and nobody
/// sees it. True where a text asks for one (`&x(i)`, `x.data()`), and where it may through what is not looked at: macros, and
/// files of the user's. Pure.
[[nodiscard]] bool takes_addresses(const UserText& text);

/// False where no text can bind a reference to an element: no `&` stands in it but in `&&`, `&=` and `for (auto& v : x)`. Pure.
[[nodiscard]] bool binds_references(const UserText& text);

}  // namespace kiln::codegen
