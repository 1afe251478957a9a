// Whether a body may be computed for elements that nobody asked for.
#pragma once

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Whether computing the text on any values whatever ends soon, traps nowhere and reads no memory, as far as its tokens tell:
/// then a masked loop on the CPU computes every element and selects, which vectorizes, where a branch around calls of libm's
/// vector functions would not. A division counts as a trap unless an operand is visibly floating-point (divisions.hpp), as
/// parameters are where no dtype of the operation's is one of the `integers`. Pure.
[[nodiscard]] bool may_speculate(const UserText& text, bool integers);

}  // namespace kiln::codegen
