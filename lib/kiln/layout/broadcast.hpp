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

}  // namespace kiln::layout
