// Whether a body may be computed for elements that nobody asked for.
#pragma once

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// `free` where computing the text on any values whatever ends soon, traps nowhere and reads no memory, as far as its tokens
/// tell: then a masked loop on the CPU computes every element and selects, which vectorizes, where a branch around calls of
/// libm's vector functions would not. A division counts as a trap unless an operand is visibly floating-point (divisions.hpp),
/// as parameters are where no dtype of the operation's is one of the `integers`. `on_counted` where that is all that may trap.
/// Pure.
[[nodiscard]] Speculation speculation_of(const UserText& text, bool integers);
[[nodiscard]] inline bool may_speculate(const UserText& text, bool integers) {
  return speculation_of(text, integers) == Speculation::free;
}

}  // namespace kiln::codegen
