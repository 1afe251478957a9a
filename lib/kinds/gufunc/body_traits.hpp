// Whether a body is worth compiling with vectors as its numbers.
#pragma once

#include "kinds/spec.hpp"

namespace kiln::kinds {

/// Whether the body has nothing by which the indices of .each, or items, could go different ways, as far as its text tells: no
/// condition, no selection, no member of C++ that arithmetic does not need. Of `whole` numbers, it may name their types, but
/// not where it counts, and has no division, of which there are no vectors. A body that passes may still not compile so. Pure.
[[nodiscard]] bool only_computes(const codegen::UserText& text, bool whole = false);

/// Whether the body, one that can be scanned, has a loop, which keeps the compiler from making vectors of the indices around
/// it. Pure.
[[nodiscard]] bool has_loop(const codegen::UserText& text);

/// Whether a number is made of what it was before, in a loop's next turn as in the same: "s += x(i)", "s = s * t + x(i)",
/// "y(i) = y(i - 1) + x(i)". Vectors along such a loop would compute in another order. Of an element only what it takes from
/// other elements counts. Pure.
[[nodiscard]] bool has_chain(const codegen::UserText& text);

/// Whether the text may look at where elements lie: at `data()`, `contiguous()` or an address, or in texts that are not read
/// here, a preamble or a macro. Pure.
[[nodiscard]] bool sees_memory(const codegen::UserText& text);

/// Whether the body is loops that compute each element for itself: the compiler makes vectors along a core of a few elements.
/// Pure.
[[nodiscard]] bool computes_along(const codegen::UserText& text);

/// Whether the body calls a function that is more than an instruction or two, or divides or takes roots again and again: in
/// the body of a loop, or anywhere if it is itself `looped`. Vectors are then worth more than what it costs to make them. Pure.
[[nodiscard]] bool is_dear(const codegen::UserText& text, bool looped);

/// How deep loops of the body lie within each other; 0: it has none. Pure.
[[nodiscard]] int loop_depth(const codegen::UserText& text);

}  // namespace kiln::kinds
