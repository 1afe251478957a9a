// How a loop is cut into boxes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kiln/shape.hpp"

namespace kiln::chunk {

/// Indices [begin, end) along each axis of the loop.
struct Box {
  Dims begin;
  Dims end;
  [[nodiscard]] std::int64_t size() const noexcept;
};

class Cut {
 public:
  /// Of a loop without an extent of 0. `order` has the axes that may be cut, the outermost first; `bytes` are those that all
  /// elements of the loop stand for. Boxes have about `chunk_bytes`, and one index of each axis of `order` at least.
  /// Those of the axis `by_powers` have 2ⁿ indices of it, but for the last.
  Cut(Shape loop, std::span<const std::size_t> order, std::int64_t bytes, std::int64_t chunk_bytes,
      std::optional<std::size_t> by_powers = std::nullopt);

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// In the order of the axes, the outermost first.
  [[nodiscard]] Box box(std::int64_t chunk) const;
  [[nodiscard]] const Shape& loop() const noexcept { return loop_; }
  /// Whether boxes differ along the axis.
  [[nodiscard]] bool cuts(std::size_t axis) const noexcept { return step_[axis] < loop_[axis]; }
  /// Which of the boxes along the axis it is.
  [[nodiscard]] std::int64_t part(std::size_t axis, const Box& box) const noexcept { return box.begin[axis] / step_[axis]; }
  /// Boxes along the axis.
  [[nodiscard]] std::int64_t parts(std::size_t axis) const noexcept;

 private:
  Shape loop_;
  Dims order_;
  Dims step_;  // of each axis of the loop: a box's extent, but for the last one
  std::int64_t count_ = 1;
};

}  // namespace kiln::chunk
