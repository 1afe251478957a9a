#include "layout/squeeze.hpp"

#include <algorithm>
#include <cstdint>

namespace kiln::layout {

bool has_ones(const Shape& shape) noexcept {
  return std::find(shape.begin(), shape.end(), 1) != shape.end();
}

Squeezed::Squeezed(const Shape& shape, std::span<Operand> operands) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    shape_.push_back(shape[axis]);
    axes_.push_back(static_cast<std::int64_t>(axis));
  }
  if (operands.size() > kInlineOperands) more_.resize(operands.size() - kInlineOperands);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Operand& operand = operands[k];
    if (operand.shape == nullptr) continue;
    Strides& strides = k < kInlineOperands ? inline_[k] : more_[k - kInlineOperands];
    strides.resize(axes_.size());
    const std::size_t missing = shape.size() - operand.shape->size();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const auto axis = static_cast<std::size_t>(axes_[i]);
      if (axis < missing || (*operand.shape)[axis - missing] == 1) continue;  // broadcast: 0
      strides[i] = (*operand.strides)[axis - missing];
    }
    operand.shape = &shape_;
    operand.strides = &strides;
  }
}

// Sorting puts an axis right behind one that it moves past, or leaves it in front of all that are sorted. Axes of extent 1
// never move, so that each stays right in front of the axis that was the first when its turn came.
std::vector<int> unsqueezed_order(std::size_t ndim, const Dims& axes, std::span<const int> order) {
  std::vector<bool> is_left(ndim, false);
  for (const std::int64_t axis : axes) is_left[static_cast<std::size_t>(axis)] = true;
  std::vector<int> all;
  all.reserve(ndim);
  std::size_t next = 0;  // the first axis of extent 1 that has no place yet
  const auto place_before = [&](std::size_t end) {
    for (; next < end; ++next) {
      if (!is_left[next]) all.push_back(static_cast<int>(next));
    }
  };
  for (const int each : order) {
    const std::int64_t axis = axes[static_cast<std::size_t>(each)];
    place_before(static_cast<std::size_t>(axis));
    all.push_back(static_cast<int>(axis));
  }
  place_before(ndim);
  return all;
}

}  // namespace kiln::layout
