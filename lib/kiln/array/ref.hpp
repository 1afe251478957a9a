// Memory of the caller's as the array that a call sees.
#pragma once

#include "array/rep.hpp"
#include "kiln/array_ref.hpp"

namespace kiln::detail {

/// Returns the array that `ref` describes; it owns nothing. Throws ShapeError for a layout that no array has, with the words of
/// Array::view().
[[nodiscard]] ArrayRep rep_of(const ArrayRef& ref);

/// Returns a view of the memory, for what outlives a call.
[[nodiscard]] Array array_of(const ArrayRef& ref);

}  // namespace kiln::detail
