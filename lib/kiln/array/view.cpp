// Other windows on the same memory: slices, reshapes, transposes, broadcasts.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln {

using detail::ArrayRep;
using detail::rep_of;

namespace {

struct Range {
  std::int64_t start = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

// Python's slice.indices(), free of overflow.
Range resolve(const Slice& slice, std::int64_t extent) {
  if (slice.step == 0) throw ShapeError("a slice step is 0: use a positive or a negative number");
  const std::int64_t step = std::max(slice.step, -std::numeric_limits<std::int64_t>::max());
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto clip = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + extent : position, lowest, highest);
  };
  Range range;
  range.step = step;
  range.start = slice.start ? clip(*slice.start) : (step > 0 ? lowest : highest);
  const std::int64_t stop = slice.stop ? clip(*slice.stop) : (step > 0 ? highest : lowest);
  if (step > 0 && stop > range.start) range.count = (stop - range.start - 1) / step + 1;
  if (step < 0 && stop < range.start) range.count = (range.start - stop - 1) / -step + 1;
  return range;
}

// The shape with its -1 filled in.
Shape resolve(const Shape& wanted, const ArrayRep& rep) {
  const auto fail = [&](const std::string& why) {
    throw Because<ShapeError>(Reason::reshape, "cannot reshape an array of shape " + to_string(rep.shape) + " (" +
                                                   std::to_string(rep.size) + " elements) into " + to_string(wanted) + why);
  };
  Shape shape = wanted;
  std::size_t unknown = wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] >= 0) continue;
    if (wanted[i] != -1) fail(": extents are 0 or more, or -1 for the one to be found");
    if (unknown != wanted.size()) fail(": only one extent may be -1");
    unknown = i;
  }
  if (unknown == wanted.size()) {
    if (detail::checked_size(shape, static_cast<std::int64_t>(itemsize(rep.dtype))) != rep.size) fail("");
    return shape;
  }
  shape[unknown] = 1;
  const std::int64_t known = detail::checked_size(shape, static_cast<std::int64_t>(itemsize(rep.dtype)));
  if (known == 0 || rep.size % known != 0) fail("");
  shape[unknown] = rep.size / known;
  return shape;
}

// Strides that show the elements in the new shape without moving them, where there are any. Runs of old axes and of new ones
// with the same number of elements are matched; each old run must be evenly spaced. (NumPy: _attempt_nocopy_reshape.)
std::optional<Strides> strides_in_place(const ArrayRep& rep, const Shape& shape, Order order) {
  Dims old_shape;
  Dims old_strides;
  for (std::size_t i = 0; i < rep.shape.size(); ++i) {
    if (rep.shape[i] == 1) continue;
    old_shape.push_back(rep.shape[i]);
    old_strides.push_back(rep.strides[i]);
  }
  const auto item = static_cast<std::int64_t>(itemsize(rep.dtype));
  Strides strides(shape.size(), 0);
  std::size_t new_first = 0;
  std::size_t new_last = 1;
  std::size_t old_first = 0;
  std::size_t old_last = 1;
  while (new_first < shape.size() && old_first < old_shape.size()) {
    std::int64_t new_run = shape[new_first];
    std::int64_t old_run = old_shape[old_first];
    while (new_run != old_run) {
      if (new_run < old_run) {
        new_run *= shape[new_last++];
      } else {
        old_run *= old_shape[old_last++];
      }
    }
    for (std::size_t k = old_first; k + 1 < old_last; ++k) {
      const bool even = order == Order::c ? old_strides[k] == old_shape[k + 1] * old_strides[k + 1]
                                          : old_strides[k + 1] == old_shape[k] * old_strides[k];
      if (!even) return std::nullopt;
    }
    if (order == Order::c) {
      strides[new_last - 1] = old_strides[old_last - 1];
      for (std::size_t k = new_last - 1; k > new_first; --k) strides[k - 1] = strides[k] * shape[k];
    } else {
      strides[new_first] = old_strides[old_first];
      for (std::size_t k = new_first + 1; k < new_last; ++k) strides[k] = strides[k - 1] * shape[k - 1];
    }
    new_first = new_last++;
    old_first = old_last++;
  }
  // What is left has extent 1.
  std::int64_t last = new_first >= 1 ? strides[new_first - 1] : item;
  if (order == Order::fortran && new_first >= 1) last *= shape[new_first - 1];
  for (std::size_t k = new_first; k < shape.size(); ++k) strides[k] = last;
  return strides;
}

}  // namespace

Array Array::operator[](std::initializer_list<Index> index) const {
  return slice({index.begin(), index.size()});
}

