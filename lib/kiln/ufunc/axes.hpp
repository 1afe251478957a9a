// The axes of a method, by number. Pure.
#pragma once

#include <string>

#include "base/function_ref.hpp"
#include "kiln/methods.hpp"
#include "kiln/shape.hpp"

namespace kiln::ufunc {

/// For each axis of an array of that shape whether it is named: 1 or 0. Of a 0-d array 0 and -1 name nothing. ShapeError, which
/// begins with `what`, for an axis that there is not or that is named twice.
[[nodiscard]] Dims named_axes(base::FunctionRef<std::string()> what, const Axes& axes, const Shape& shape);

}  // namespace kiln::ufunc
