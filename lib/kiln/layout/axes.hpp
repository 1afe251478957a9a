// The axes of a loop over several operands: sorted by stride, flipped, and merged. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "kiln/shape.hpp"

namespace kiln::layout {

/// Axes stand outermost first. Each has an extent, and for each operand a stride in bytes.
class Axes {
 public:
  /// No axis yet, and room for `most`.
  Axes(std::size_t most, std::size_t operands) : most_(most), operands_(operands) {
    if (most * (operands + 1) + operands > kInlineNumbers || most > kInlineAxes) [[unlikely]]
      allocate();
  }

  /// Appends an axis inside the others; its strides are not set.
  void append(std::int64_t extent) noexcept;
  /// The same with a stride for each operand.
  void append(std::int64_t extent, std::initializer_list<std::int64_t> strides) noexcept;
  /// Replaces all axes by one, whose strides are not set. order() stays.
  void become_one(std::int64_t extent) noexcept;

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t operands() const noexcept { return operands_; }
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept { return {numbers(), rank_}; }
  [[nodiscard]] std::span<const std::int64_t> strides(std::size_t operand) const noexcept { return {row(operand + 1), rank_}; }
  [[nodiscard]] std::int64_t extent(std::size_t axis) const noexcept { return numbers()[axis]; }
  [[nodiscard]] std::int64_t stride(std::size_t operand, std::size_t axis) const noexcept { return row(operand + 1)[axis]; }
  [[nodiscard]] std::int64_t& stride(std::size_t operand, std::size_t axis) noexcept {
    return numbers()[(operand + 1) * most_ + axis];
  }
  /// Bytes to add to an operand's address because axes were flipped.
  [[nodiscard]] std::int64_t offset(std::size_t operand) const noexcept { return flipped_ ? row(operands_ + 1)[operand] : 0; }
  /// The axes by their number when they were appended, outermost first, as sort() and move() leave them. Axes that are
  /// merged away are in it too.
  [[nodiscard]] std::span<const int> order() const noexcept {
    return {heap_order_ ? heap_order_.get() : order_.data(), appended_};
  }

  /// Who says which of two axes is inside, by the smaller stride. A stride of 0 says nothing. Axes keep their order where
  /// nobody says, or the strides are equal.
  enum class Sort : std::uint8_t {
    all_agree,      ///< all operands that say something, as in NumPy's nditer
    first_decides,  ///< the first operand whose strides differ
  };
  /// Sorts the axes from number `first` on, stably.
  void sort(Sort by, std::size_t first = 0) noexcept;
  /// Walks axes from number `first` on from their other end where some operand runs backwards and none forwards. The operand
  /// `follower` has no say.
  void flip(std::size_t first = 0, std::ptrdiff_t follower = -1) noexcept;
  /// Drops extents of 1, and joins neighbours that every operand walks in one stride, from number `first` on.
  void merge(std::size_t first = 0) noexcept;
  /// Moves an axis to another place; those between move up.
  void move(std::size_t from, std::size_t to) noexcept;

 private:
  static constexpr std::size_t kInlineNumbers = 96;
  static constexpr std::size_t kInlineAxes = 16;
  [[nodiscard]] const std::int64_t* numbers() const noexcept { return heap_ ? heap_.get() : numbers_.data(); }
  [[nodiscard]] std::int64_t* numbers() noexcept { return heap_ ? heap_.get() : numbers_.data(); }
  [[nodiscard]] const std::int64_t* row(std::size_t number) const noexcept { return numbers() + number * most_; }
  [[nodiscard]] int* order_data() noexcept { return heap_order_ ? heap_order_.get() : order_.data(); }
  void allocate();
  [[nodiscard]] bool is_inside(std::size_t axis, std::size_t other) const noexcept;
  [[nodiscard]] std::size_t agreed_place(std::size_t axis) const noexcept;

  std::size_t most_;
  std::size_t operands_;
  std::size_t rank_ = 0;
  std::size_t appended_ = 0;
  bool flipped_ = false;
  std::array<std::int64_t, kInlineNumbers> numbers_;  // rows of `most_`: extents, each operand's strides; then offsets
  std::array<int, kInlineAxes> order_;
  std::unique_ptr<std::int64_t[]> heap_;
  std::unique_ptr<int[]> heap_order_;
};

/// The axes of a loop that must keep the C order, merged. What has none left gets one of extent 1 and stride 0.
[[nodiscard]] Axes merge_in_order(std::span<const std::int64_t> shape, std::span<const Strides> strides);

}  // namespace kiln::layout
