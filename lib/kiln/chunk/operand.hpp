// An array of a chunked call: which of its axes are which of the loop's, and the part of it that a box takes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chunk/cut.hpp"
#include "kiln/array.hpp"

namespace kiln::chunk {

class Operand {
 public:
  /// `axes`: for each axis of the loop the array's; -1 where it has none, or one that is repeated.
  Operand(Array array, Dims axes) : array_(std::move(array)), axes_(std::move(axes)) {}

  [[nodiscard]] const Array& array() const noexcept { return array_; }
  /// A view.
  [[nodiscard]] Array at(const Box& box) const;
  /// Whether boxes take different parts.
  [[nodiscard]] bool is_cut_by(const Cut& cut) const noexcept;
  /// Bytes along an axis of the loop from one index to the next, without the sign; 0 where it has none.
  [[nodiscard]] std::int64_t stride(std::size_t loop_axis) const;

 private:
  Array array_;
  Dims axes_;
};

/// The operand's axes are the loop's last ones, as arrays broadcast.
[[nodiscard]] Operand broadcast_operand(const Array& array, const Shape& loop);

/// 0, 1, … of a loop.
[[nodiscard]] std::vector<std::size_t> all_axes_of(const Shape& loop);

/// The axes of `among`, the outermost in memory first: by the strides of the largest of the operands.
[[nodiscard]] std::vector<std::size_t> memory_order(std::vector<std::size_t> among, std::span<const Operand> operands);

/// Bytes of all elements. The shapes of the arrays count, not what they are repeated to.
[[nodiscard]] std::int64_t bytes_of(std::span<const Operand> operands);

}  // namespace kiln::chunk
