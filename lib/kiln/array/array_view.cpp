#include "kiln/array_view.hpp"

#include <string>

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::detail {

std::int64_t checked_index(std::int64_t index, std::size_t axis, const Shape& shape) {
  const std::int64_t extent = shape[axis];
  if (index < -extent || index >= extent) {
    throw Because<ShapeError>(Reason::index, "index " + std::to_string(index) + " is out of bounds for axis " +
                                                 std::to_string(axis) + " of shape " + to_string(shape));
  }
  return index < 0 ? index + extent : index;
}

void fail_index_count(std::size_t given, const Shape& shape) {
  throw ShapeError("an element of an array of shape " + to_string(shape) + " takes " + std::to_string(shape.size()) +
                   (shape.size() == 1 ? " index, " : " indices, ") + std::to_string(given) +
                   (given == 1 ? " was given" : " were given"));
}

void mdspan_strides(const Shape& shape, const Strides& strides, std::size_t itemsize, std::size_t rank,
                    std::int64_t* in_elements) {
  if (shape.size() != rank) {
    throw ShapeError("mdspan<Rank>(): Rank is " + std::to_string(rank) + ", the array of shape " + to_string(shape) + " has " +
                     std::to_string(shape.size()) + " axes");
  }
  const auto item = static_cast<std::int64_t>(itemsize);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // The stride of an axis of one element means nothing, and may be one that a std::layout_stride has not.
    in_elements[axis] = shape[axis] <= 1 ? 1 : strides[axis] / item;
    if (shape[axis] > 1 && (strides[axis] <= 0 || strides[axis] % item != 0)) {
      throw ShapeError("mdspan<Rank>(): stride " + std::to_string(strides[axis]) + " of axis " + std::to_string(axis) +
                       " is not a positive multiple of the item size, " + std::to_string(item) + ": copy() the array");
    }
  }
}

}  // namespace kiln::detail
