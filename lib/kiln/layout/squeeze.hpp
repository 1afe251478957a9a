// A loop without its axes of extent 1, which cost every later step as much as others and move nothing. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kiln/shape.hpp"
#include "layout/iteration.hpp"

namespace kiln::layout {

/// Whether an extent is 1.
[[nodiscard]] bool has_ones(const Shape& shape) noexcept;

/// The axes that are left, and the operands along them.
class Squeezed {
 public:
  /// The operands broadcast to the shape. They are rewritten, and then point into this object.
  Squeezed(const Shape& shape, std::span<Operand> operands);
  Squeezed(const Squeezed&) = delete;
  Squeezed& operator=(const Squeezed&) = delete;

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  /// The axes of the loop that are left, ascending.
  [[nodiscard]] const Dims& axes() const noexcept { return axes_; }

 private:
  static constexpr std::size_t kInlineOperands = 8;
  Shape shape_;
  Dims axes_;
  std::array<Strides, kInlineOperands> inline_;
  std::vector<Strides> more_;
};

/// Iteration::memory_order() of the whole loop of `ndim` axes, from that of the axes that are left: `order` numbers those. Axes
/// of extent 1 stand where NumPy's sorting leaves them.
[[nodiscard]] std::vector<int> unsqueezed_order(std::size_t ndim, const Dims& axes, std::span<const int> order);

}  // namespace kiln::layout
