// a[mask], a[indices] and a[{rows, columns}].
#include "kiln/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "functions/gather.hpp"
#include "functions/nonzero.hpp"
#include "functions/places.hpp"
#include "kiln/error.hpp"
#include "kiln/indexing.hpp"
#include "kiln/math.hpp"
#include "kiln/ufunc.hpp"
#include "layout/broadcast.hpp"
#include "types/each_dtype.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace {

/// The elements of the first axes where the mask is true.
Selection masked(const Array& a, const Array& mask) {
  const std::size_t axes = mask.shape().size();
  const Shape& shape = a.shape();
  const bool fits = axes > 0 && axes <= shape.size() && mask.shape() == Shape(std::span(shape.data(), axes));
  if (!fits) {
    throw Because<ShapeError>(Reason::index, "a[mask]: the mask has shape " + to_string(mask.shape()) + ", the array " +
                                                 to_string(shape) + "; give a mask with the extents of the array's first axes");
  }
  Array places = functions::flat_nonzero(mask);
  Array copy = functions::gather(functions::merged(a, axes), places, 0);
  return {std::move(copy), a, std::move(places), axes, mask};
}

/// One value for all elements where the mask is true: their places are not needed.
void write_masked(const Array& a, const Array& mask, const Array& value) {
  static const Ufunc same = vectorize({.name = "put_masked", .signatures = {"T(T x)"}, .body = "return x;"});
  Shape shape = mask.shape();
  shape.resize(a.shape().size());
  for (std::size_t i = mask.shape().size(); i < shape.size(); ++i) shape[i] = 1;
  same({value.reshape({})}, {.out = a, .where = mask.reshape(shape), .device = functions::moved_on(a)});
}

/// The arrays of indices: a mask is those of the elements that are true.
std::vector<Array> indices_of(std::span<const Array> which, const Shape& shape) {
  std::vector<Array> indices;
  for (const Array& each : which) {
    if (each.dtype() != DType::bool_) {
      indices.push_back(each);
      continue;
    }
    const std::size_t first = indices.size();
    const auto axes = static_cast<std::size_t>(each.ndim());
    if (axes == 0 || first + axes > shape.size() || each.shape() != Shape(std::span(shape.data() + first, axes))) {
      throw Because<ShapeError>(
          Reason::index,
          fmt::format("a[indices]: the mask has shape {}, and begins at axis {} of the array of shape {}; give one "
                      "with the extents of the axes from there on",
                      to_string(each.shape()), first, to_string(shape)));
    }
    for (Array& axis : nonzero(each)) indices.push_back(std::move(axis));
  }
  if (indices.size() > shape.size()) {
    throw Because<ShapeError>(
        Reason::index,
        fmt::format("a[indices]: there are indices for {} axes, and the array has shape {}", indices.size(), to_string(shape)));
  }
  return indices;
}

/// Adds indices of an axis to the places along the axes before it.
Array joined(const Array& places, const Array& indices, std::int64_t extent, std::int64_t step) {
  static const Ufunc join = vectorize({.name = "join_indices",
                                       .signatures = {"int64(int64 place, int64 index, int64 extent, int64 step)"},
                                       .body = "return place + (index < 0 ? index + extent : index) * step;"});
  return join({places, indices, extent, step}, {.device = functions::moved_on(indices)});
}

/// Whether the first axes are one without a copy.
bool merges(const Array& a, std::size_t axes) {
  std::int64_t below = 0;  // stride of the last axis of more than one element
  for (std::size_t i = axes; i-- > 0;) {
    const std::int64_t extent = a.shape()[i];
    if (extent == 1) continue;
    if (below != 0 && a.strides()[i] != below) return false;
    below = a.strides()[i] * extent;
    if (below == 0) return false;
  }
  return true;
}

/// The array with its first axes as one that has every element of memory between theirs.
Array spread(const Array& a, std::size_t axes, std::int64_t& first) {
  const auto item = static_cast<std::int64_t>(itemsize(a.dtype()));
  std::int64_t low = 0, high = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t last = (a.shape()[i] - 1) * (a.strides()[i] / item);
    (last < 0 ? low : high) += last;
  }
  Shape shape{high - low + 1};
  Strides strides{item};
  for (std::size_t i = axes; i < a.shape().size(); ++i) {
    shape.push_back(a.shape()[i]);
    strides.push_back(a.strides()[i]);
  }
  first = -low;
  detail::ArrayRep rep = detail::view_rep(a);
  rep.data += low * item;
  rep.shape = std::move(shape);
  rep.strides = std::move(strides);
  return detail::make_array(std::move(rep));
}

