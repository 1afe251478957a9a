// The loop over a call's elements: axes sorted by stride, flipped where all run backwards, those of extent 1 dropped, and those
// that lie behind one another merged. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "kiln/shape.hpp"

namespace kiln::layout {

/// An operand before the loop is made: a null shape stands for an output that is yet to be allocated.
struct Operand {
  const Shape* shape = nullptr;
  const Strides* strides = nullptr;
  std::int64_t itemsize = 0;
};

/// The merged loop. Strides are in bytes, outermost dimension first; an operand's row is strides(i).
class Iteration {
 public:
  /// Every given operand must broadcast to `shape`, none of whose extents is 0. Outputs to be allocated lie packed in the order
  /// of the loop's axes: memory_order() tells allocate() how.
  Iteration(const Shape& shape, std::span<const Operand> operands);
  /// One dimension, for operands that are all packed alike: contiguous, or a single element.
  Iteration(std::int64_t size, std::span<const Operand> operands);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::int64_t> shape() const noexcept { return {extents(), static_cast<std::size_t>(rank_)}; }
  [[nodiscard]] std::span<const std::int64_t> strides(std::size_t operand) const noexcept {
    return {extents() + rank_ * static_cast<std::ptrdiff_t>(operand + 1), static_cast<std::size_t>(rank_)};
  }
  [[nodiscard]] std::int64_t inner_stride(std::size_t operand) const noexcept {
    return strides(operand)[static_cast<std::size_t>(rank_ - 1)];
  }
  /// Bytes to add to an operand's address because axes were flipped; 0 as a rule.
  [[nodiscard]] std::int64_t offset(std::size_t operand) const noexcept { return flipped_ ? offsets_[operand] : 0; }
  /// The axes of the unmerged loop, outermost first.
  [[nodiscard]] std::span<const int> memory_order() const noexcept { return {order(), static_cast<std::size_t>(ndim_)}; }

 private:
  static constexpr std::size_t kInlineNumbers = 96;
  static constexpr std::size_t kInlineAxes = 16;
  [[nodiscard]] const std::int64_t* extents() const noexcept { return heap_ ? heap_.get() : numbers_.data(); }
  [[nodiscard]] std::int64_t* extents() noexcept { return heap_ ? heap_.get() : numbers_.data(); }
  [[nodiscard]] const int* order() const noexcept { return heap_order_ ? heap_order_.get() : order_.data(); }

  int rank_ = 0;
  int ndim_ = 0;
  std::int64_t size_ = 0;
  bool flipped_ = false;
  std::array<std::int64_t, kInlineNumbers> numbers_;  // extents, then each operand's strides
  std::array<int, kInlineAxes> order_;
  std::unique_ptr<std::int64_t[]> heap_;
  std::unique_ptr<int[]> heap_order_;
  std::array<std::int64_t, 32> offsets_;
};

}  // namespace kiln::layout
