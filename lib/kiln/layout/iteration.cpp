#include "layout/iteration.hpp"

#include <algorithm>

namespace kiln::layout {
namespace {

/// Stride of an operand along loop axis `axis` of `ndim`: 0 where it is broadcast, and where the loop has one step anyway.
std::int64_t loop_stride(const Operand& operand, std::size_t axis, std::size_t ndim, std::int64_t extent) noexcept {
  const std::size_t missing = ndim - operand.shape->size();
  if (axis < missing || extent == 1) return 0;
  const std::size_t own = axis - missing;
  return (*operand.shape)[own] == 1 ? 0 : (*operand.strides)[own];
}

}  // namespace

Iteration::Iteration(std::int64_t size, std::span<const Operand> operands) : axes_(1, operands.size()), size_(size) {
  one_dimension(size, operands);
}

Iteration::Iteration(const Shape& shape, std::span<const Operand> operands, bool in_order)
    : axes_(std::max<std::size_t>(shape.size(), 1), operands.size()), size_(1) {
  const std::size_t ndim = shape.size();
  for (const std::int64_t extent : shape) {
    axes_.append(extent);
    size_ *= extent;
  }
  bool allocates = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool fresh = operands[k].shape == nullptr;
    allocates |= fresh;
    for (std::size_t axis = 0; axis < ndim; ++axis) {
      axes_.stride(k, axis) = fresh ? 0 : loop_stride(operands[k], axis, ndim, shape[axis]);
    }
  }
  if (!in_order) axes_.sort(Axes::Sort::all_agree);
  if (allocates) {
    pack_fresh(operands);
  } else if (!in_order) {
    axes_.flip();
  }
  axes_.merge();
  if (axes_.rank() == 0) one_dimension(1, operands);
}

void Iteration::one_dimension(std::int64_t size, std::span<const Operand> operands) noexcept {
  axes_.become_one(size);
  for (std::size_t k = 0; k < operands.size(); ++k) axes_.stride(k, 0) = operands[k].itemsize;
}

/// An allocated output is packed along the sorted axes.
void Iteration::pack_fresh(std::span<const Operand> operands) noexcept {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].shape != nullptr) continue;
    std::int64_t step = operands[k].itemsize;
    for (std::size_t axis = axes_.rank(); axis-- > 0;) {
      axes_.stride(k, axis) = axes_.extent(axis) == 1 ? 0 : step;
      step *= axes_.extent(axis);
    }
  }
}

}  // namespace kiln::layout
