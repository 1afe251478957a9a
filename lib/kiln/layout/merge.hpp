// Fewer dimensions for loops that must keep the C order, where iteration.hpp would sort them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kiln/shape.hpp"

namespace kiln::layout {

struct Merged {
  std::vector<std::int64_t> shape;                 ///< never empty
  std::vector<std::vector<std::int64_t>> strides;  ///< bytes, of each operand
};

/// Drops extents of 1 and joins neighbours that lie behind one another in every operand. What has no dimension left gets one
/// of extent 1.
[[nodiscard]] Merged merge_in_order(std::span<const std::int64_t> shape, std::span<const Strides> strides);

/// The strides of an array of shape `from` read as one of shape `to`, to which it broadcasts.
[[nodiscard]] Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

}  // namespace kiln::layout
