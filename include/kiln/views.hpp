// Views of an array with other axes, as NumPy's functions give them. Those that NumPy has as methods are Array's, too.
#pragma once

#include "kiln/array.hpp"
#include "kiln/axes.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// @name Views: no element is copied. Negative axes count from the end. Throws ShapeError for an axis out of range or named
/// twice
/// @{
/// Returns a.squeeze(axis).
[[nodiscard]] inline Array squeeze(const Array& a, const Axes& axis = Axes::all()) {
  return a.squeeze(axis);
}
/// Returns a.swapaxes(first, second).
[[nodiscard]] inline Array swapaxes(const Array& a, int first, int second) {
  return a.swapaxes(first, second);
}
/// Returns a view with axes of extent 1 at these places of the result.
[[nodiscard]] KILN_API Array expand_dims(const Array& a, const Axes& axis);
/// Returns a view in which axes source[i] are axes destination[i]. The others keep their order. Throws ShapeError unless there
/// are as many of both.
[[nodiscard]] KILN_API Array moveaxis(const Array& a, const Axes& source, const Axes& destination);
/// Returns a view with the elements along these axes in reverse.
[[nodiscard]] KILN_API Array flip(const Array& a, const Axes& axis = Axes::all());
/// @}

}  // namespace kiln
