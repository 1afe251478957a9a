// The loop over a call's elements: axes sorted by stride, flipped where all run backwards, those of extent 1 dropped, and those
// that lie behind one another merged. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kiln/shape.hpp"
#include "layout/axes.hpp"

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
  /// of the loop's axes: memory_order() tells allocate() how. `in_order` keeps C order: axes are neither sorted nor flipped.
  Iteration(const Shape& shape, std::span<const Operand> operands, bool in_order = false);
  /// One dimension, for operands that are all packed alike: contiguous, or a single element.
  Iteration(std::int64_t size, std::span<const Operand> operands);

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(axes_.rank()); }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::int64_t> shape() const noexcept { return axes_.extents(); }
  [[nodiscard]] std::span<const std::int64_t> strides(std::size_t operand) const noexcept { return axes_.strides(operand); }
  [[nodiscard]] std::int64_t inner_stride(std::size_t operand) const noexcept {
    return axes_.stride(operand, axes_.rank() - 1);
  }
  /// Bytes to add to an operand's address because axes were flipped; 0 as a rule.
  [[nodiscard]] std::int64_t offset(std::size_t operand) const noexcept { return axes_.offset(operand); }
  /// The axes of the unmerged loop, outermost first.
  [[nodiscard]] std::span<const int> memory_order() const noexcept { return axes_.order(); }

 private:
  void one_dimension(std::int64_t size, std::span<const Operand> operands) noexcept;
  void pack_fresh(std::span<const Operand> operands) noexcept;

  Axes axes_;
  std::int64_t size_ = 0;
};

}  // namespace kiln::layout