Array Array::slice(std::span<const Index> index) const {
  ArrayRep rep = detail::view_rep(*this);
  const Shape shape = rep.shape;
  const Strides strides = rep.strides;
  if (index.size() > shape.size()) {
    throw ShapeError("too many indices: the array of shape " + to_string(shape) + " has " + std::to_string(shape.size()) +
                     " axes, " + std::to_string(index.size()) + " were given");
  }
  rep.shape.resize(0);
  rep.strides.resize(0);
  std::int64_t offset = 0;
  bool none = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i < index.size() && index[i].drops) {
      offset += detail::checked_index(index[i].position, i, shape) * strides[i];
      continue;
    }
    const Range range = resolve(i < index.size() ? index[i].slice : kiln::all, shape[i]);
    if (range.count > 0) offset += range.start * strides[i];
    none = none || range.count == 0;
    // Where at most one element is left the stride means nothing, and the product may not fit.
    std::int64_t stride = 0;
    if (__builtin_mul_overflow(strides[i], range.step, &stride)) stride = strides[i];
    rep.shape.push_back(range.count);
    rep.strides.push_back(stride);
  }
  if (!none) rep.data += offset;
  return detail::make_array(std::move(rep));
}

Array Array::reshape(const Shape& shape, Order order) const {
  const ArrayRep& old = rep_of(*this);
  const Shape target = resolve(shape, old);
  const auto item = static_cast<std::int64_t>(itemsize(old.dtype));
  std::optional<Strides> strides;
  if (order == Order::c ? old.c_contiguous : old.f_contiguous) {
    strides = detail::packed_strides(target, item, order);
  } else {
    strides = strides_in_place(old, target, order);
  }
  if (!strides) return copy(order).reshape(target, order);
  ArrayRep rep = detail::view_rep(*this);
  rep.shape = target;
  rep.strides = std::move(*strides);
  return detail::make_array(std::move(rep));
}

Array Array::ravel(Order order) const {
  const bool contiguous = order == Order::fortran ? is_f_contiguous() : is_c_contiguous();
  return (contiguous ? *this : copy(order)).reshape(Shape{size()}, order);
}

Array Array::transpose() const {
  ArrayRep rep = detail::view_rep(*this);
  std::reverse(rep.shape.begin(), rep.shape.end());
  std::reverse(rep.strides.begin(), rep.strides.end());
  return detail::make_array(std::move(rep));
}

Array Array::transpose(const Dims& axes) const {
  const ArrayRep& old = rep_of(*this);
  const auto rank = static_cast<std::int64_t>(old.shape.size());
  const auto message = [&](const std::string& why) {
    return "cannot transpose an array of shape " + to_string(old.shape) + " to axes " + to_string(axes) + ": " + why;
  };
  const auto fail = [&](const std::string& why) { throw ShapeError(message(why)); };
  if (axes.size() != old.shape.size()) {
    fail("it has " + std::to_string(rank) + " axes, " + std::to_string(axes.size()) + " were given");
  }
  ArrayRep rep = detail::view_rep(*this);
  std::vector<bool> seen(axes.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank) {
      throw Because<ShapeError>(Reason::axis, message("axis " + std::to_string(axes[i]) + " is out of range"));
    }
    const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    if (seen[axis]) fail("axis " + std::to_string(axis) + " stands twice");
    seen[axis] = true;
    rep.shape[i] = old.shape[axis];
    rep.strides[i] = old.strides[axis];
  }
  return detail::make_array(std::move(rep));
}

Array Array::broadcast_to(const Shape& shape) const {
  const ArrayRep& old = rep_of(*this);
  detail::checked_size(shape, static_cast<std::int64_t>(itemsize(old.dtype)));
  const auto fail = [&] {
    throw ShapeError("cannot broadcast an array of shape " + to_string(old.shape) + " to " + to_string(shape));
  };
  if (old.shape.size() > shape.size()) fail();
  const std::size_t added = shape.size() - old.shape.size();
  ArrayRep rep = detail::view_rep(*this);
  rep.shape = shape;
  rep.strides = Strides(shape.size(), 0);
  for (std::size_t i = 0; i < old.shape.size(); ++i) {
    if (old.shape[i] == shape[added + i]) {
      rep.strides[added + i] = old.strides[i];
    } else if (old.shape[i] != 1) {
      fail();
    }
  }
  rep.read_only = true;
  return detail::make_array(std::move(rep));
}

Array Array::as_read_only() const {
  if (rep_of(*this).read_only) return *this;
  ArrayRep rep = detail::view_rep(*this);
  rep.read_only = true;
  return detail::make_array(std::move(rep));
}

}  // namespace kiln
