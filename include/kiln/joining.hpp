// NumPy's functions that put arrays together, cut them and repeat them. They copy elements, and compile nothing but what a GPU
// copies by.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/axes.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

/// @name Copies
///
/// Results have the arrays' common dtype (promote()). They are on the device of the first array that is on one, in host memory
/// otherwise. On a GPU the copies are queued on the default stream. Throws ShapeError for shapes that do not fit and for axes
/// out of range, TypeError for an empty handle.
/// @{
/// Returns the arrays one after the other along an existing axis. Their other extents are equal.
[[nodiscard]] KILN_API Array concatenate(std::span<const Array> arrays, int axis = 0);
[[nodiscard]] inline Array concatenate(std::initializer_list<Array> arrays, int axis = 0) {
  return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}
/// Returns the arrays, of equal shapes, along a new axis at that place of the result.
[[nodiscard]] KILN_API Array stack(std::span<const Array> arrays, int axis = 0);
[[nodiscard]] inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
  return stack(std::span(arrays.begin(), arrays.size()), axis);
}
/// Returns each element that many times in turn, along an axis; without one, of all elements in C order.
[[nodiscard]] KILN_API Array repeat(const Array& a, std::int64_t repeats, std::optional<int> axis = std::nullopt);
/// Returns the array that many times along each axis. The shorter of a.shape() and `repeats` is filled with ones in front.
[[nodiscard]] KILN_API Array tile(const Array& a, const Shape& repeats);
/// Returns the elements moved by `shift` along an axis, those beyond the end at the beginning; without an axis, in C order.
[[nodiscard]] KILN_API Array roll(const Array& a, std::int64_t shift, std::optional<int> axis = std::nullopt);
/// @}

/// @name Views
/// @{
/// Returns that many parts of equal extent along an axis, as views. Throws ShapeError if the extent is no multiple of `parts`.
[[nodiscard]] KILN_API std::vector<Array> split(const Array& a, std::int64_t parts, int axis = 0);
/// Returns the parts before, between and after these indices along an axis, as views, with the rules of slices.
[[nodiscard]] KILN_API std::vector<Array> split(const Array& a, std::span<const std::int64_t> indices, int axis = 0);
[[nodiscard]] inline std::vector<Array> split(const Array& a, std::initializer_list<std::int64_t> indices, int axis = 0) {
  return split(a, std::span(indices.begin(), indices.size()), axis);
}
/// @}

}  // namespace kiln
