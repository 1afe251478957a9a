#include "layout/reduction.hpp"

#include <algorithm>
#include <cstdlib>

namespace kiln::layout {

Reduction::Reduction(const Request& request) : operands_(request.strides.size()) {
  const std::size_t axes = request.shape.size();
  const std::size_t rows = operands_ + 1;
  // Scratch: the order of the axes, then extents and strides of what they merge to, before the ranks are known.
  std::array<std::int64_t, 2 * kInline> scratch_inline;
  std::unique_ptr<std::int64_t[]> scratch_heap;
  std::int64_t* scratch = scratch_inline.data();
  if (axes * (rows + 1) + operands_ > scratch_inline.size()) {
    scratch_heap = std::make_unique<std::int64_t[]>(axes * (rows + 1) + operands_);
    scratch = scratch_heap.get();
  }
  std::int64_t* const order = scratch;
  std::int64_t* const merged = scratch + axes;  // [dimension][extent, strides…]
  std::int64_t* const offsets = merged + axes * rows;
  std::fill_n(offsets, operands_, 0);
  const auto stride = [&](std::size_t operand, std::int64_t axis) { return request.strides[operand][axis]; };
  std::size_t dimensions = 0;
  for (const bool is_reduced : {false, true}) {
    std::size_t count = 0;
    std::int64_t& product = is_reduced ? count_ : outputs_;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if ((request.reduced[axis] != 0) != is_reduced) continue;
      product *= request.shape[axis];
      if (request.shape[axis] != 1) order[count++] = static_cast<std::int64_t>(axis);
    }
    // Outermost first: by the first operand that moves along both axes; else as they stand.
    const auto inside = [&](std::int64_t a, std::int64_t b) {
      for (std::size_t k = 0; k < operands_; ++k) {
        const std::int64_t x = std::abs(stride(k, a));
        const std::int64_t y = std::abs(stride(k, b));
        if (x != 0 && y != 0 && x != y) return x < y;
      }
      return false;
    };
    const bool fixed = is_reduced && request.in_order;
    for (std::size_t i = 1; i < count && !fixed; ++i) {
      for (std::size_t j = i; j > 0 && inside(order[j - 1], order[j]); --j) std::swap(order[j - 1], order[j]);
    }
    const std::size_t first = dimensions;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t axis = order[i];
      const std::int64_t extent = request.shape[static_cast<std::size_t>(axis)];
      std::int64_t* const row = merged + dimensions * rows;
      bool backwards = false;
      bool forwards = false;
      for (std::size_t k = 0; k < operands_; ++k) {
        if (static_cast<std::ptrdiff_t>(k) == request.index) continue;
        backwards |= stride(k, axis) < 0;
        forwards |= stride(k, axis) > 0;
      }
      const bool flip = backwards && !forwards && !fixed && !(is_reduced && request.forwards);
      row[0] = extent;
      for (std::size_t k = 0; k < operands_; ++k) {
        row[k + 1] = flip ? -stride(k, axis) : stride(k, axis);
        if (flip) offsets[k] += stride(k, axis) * (extent - 1);
      }
      bool merges = dimensions > first;
      std::int64_t* const outer = row - rows;
      for (std::size_t k = 0; k < operands_ && merges; ++k) merges = outer[k + 1] == row[k + 1] * extent;
      if (!merges) {
        ++dimensions;
        continue;
      }
      outer[0] *= extent;
      std::copy_n(row + 1, operands_, outer + 1);
    }
    (is_reduced ? reduced_ : kept_) = dimensions - first;
  }
  if (dimensions * rows + operands_ > kInline) heap_ = std::make_unique<std::int64_t[]>(dimensions * rows + operands_);
  std::int64_t* const to = heap_ ? heap_.get() : inline_.data();
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t row = 0; row < rows; ++row) to[row * dimensions + d] = merged[d * rows + row];
  }
  std::copy_n(offsets, operands_, to + dimensions * rows);
}

std::int64_t Reduction::offset(std::size_t operand) const noexcept {
  return numbers()[(kept_ + reduced_) * (operands_ + 1) + operand];
}

bool Reduction::columns_inside() const noexcept {
  if (kept_ == 0 || reduced_ == 0) return reduced_ == 0;
  for (std::size_t k = 0; k < operands_; ++k) {
    const std::int64_t* const own = strides(k);
    const std::int64_t x = std::abs(own[kept_ - 1]);
    const std::int64_t y = std::abs(own[kept_ + reduced_ - 1]);
    if (x != 0 && y != 0) return x < y;
  }
  return false;
}

}  // namespace kiln::layout
