// Whether a body may be computed for elements that nobody asked for.
#pragma once

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Not `none` where computing the text on any values whatever ends soon, traps nowhere and reads no memory, as far as its
/// tokens tell: then a masked loop on the CPU computes every element and selects, which vectorizes, where a branch around calls
/// of libm's vector functions would not. `blocks` where it divides integers (divisions.hpp), as parameters may be where a dtype
/// of the operation's is one of the `integers`. Pure.
[[nodiscard]] Speculation speculation_of(const UserText& text, bool integers);
[[nodiscard]] inline bool may_speculate(const UserText& text, bool integers) {
  return speculation_of(text, integers) == Speculation::free;
}

}  // namespace kiln::codegen