/// The elements at places that are checked, an array of them for each of the first axes.
Array gather_along(const Array& a, const std::vector<Array>& indices, const Array& places, const Shape& loop) {
  const std::size_t axes = indices.size();
  if (a.size() == 0 || places.size() == 0) {
    Shape shape = loop;
    for (std::size_t i = axes; i < a.shape().size(); ++i) shape.push_back(a.shape()[i]);
    return a.is_host() ? Array::empty(shape, a.dtype()) : device_array(shape, a.dtype(), a.device());
  }
  const auto item = static_cast<std::int64_t>(itemsize(a.dtype()));
  const bool whole =
      std::all_of(a.strides().begin(), a.strides().end(), [&](std::int64_t stride) { return stride % item == 0; });
  if (!whole || merges(a, axes)) return functions::gather(functions::merged(a, axes), places, 0);
  std::int64_t first = 0;
  const Array flat = spread(a, axes, first);
  Array offsets = Array::scalar(first);
  for (std::size_t i = 0; i < axes; ++i) offsets = joined(offsets, indices[i], a.shape()[i], a.strides()[i] / item);
  return functions::gather(flat, offsets, 0);
}

}  // namespace

Selection Array::select(std::span<const Array> which) const {
  if (which.size() == 1) return (*this)[which[0]];
  std::vector<Array> indices = indices_of(which, shape());
  if (indices.empty()) throw ShapeError("a[indices]: there are no indices; give an array for each of the first axes");
  Shape loop;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (layout::broadcast_into(loop, indices[i].shape())) continue;
    std::string shapes;
    for (const Array& each : indices) shapes += (shapes.empty() ? "" : ", ") + to_string(each.shape());
    throw Because<ShapeError>(Reason::index, "a[indices]: the indices of shapes " + shapes +
                                                 " do not broadcast; extents must be equal or 1, counted from the last axis");
  }
  const bool none = std::find(loop.begin(), loop.end(), 0) != loop.end();
  Array places = Array::scalar(std::int64_t{0});
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t extent = shape()[i];
    // Indices that select nothing may be out of range, as in NumPy.
    if (none) indices[i] = indices[i].broadcast_to(loop);
    indices[i] = functions::checked_places(fmt::format("a[indices], axis {}", i).c_str(), indices[i], extent, IndexMode::raise);
    std::int64_t step = 1;
    for (std::size_t k = i + 1; k < indices.size(); ++k) step *= shape()[k];
    places = joined(places, indices[i], extent, step);
  }
  Array copy = gather_along(*this, indices, places, loop);
  return {std::move(copy), *this, std::move(places), indices.size(), Array()};
}

Selection Array::operator[](const Array& which) const {
  if (which.dtype() == DType::bool_) return masked(*this, which);
  if (ndim() == 0) throw ShapeError("a[indices]: a 0-d array has no axis to count along");
  Array places = functions::checked_places("a[indices]", which, shape()[0], IndexMode::raise);
  Array copy = functions::gather(*this, places, 0);
  return {std::move(copy), *this, std::move(places), 1, Array()};
}

void Selection::put(const Array& values) const {
  constexpr const char* kWhat = "a[which] = b";
  if (!mask_.valid() || values.size() != 1) return functions::scatter(kWhat, base_, axes_, places_, values);
  write_masked(base_, mask_, functions::writable(kWhat, base_, values));
}

void Selection::put_value(DType dtype, const void* value) const {
  const Array filled = Array::empty({}, base_.dtype());
  with_type(dtype, [&]<class T>(T* /*type*/) { filled.fill(*static_cast<const T*>(value)); });
  put(filled);
}

void Selection::operator+=(const Arg& b) && {
  math::add(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator-=(const Arg& b) && {
  math::subtract(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator*=(const Arg& b) && {
  math::multiply(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator/=(const Arg& b) && {
  math::divide(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator%=(const Arg& b) && {
  math::remainder(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator&=(const Arg& b) && {
  math::bitwise_and(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator|=(const Arg& b) && {
  math::bitwise_or(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator^=(const Arg& b) && {
  math::bitwise_xor(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator<<=(const Arg& b) && {
  math::left_shift(*this, b, {.out = *this});
  put(*this);
}
void Selection::operator>>=(const Arg& b) && {
  math::right_shift(*this, b, {.out = *this});
  put(*this);
}

}  // namespace kiln
