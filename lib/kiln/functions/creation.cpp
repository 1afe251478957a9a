// Arrays of numbers that follow from their place.
#include "kiln/creation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "kiln/error.hpp"
#include "kiln/views.hpp"
#include "shared/float_environment.hpp"
#include "types/each_dtype.hpp"

namespace kiln {
namespace {

Array allocated(const Shape& shape, DType dtype, const std::optional<Device>& device) {
  return device ? device_array(shape, dtype, *device) : Array::empty(shape, dtype);
}

Array placed(const Array& array, const std::optional<Device>& device) {
  return device ? to_device(array, *device) : array;
}

/// Writes start, start + distance, … as NumPy computes them: in T, of halves in float32.
template <class T>
void count_up(T* numbers, std::int64_t count, T start, T second) {
  // Of integers the numbers alone are in range, not each product.
  using Work = std::conditional_t<std::is_integral_v<T>, std::uint64_t, std::conditional_t<sizeof(T) == 2, float, T>>;
  const auto first = static_cast<Work>(start);
  const auto distance = static_cast<Work>(static_cast<Work>(second) - first);
  for (std::int64_t i = 0; i < count; ++i)
    numbers[i] = static_cast<T>(first + static_cast<Work>(static_cast<Work>(i) * distance));
}

void check_countable(DType dtype) {
  if (kind(dtype) == Kind::integer || kind(dtype) == Kind::floating) return;
  throw TypeError("arange: numbers of " + std::string(name(dtype)) + " are not counted; give an integer or floating dtype");
}

/// `Number` is that of the arguments.
template <class Number>
Array counted(Number start, Number step, std::int64_t count, const CreationOptions& options) {
  const DType dtype = options.dtype.value_or(dtype_of<Number>);
  check_countable(dtype);
  Array array = Array::empty({count}, dtype);
  const Number ends[2] = {start, static_cast<Number>(start + step)};
  const Array first = Array::from(ends).astype(dtype);
  with_type(dtype, [&]<class T>(T* /*type*/) {
    if constexpr (detail::Real<T>) {
      count_up(array.as<T>(), count, first.as<const T>()[0], first.as<const T>()[1]);
    }
  });
  return placed(array, options.device);
}

}  // namespace

Array Array::ones(const Shape& shape, DType dtype, Order order) {
  Array array = empty(shape, dtype, order);
  array.fill(true);
  return array;
}

Array zeros(const Shape& shape, const CreationOptions& options) {
  const DType dtype = options.dtype.value_or(DType::float64);
  if (!options.device) return Array::zeros(shape, dtype);
  return full(shape, false, {.dtype = dtype, .device = options.device});
}

Array ones(const Shape& shape, const CreationOptions& options) {
  return full(shape, true, {.dtype = options.dtype.value_or(DType::float64), .device = options.device});
}

Array detail::full(const Shape& shape, DType given, const void* value, const CreationOptions& options) {
  Array array = allocated(shape, options.dtype.value_or(given), options.device);
  with_type(given, [&]<class T>(T* /*type*/) { array.fill(*static_cast<const T*>(value)); });
  return array;
}

Array detail::arange(std::int64_t start, std::int64_t stop, std::int64_t step, const CreationOptions& options) {
  if (step == 0) throw ShapeError("arange: the step is 0: give a positive or a negative number");
  // Of unsigned numbers, as the distance may have 64 bits.
  const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                 : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const auto by = step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  const bool none = step > 0 ? stop <= start : start <= stop;
  const std::uint64_t count = none ? 0 : (distance - 1) / by + 1;
  return counted(start, count > 1 ? step : 0, Integer(count).value, options);
}

Array detail::arange(double start, double stop, double step, const CreationOptions& options) {
  const base::DefaultFloatEnvironment floats;
  if (step == 0) throw ShapeError("arange: the step is 0: give a positive or a negative number");
  const double count = std::ceil((stop - start) / step);
  if (!(count < 9.2e18)) throw ShapeError("arange: the number of elements is infinite or NaN: give finite numbers");
  return counted(start, step, count > 0 ? static_cast<std::int64_t>(count) : 0, options);
}

Array linspace(double start, double stop, std::int64_t count, const LinspaceOptions& options) {
  const base::DefaultFloatEnvironment floats;
  const DType dtype = options.dtype.value_or(DType::float64);
  const Array array = Array::empty({count}, DType::float64);
  auto* const numbers = array.as<double>();
  const auto parts = static_cast<double>(options.endpoint ? count - 1 : count);
  const double distance = stop - start;
  const double step = distance / parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<double>(i);
    // A step that underflows would leave all numbers at the start.
    const double offset = parts <= 0 ? at * distance : step == 0 ? at / parts * distance : at * step;
    numbers[i] = offset + start;
  }
  if (options.endpoint && count > 1) numbers[count - 1] = stop;
  if (kind(dtype) == Kind::integer) std::transform(numbers, numbers + count, numbers, [](double x) { return std::floor(x); });
  return placed(dtype == DType::float64 ? array : array.astype(dtype), options.device);
}

Array eye(std::int64_t rows, const EyeOptions& options) {
  const std::int64_t columns = options.columns.value_or(rows);
  Array array = zeros({rows, columns}, {.dtype = options.dtype, .device = options.device});
  const std::int64_t first_row = std::max<std::int64_t>(0, -std::max(options.k, -rows));
  const std::int64_t first_column = std::max<std::int64_t>(0, std::min(options.k, columns));
  const std::int64_t count = std::min(rows - first_row, columns - first_column);
  if (count <= 0) return array;
  detail::ArrayRep diagonal = detail::view_rep(array[{first_row, Slice{.start = first_column}}]);
  diagonal.shape = {count};
  diagonal.strides = {array.strides()[0] + array.strides()[1]};
  detail::make_array(std::move(diagonal)).fill(true);
  return array;
}

std::vector<Array> meshgrid(std::span<const Array> arrays, const MeshgridOptions& options) {
  Shape whole;
  for (const Array& array : arrays) {
    if (array.ndim() > 1)
      throw ShapeError("meshgrid: an array has shape " + to_string(array.shape()) + "; give arrays of one axis");
    whole.push_back(array.size());
  }
  const bool swaps = !options.matrix_indexing && arrays.size() > 1;
  std::vector<Array> grids;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Shape own(arrays.size(), 1);
    own[i] = whole[i];
    Array grid = arrays[i].reshape(own);
    if (!options.sparse) grid = grid.broadcast_to(whole);
    if (swaps) grid = grid.swapaxes(0, 1);
    grids.push_back(options.copy ? grid.copy() : grid.as_read_only());
  }
  return grids;
}

}  // namespace kiln
