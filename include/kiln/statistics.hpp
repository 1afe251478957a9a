// NumPy's functions that reduce arrays, by its rules of axes and dtypes: sum(a), mean(a, 0), var(a, {.axis = 1, .ddof = 1}).
//
// By default they reduce all axes to a 0-dimensional array: sum(a).item<double>(). So does a kiln::reduction(). The method
// `reduce` of a ufunc reduces axis 0 by default, as NumPy's does.
#pragma once

#include <concepts>

#include "kiln/array.hpp"
#include "kiln/axes.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// @name Reductions
///
/// A call returns a host array for a host array, and one on its device otherwise. Each runs kernels of kiln's.
/// kiln::math::add.reduce() and its like also take a mask, an initial value and an output.
///
/// Throws ShapeError for an axis out of range or named twice. Throws TypeError for a dtype that the function does not have.
/// @{
/// Returns the sum. Bools and small integers are added in 64 bits, halves in float32.
[[nodiscard]] KILN_API Array sum(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array sum(const Array& a, std::integral auto axis) {
  return sum(a, {.axis = static_cast<int>(axis)});
}
/// Returns the product, with the dtypes of sum().
[[nodiscard]] KILN_API Array prod(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array prod(const Array& a, std::integral auto axis) {
  return prod(a, {.axis = static_cast<int>(axis)});
}
/// Returns the mean: of bools and integers in float64, of halves computed in float32. NaN where there is no element.
[[nodiscard]] KILN_API Array mean(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array mean(const Array& a, std::integral auto axis) {
  return mean(a, {.axis = static_cast<int>(axis)});
}
/// Returns the smallest element; NaN if there is one. Throws ShapeError where there is no element.
[[nodiscard]] KILN_API Array min(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array min(const Array& a, std::integral auto axis) {
  return min(a, {.axis = static_cast<int>(axis)});
}
/// Returns the largest element; NaN if there is one. Throws ShapeError where there is no element.
[[nodiscard]] KILN_API Array max(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array max(const Array& a, std::integral auto axis) {
  return max(a, {.axis = static_cast<int>(axis)});
}
/// Returns whether an element differs from 0, as bool.
[[nodiscard]] KILN_API Array any(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array any(const Array& a, std::integral auto axis) {
  return any(a, {.axis = static_cast<int>(axis)});
}
/// Returns the place of the smallest element, the first of several, or that of the first NaN: an int64 that counts along
/// the reduced axes in C order. Throws ShapeError where there is no element.
[[nodiscard]] KILN_API Array argmin(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array argmin(const Array& a, std::integral auto axis) {
  return argmin(a, {.axis = static_cast<int>(axis)});
}
/// Returns the place of the largest element, by the rules of argmin().
[[nodiscard]] KILN_API Array argmax(const Array& a, const AxisOptions& options = {});
[[nodiscard]] inline Array argmax(const Array& a, std::integral auto axis) {
  return argmax(a, {.axis = static_cast<int>(axis)});
}
/// Returns the variance: the mean of squared distances from the mean(), in two passes and with its dtypes. Real for complex
/// numbers.
[[nodiscard]] KILN_API Array var(const Array& a, const VarOptions& options = {});
[[nodiscard]] inline Array var(const Array& a, std::integral auto axis) {
  return var(a, VarOptions{.axis = static_cast<int>(axis)});
}
/// Returns the standard deviation: the root of var().
[[nodiscard]] KILN_API Array std(const Array& a, const VarOptions& options = {});
[[nodiscard]] inline Array std(const Array& a, std::integral auto axis) {
  return std(a, VarOptions{.axis = static_cast<int>(axis)});
}
/// @}

/// @name Running results, of the array's shape; of one axis without .axis
/// @{
/// Returns the running sums, with the dtypes of sum().
[[nodiscard]] KILN_API Array cumsum(const Array& a, const CumulativeOptions& options = {});
[[nodiscard]] inline Array cumsum(const Array& a, std::integral auto axis) {
  return cumsum(a, {.axis = static_cast<int>(axis)});
}
/// Returns the running products, with the dtypes of sum().
[[nodiscard]] KILN_API Array cumprod(const Array& a, const CumulativeOptions& options = {});
[[nodiscard]] inline Array cumprod(const Array& a, std::integral auto axis) {
  return cumprod(a, {.axis = static_cast<int>(axis)});
}
/// @}

inline Array All::operator()(const Array& a, std::integral auto axis) const {
  return (*this)(a, {.axis = static_cast<int>(axis)});
}

}  // namespace kiln
