// The axes of a call, by number. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "kiln/axes.hpp"
#include "kiln/shape.hpp"

namespace kiln::detail {

/// A function's name as what errors begin with, made where there is one.
inline auto named(const char* what) {
  return [what] { return std::string(what); };
}

/// For each axis of an array of that shape whether it is named: 1 or 0. Of a 0-d array 0 and -1 name nothing. ShapeError, which
/// begins with `what`, for an axis that there is not or that is named twice.
[[nodiscard]] Dims named_axes(base::FunctionRef<std::string()> what, const Axes& axes, const Shape& shape);

/// The axes in their order, counted from the beginning, by the same rules.
[[nodiscard]] std::vector<std::size_t> counted_axes(base::FunctionRef<std::string()> what, const Axes& axes,
                                                    const Shape& shape);

/// One axis of an array that has some, counted from the beginning.
[[nodiscard]] std::size_t counted_axis(base::FunctionRef<std::string()> what, int axis, const Shape& shape);

}  // namespace kiln::detail
