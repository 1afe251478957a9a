// Copies of several arrays into one, and of one several times: assignments to views.
#include "kiln/joining.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "array/named_axes.hpp"
#include "kiln/error.hpp"
#include "kiln/views.hpp"

namespace kiln {
namespace {

/// An uninitialized array of that shape: of the arrays' common dtype, on the device of the first one that is on one.
Array result_of(std::span<const Array> arrays, const Shape& shape) {
  DType dtype = arrays.front().dtype();
  const Array* placed = nullptr;
  for (const Array& array : arrays) {
    dtype = promote(dtype, array.dtype());
    if (placed == nullptr && !array.is_host()) placed = &array;
  }
  return placed != nullptr ? device_array(shape, dtype, placed->device()) : Array::empty(shape, dtype);
}

/// The range of a slice along one axis.
Array part(const Array& a, std::size_t axis, const Slice& slice) {
  std::vector<Index> index(axis + 1, all);
  index[axis] = slice;
  return a.slice(index);
}

void check_given(const char* what, std::span<const Array> arrays) {
  if (arrays.empty()) throw ShapeError(std::string(what) + ": no arrays were given");
}

/// ShapeError unless the shapes are equal, apart from the extents of one axis.
void check_shapes(const char* what, std::span<const Array> arrays, std::optional<std::size_t> axis) {
  const Shape& first = arrays.front().shape();
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    Shape shape = arrays[i].shape();
    if (axis && shape.size() == first.size()) shape[*axis] = first[*axis];
    if (shape == first) continue;
    throw ShapeError(std::string(what) + ": array " + std::to_string(i) + " has shape " + to_string(arrays[i].shape()) +
                     ", array 0 has " + to_string(first) +
                     (axis ? "; they may differ along axis " + std::to_string(*axis) + " alone" : "; give equal shapes"));
  }
}

/// The array with each element, or part of an axis, `repeats` times: a new axis of that extent behind `axis`, which is merged.
Array repeated(const Array& a, std::int64_t repeats, std::size_t axis) {
  const Array added = expand_dims(a, static_cast<int>(axis) + 1);
  Shape wide = added.shape();
  wide[axis + 1] = repeats;
  Shape shape = a.shape();
  if (__builtin_mul_overflow(shape[axis], repeats, &shape[axis])) {
    throw ShapeError("repeat: " + std::to_string(repeats) + " times shape " + to_string(a.shape()) +
                     " is more than 2^63-1 elements");
  }
  return added.broadcast_to(wide).copy().reshape(shape);
}

}  // namespace

Array concatenate(std::span<const Array> arrays, int axis) {
  check_given("concatenate", arrays);
  Shape shape = arrays.front().shape();
  const std::size_t along = detail::counted_axis(detail::named("concatenate"), axis, shape);
  check_shapes("concatenate", arrays, along);
  shape[along] = 0;
  for (const Array& array : arrays) shape[along] += array.shape()[along];
  Array result = result_of(arrays, shape);
  std::int64_t start = 0;
  for (const Array& array : arrays) {
    const std::int64_t stop = start + array.shape()[along];
    part(result, along, {.start = start, .stop = stop}).assign(array);
    start = stop;
  }
  return result;
}

Array stack(std::span<const Array> arrays, int axis) {
  check_given("stack", arrays);
  check_shapes("stack", arrays, std::nullopt);
  std::vector<Array> added;
  for (const Array& array : arrays) added.push_back(expand_dims(array, axis));
  const auto rank = static_cast<int>(added.front().shape().size());
  return concatenate(added, axis < 0 ? axis + rank : axis);
}

Array repeat(const Array& a, std::int64_t repeats, std::optional<int> axis) {
  if (repeats < 0) throw ShapeError("repeat: " + std::to_string(repeats) + " times: give 0 or more");
  if (!axis) return repeated(a.reshape({a.size()}), repeats, 0);
  return repeated(a, repeats, detail::counted_axis(detail::named("repeat"), *axis, a.shape()));
}

Array tile(const Array& a, const Shape& repeats) {
  const std::size_t rank = std::max(a.shape().size(), repeats.size());
  // Each axis becomes two: of the repetitions, which are broadcast, and of the elements.
  Shape apart;
  Shape wide;
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t own = i + a.shape().size();
    const std::size_t given = i + repeats.size();
    const std::int64_t extent = own < rank ? 1 : a.shape()[own - rank];
    const std::int64_t times = given < rank ? 1 : repeats[given - rank];
    if (times < 0) throw ShapeError("tile: " + to_string(repeats) + " times: give 0 or more");
    apart.push_back(1);
    apart.push_back(extent);
    wide.push_back(times);
    wide.push_back(extent);
    shape.push_back(times);
    if (__builtin_mul_overflow(times, extent, &shape.back())) {
      throw ShapeError("tile: " + to_string(repeats) + " times shape " + to_string(a.shape()) +
                       " is more than 2^63-1 elements");
    }
  }
  return a.reshape(apart).broadcast_to(wide).copy().reshape(shape);
}

Array roll(const Array& a, std::int64_t shift, std::optional<int> axis) {
  if (!axis) return roll(a.reshape({a.size()}), shift, 0).reshape(a.shape());
  const std::size_t along = detail::counted_axis(detail::named("roll"), *axis, a.shape());
  const std::int64_t extent = a.shape()[along];
  if (extent == 0) return a.copy();
  const std::int64_t by = (shift % extent + extent) % extent;
  const Array parts[] = {part(a, along, {.start = extent - by}), part(a, along, {.stop = extent - by})};
  return concatenate(parts, static_cast<int>(along));
}

std::vector<Array> split(const Array& a, std::int64_t parts, int axis) {
  const std::size_t along = detail::counted_axis(detail::named("split"), axis, a.shape());
  const std::int64_t extent = a.shape()[along];
  if (parts < 1 || extent % parts != 0) {
    throw ShapeError("split: axis " + std::to_string(along) + " of extent " + std::to_string(extent) + " does not make " +
                     std::to_string(parts) + " equal parts");
  }
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 1; i < parts; ++i) indices.push_back(i * (extent / parts));
  return split(a, indices, axis);
}

std::vector<Array> split(const Array& a, std::span<const std::int64_t> indices, int axis) {
  const std::size_t along = detail::counted_axis(detail::named("split"), axis, a.shape());
  std::vector<Array> parts;
  Slice slice{.start = 0};
  for (const std::int64_t index : indices) {
    slice.stop = index;
    parts.push_back(part(a, along, slice));
    slice.start = index;
  }
  slice.stop = std::nullopt;
  parts.push_back(part(a, along, slice));
  return parts;
}

}  // namespace kiln
