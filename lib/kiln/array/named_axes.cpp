#include "array/named_axes.hpp"

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::detail {

Dims named_axes(base::FunctionRef<std::string()> what, const Axes& axes, const Shape& shape) {
  const auto ndim = static_cast<int>(shape.size());
  Dims named(shape.size(), axes.is_all() ? 1 : 0);
  bool scalar_axis = false;
  for (const int axis : axes.list()) {
    const int counted = axis < 0 ? axis + ndim : axis;
    // A 0-d array has one place to reduce nothing along, as NumPy has it.
    if (ndim == 0 && (axis == 0 || axis == -1) && !scalar_axis) {
      scalar_axis = true;
      continue;
    }
    if (ndim != 0 && (counted < 0 || counted >= ndim)) {
      throw Because<ShapeError>(Reason::axis, what() + ": axis " + std::to_string(axis) +
                                                  " does not exist in an array of shape " + to_string(shape) + "; give " +
                                                  std::to_string(-ndim) + " to " + std::to_string(ndim - 1));
    }
    if (ndim == 0 && axis != 0 && axis != -1) {
      throw Because<ShapeError>(Reason::axis, what() + ": axis " + std::to_string(axis) +
                                                  " does not exist in a 0-d array; give 0, -1 or kiln::all_axes");
    }
    std::int64_t* const place = ndim == 0 ? nullptr : &named[static_cast<std::size_t>(counted)];
    if (place == nullptr || *place != 0) {
      throw ShapeError(what() + ": axis " + std::to_string(axis) + " is named twice; name each axis once");
    }
    *place = 1;
  }
  return named;
}

std::vector<std::size_t> counted_axes(base::FunctionRef<std::string()> what, const Axes& axes, const Shape& shape) {
  const Dims named = named_axes(what, axes, shape);
  std::vector<std::size_t> counted;
  if (axes.is_all()) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) counted.push_back(axis);
  } else if (!shape.empty()) {
    for (const int axis : axes.list())
      counted.push_back(static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis));
  }
  return counted;
}

std::size_t counted_axis(base::FunctionRef<std::string()> what, int axis, const Shape& shape) {
  if (shape.empty()) throw Because<ShapeError>(Reason::axis, what() + ": a 0-d array has no axis " + std::to_string(axis));
  return counted_axes(what, axis, shape).front();
}

}  // namespace kiln::detail
