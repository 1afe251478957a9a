// The two loops of a reduction: over the axes that the result keeps and over those that are reduced, each sorted by stride,
// those of extent 1 dropped and those that lie behind one another merged. Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "layout/axes.hpp"

namespace kiln::layout {

/// The segments of an axis.
struct SegmentLengths {
  std::int64_t segments = 1;
  std::int64_t elements = 0;  ///< of all of them; segments may have some in common
  std::int64_t longest = 0;   ///< elements of it
  friend auto operator<=>(const SegmentLengths&, const SegmentLengths&) = default;
};

class Reduction {
 public:
  struct Request {
    std::span<const std::int64_t> shape;           ///< of the array
    std::span<const std::int64_t> reduced;         ///< of each axis: not 0 where it is reduced
    std::span<const std::int64_t* const> strides;  ///< bytes, for each operand, one for each axis; 0 where it repeats
    bool in_order = false;                         ///< reduced axes are neither moved nor walked backwards
    bool forwards = false;                         ///< they may be moved, but not walked backwards
    std::ptrdiff_t index = -1;                     ///< the operand that follows the others: it does not say which way to walk
  };
  explicit Reduction(const Request& request);

  [[nodiscard]] std::span<const std::int64_t> kept() const noexcept { return axes_.extents().first(kept_); }
  [[nodiscard]] std::span<const std::int64_t> reduced() const noexcept { return axes_.extents().subspan(kept_); }
  /// Bytes: of the kept dimensions, then of the reduced ones.
  [[nodiscard]] const std::int64_t* strides(std::size_t operand) const noexcept { return axes_.strides(operand).data(); }
  [[nodiscard]] std::int64_t outputs() const noexcept { return outputs_; }  ///< product of kept()
  /// Product of reduced(); of the array where that is empty.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Bytes to add to an operand's address because axes are walked backwards.
  [[nodiscard]] std::int64_t offset(std::size_t operand) const noexcept { return axes_.offset(operand); }
  /// Whether the innermost kept dimension is nearer in memory than the innermost reduced one, for the first operand that moves
  /// along both.
  [[nodiscard]] bool columns_inside() const noexcept;

 private:
  Axes axes_;  // kept, then reduced
  std::size_t kept_ = 0;
  std::int64_t outputs_ = 1;
  std::int64_t count_ = 1;
};

}  // namespace kiln::layout
