// Whether a body is worth compiling with vectors as its numbers.
#pragma once

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Whether the body has a loop, and nothing by which the indices of .each could go different ways, as far as its text tells: no
/// condition, no selection, no member of C++ that arithmetic does not need. A body that passes may still not compile so. Pure.
[[nodiscard]] bool suits_lanes(const UserText& text);

/// Whether a number is made of what it was before, in a loop's next turn as in the same: "s += x(i)", "s = s * t + x(i)",
/// "y(i) = y(i - 1) + x(i)". Vectors along such a loop would compute in another order. Of an element only what it takes from
/// other elements counts. Pure.
[[nodiscard]] bool has_chain(const UserText& text);

}  // namespace kiln::codegen
