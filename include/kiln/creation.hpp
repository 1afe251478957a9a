// NumPy's functions that make arrays: zeros(5), ones({2, 3}), arange(10), linspace(0, 1, 5), eye(3), meshgrid({x, y}).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

/// Options of functions that make arrays.
struct CreationOptions {
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the elements; absent: NumPy's, which each function names
  std::optional<Device> device = std::nullopt;  ///< device of the array; absent: host memory
};

/// Options of linspace().
struct LinspaceOptions {
  bool endpoint = true;                         ///< true: the last number is `stop`
  std::optional<DType> dtype = std::nullopt;    ///< dtype of the elements; absent: float64; integers are rounded down
  std::optional<Device> device = std::nullopt;  ///< device of the array; absent: host memory
};

/// Options of eye().
struct EyeOptions {
  std::optional<std::int64_t> columns = std::nullopt;  ///< number of columns; absent: that of the rows
  std::int64_t k = 0;                                  ///< diagonal of the ones: positive above the main one, negative below
  std::optional<DType> dtype = std::nullopt;           ///< dtype of the elements; absent: float64
  std::optional<Device> device = std::nullopt;         ///< device of the array; absent: host memory
};

/// Options of meshgrid().
struct MeshgridOptions {
  bool matrix_indexing = false;  ///< true: numpy's indexing="ij"; false: "xy", the first two axes are swapped
  bool sparse = false;           ///< true: the arrays have extent 1 along the others' axes
  bool copy = true;              ///< false: the arrays are read-only views of the inputs
};

namespace detail {
KILN_API Array arange(std::int64_t start, std::int64_t stop, std::int64_t step, const CreationOptions& options);
KILN_API Array arange(double start, double stop, double step, const CreationOptions& options);
KILN_API Array full(const Shape& shape, DType given, const void* value, const CreationOptions& options);
template <class T>
concept Number = std::is_arithmetic_v<T>;
}  // namespace detail

/// @name Arrays on the host, or on a device
///
/// Throws the exceptions of Array::empty() or device_array(). Numbers are computed on the host, and sent to a GPU.
/// @{
/// Returns an array of zeros, of float64.
[[nodiscard]] KILN_API Array zeros(const Shape& shape, const CreationOptions& options = {});
/// Returns an array of ones, of float64.
[[nodiscard]] KILN_API Array ones(const Shape& shape, const CreationOptions& options = {});
/// Returns an array of that value, of T's dtype. Throws TypeError if `.dtype` is of a lower kind, or cannot represent an
/// integer.
template <Element T>
[[nodiscard]] Array full(const Shape& shape, T value, const CreationOptions& options = {}) {
  return detail::full(shape, dtype_of<T>, &value, options);
}
/// Returns the numbers start, start + step, … before `stop`: of int64 if all are integers, else of float64. Their number is
/// (stop - start) / step, rounded up. Throws ShapeError for a step of 0 and for NaN, TypeError for a complex or bool dtype.
template <detail::Number Start, detail::Number Stop, detail::Number Step = int>
[[nodiscard]] Array arange(Start start, Stop stop, Step step = 1, const CreationOptions& options = {}) {
  using Type = std::conditional_t<(std::integral<Start> && std::integral<Stop> && std::integral<Step>), std::int64_t, double>;
  return detail::arange(static_cast<Type>(start), static_cast<Type>(stop), static_cast<Type>(step), options);
}
/// Returns arange(start, stop, 1, options).
template <detail::Number Start, detail::Number Stop>
[[nodiscard]] Array arange(Start start, Stop stop, const CreationOptions& options) {
  return arange(start, stop, 1, options);
}
/// Returns arange(0, stop, 1, options).
template <detail::Number Stop>
[[nodiscard]] Array arange(Stop stop, const CreationOptions& options = {}) {
  return arange(0, stop, 1, options);
}
/// Returns `count` numbers from `start` to `stop` at equal distances. Throws ShapeError for a negative count.
[[nodiscard]] KILN_API Array linspace(double start, double stop, std::int64_t count = 50, const LinspaceOptions& options = {});
/// Returns a matrix of that many rows with ones on a diagonal, and zeros.
[[nodiscard]] KILN_API Array eye(std::int64_t rows, const EyeOptions& options = {});
/// @}

/// Returns for each of the one-dimensional arrays one of the shape of them all, in which it runs along its own axis. Throws
/// ShapeError for an array of more than one axis.
[[nodiscard]] KILN_API std::vector<Array> meshgrid(std::span<const Array> arrays, const MeshgridOptions& options = {});
/// Returns the same of a list: meshgrid({x, y}).
[[nodiscard]] inline std::vector<Array> meshgrid(std::initializer_list<Array> arrays, const MeshgridOptions& options = {}) {
  return meshgrid(std::span(arrays.begin(), arrays.size()), options);
}

}  // namespace kiln
