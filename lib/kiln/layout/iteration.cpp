#include "layout/iteration.hpp"

#include <cstdlib>

namespace kiln::layout {
namespace {

/// Stride of an operand along loop axis `axis` of `ndim`: 0 where it is broadcast, and where the loop has one step anyway.
std::int64_t loop_stride(const Operand& operand, int axis, int ndim, std::int64_t extent) noexcept {
  const int own = axis - (ndim - static_cast<int>(operand.shape->size()));
  if (own < 0 || extent == 1) return 0;
  const auto i = static_cast<std::size_t>(own);
  return (*operand.shape)[i] == 1 ? 0 : (*operand.strides)[i];
}

}  // namespace

Iteration::Iteration(std::int64_t size, std::span<const Operand> operands) : rank_(1), ndim_(0), size_(size) {
  numbers_[0] = size;
  for (std::size_t i = 0; i < operands.size(); ++i) numbers_[i + 1] = operands[i].itemsize;
}

Iteration::Iteration(const Shape& shape, std::span<const Operand> operands) : ndim_(static_cast<int>(shape.size())), size_(1) {
  const auto dims = shape.size();
  const std::size_t count = operands.size();
  // Scratch holds the unmerged loop in original axis order: one row of strides for each operand.
  std::array<std::int64_t, kInlineNumbers> scratch_inline;
  std::unique_ptr<std::int64_t[]> scratch_heap;
  std::int64_t* scratch = scratch_inline.data();
  if (dims * (count + 1) > kInlineNumbers) {
    scratch_heap = std::make_unique<std::int64_t[]>(dims * (count + 1));
    scratch = scratch_heap.get();
    heap_ = std::make_unique<std::int64_t[]>((dims + 1) * (count + 1));
  }
  if (dims > kInlineAxes) heap_order_ = std::make_unique<int[]>(dims);
  int* order = heap_order_ ? heap_order_.get() : order_.data();
  const auto stride = [&](std::size_t operand, int axis) -> std::int64_t& {
    return scratch[operand * dims + static_cast<std::size_t>(axis)];
  };

  bool allocates = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (operands[i].shape == nullptr) {
      allocates = true;
      continue;
    }
    for (int axis = 0; axis < ndim_; ++axis)
      stride(i, axis) = loop_stride(operands[i], axis, ndim_, shape[static_cast<std::size_t>(axis)]);
  }
  for (const std::int64_t extent : shape) size_ *= extent;

  // Insertion sort as in NumPy's nditer: an axis moves inwards only where some operand has a smaller stride there and none
  // disagrees, so that ties and conflicts keep C order. Operands that disagree make the comparison intransitive: only the same
  // order of steps, from the innermost axis out, gives the same answer.
  for (int i = 0; i < ndim_; ++i) order[i] = i;
  for (int i = ndim_ - 2; i >= 0; --i) {
    int place = i;
    for (int j = i + 1; j < ndim_; ++j) {
      bool decided = false;
      bool swap = false;
      for (std::size_t k = 0; k < count && !(decided && !swap); ++k) {
        if (operands[k].shape == nullptr) continue;
        const std::int64_t outer = std::abs(stride(k, order[i]));
        const std::int64_t inner = std::abs(stride(k, order[j]));
        if (inner == 0 || outer == 0) continue;
        swap = inner > outer;
        decided = true;
      }
      if (!decided) continue;
      if (!swap) break;
      place = j;
    }
    const int moved = order[i];
    for (int j = i; j < place; ++j) order[j] = order[j + 1];
    order[place] = moved;
  }

  // An allocated output is packed along the sorted axes.
  for (std::size_t i = 0; i < count && allocates; ++i) {
    if (operands[i].shape != nullptr) continue;
    std::int64_t step = operands[i].itemsize;
    for (int j = ndim_ - 1; j >= 0; --j) {
      const std::int64_t extent = shape[static_cast<std::size_t>(order[j])];
      stride(i, order[j]) = extent == 1 ? 0 : step;
      step *= extent;
    }
  }

  // An axis along which every operand runs backwards (or stands) is walked from its other end.
  if (!allocates) {
    for (int axis = 0; axis < ndim_; ++axis) {
      bool backwards = false;
      bool forwards = false;
      for (std::size_t i = 0; i < count; ++i) {
        backwards |= stride(i, axis) < 0;
        forwards |= stride(i, axis) > 0;
      }
      if (!backwards || forwards) continue;
      if (!flipped_) offsets_.fill(0);
      flipped_ = true;
      for (std::size_t i = 0; i < count; ++i) {
        offsets_[i] += stride(i, axis) * (shape[static_cast<std::size_t>(axis)] - 1);
        stride(i, axis) = -stride(i, axis);
      }
    }
  }

  // Merge from the inside out: `head` is the axis of `order` that the growing dimension starts with.
  std::array<int, kInlineAxes> kept_inline;
  std::unique_ptr<int[]> kept_heap;
  int* innermost = kept_inline.data();  // for each merged dimension, innermost first, the axis that gives its strides
  std::array<std::int64_t, kInlineAxes> merged_inline;
  std::unique_ptr<std::int64_t[]> merged_heap;
  std::int64_t* merged = merged_inline.data();
  if (dims > kInlineAxes) {
    kept_heap = std::make_unique<int[]>(dims);
    innermost = kept_heap.get();
    merged_heap = std::make_unique<std::int64_t[]>(dims);
    merged = merged_heap.get();
  }
  rank_ = 0;
  for (int j = ndim_ - 1; j >= 0; --j) {
    const int axis = order[j];
    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
    if (extent == 1) continue;
    bool merges = rank_ > 0;
    for (std::size_t i = 0; i < count && merges; ++i) {
      merges = stride(i, axis) == stride(i, innermost[rank_ - 1]) * merged[rank_ - 1];
    }
    if (merges) {
      merged[rank_ - 1] *= extent;
    } else {
      innermost[rank_] = axis;
      merged[rank_] = extent;
      ++rank_;
    }
  }
  std::int64_t* numbers = extents();
  if (rank_ == 0) {
    rank_ = 1;
    numbers[0] = 1;
    for (std::size_t i = 0; i < count; ++i) numbers[i + 1] = operands[i].itemsize;
    return;
  }
  const auto rank = static_cast<std::size_t>(rank_);
  for (std::size_t d = 0; d < rank; ++d) {
    numbers[rank - 1 - d] = merged[d];
    for (std::size_t i = 0; i < count; ++i) numbers[(i + 1) * rank + (rank - 1 - d)] = stride(i, innermost[d]);
  }
}

}  // namespace kiln::layout
