// Broadcasting of shapes, by NumPy's rules.
#pragma once

#include <span>
#include <string>

#include "kiln/shape.hpp"

namespace kiln::layout {

/// Widens `shape` so that `other` broadcasts with it. False where an extent neither matches nor is 1; `shape` is then
/// unspecified.
[[nodiscard]] bool broadcast_into(Shape& shape, const Shape& other);

/// Whether an array of shape `from` can be read as one of shape `to`.
[[nodiscard]] bool broadcasts_to(const Shape& from, const Shape& to) noexcept;

/// The strides of an array of shape `from` read as one of shape `to`, to which it broadcasts.
[[nodiscard]] Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

}  // namespace kiln::layout
