#include "layout/axes.hpp"

#include <algorithm>
#include <cstdlib>

namespace kiln::layout {

void Axes::allocate() {
  heap_ = std::make_unique<std::int64_t[]>(most_ * (operands_ + 1) + operands_);
  heap_order_ = std::make_unique<int[]>(most_);
}

void Axes::append(std::int64_t extent) noexcept {
  order_data()[rank_] = static_cast<int>(appended_);
  numbers()[rank_++] = extent;
  ++appended_;
}

void Axes::append(std::int64_t extent, std::initializer_list<std::int64_t> strides) noexcept {
  append(extent);
  std::size_t operand = 0;
  for (const std::int64_t each : strides) stride(operand++, rank_ - 1) = each;
}

void Axes::become_one(std::int64_t extent) noexcept {
  rank_ = 1;
  numbers()[0] = extent;
}

/// By the first operand whose strides differ.
bool Axes::is_inside(std::size_t axis, std::size_t other) const noexcept {
  for (std::size_t k = 0; k < operands_; ++k) {
    const std::int64_t x = std::abs(stride(k, axis));
    const std::int64_t y = std::abs(stride(k, other));
    if (x != 0 && y != 0 && x != y) return x < y;
  }
  return false;
}

/// The place to which an axis moves inwards past those of which all operands that have strides along both say so.
std::size_t Axes::agreed_place(std::size_t axis) const noexcept {
  std::size_t place = axis;
  for (std::size_t other = axis + 1; other < rank_; ++other) {
    bool inside = false;
    for (std::size_t k = 0; k < operands_; ++k) {
      const std::int64_t x = std::abs(stride(k, axis));
      const std::int64_t y = std::abs(stride(k, other));
      if (x == 0 || y == 0) continue;
      if (x >= y) return place;
      inside = true;
    }
    if (inside) place = other;
  }
  return place;
}

void Axes::sort(Sort by, std::size_t first) noexcept {
  // Operands with strides of 0 make both comparisons intransitive, so that the order of steps decides: for all_agree it is
  // NumPy's.
  if (by == Sort::all_agree) {
    for (std::size_t axis = rank_; axis-- > first;) move(axis, agreed_place(axis));
    return;
  }
  for (std::size_t axis = first; axis < rank_; ++axis) {
    std::size_t place = axis;
    while (place > first && is_inside(place - 1, axis)) --place;
    move(axis, place);
  }
}

void Axes::move(std::size_t from, std::size_t to) noexcept {
  if (from == to) return;
  const std::ptrdiff_t step = from < to ? 1 : -1;
  const auto move_in = [&](auto* row) {
    const auto moved = row[from];
    for (auto* at = row + from; at != row + to; at += step) *at = at[step];
    row[to] = moved;
  };
  for (std::size_t row = 0; row <= operands_; ++row) move_in(numbers() + row * most_);
  move_in(order_data());
}

void Axes::flip(std::size_t first, std::ptrdiff_t follower) noexcept {
  for (std::size_t axis = first; axis < rank_; ++axis) {
    bool backwards = false;
    bool forwards = false;
    for (std::size_t k = 0; k < operands_; ++k) {
      if (static_cast<std::ptrdiff_t>(k) == follower) continue;
      backwards |= stride(k, axis) < 0;
      forwards |= stride(k, axis) > 0;
    }
    if (!backwards || forwards) continue;
    std::int64_t* const offsets = numbers() + (operands_ + 1) * most_;
    if (!flipped_) std::fill_n(offsets, operands_, 0);
    flipped_ = true;
    for (std::size_t k = 0; k < operands_; ++k) {
      offsets[k] += stride(k, axis) * (extent(axis) - 1);
      stride(k, axis) = -stride(k, axis);
    }
  }
}

void Axes::merge(std::size_t first) noexcept {
  std::int64_t* const extents = numbers();
  std::size_t kept = first;
  for (std::size_t axis = first; axis < rank_; ++axis) {
    if (extents[axis] == 1) continue;
    bool joins = kept > first;
    for (std::size_t k = 0; k < operands_ && joins; ++k) {
      // The way beyond the last element may not fit in 63 bits where the way to it does.
      std::int64_t beyond = 0;
      joins = !__builtin_mul_overflow(stride(k, axis), extents[axis], &beyond) && stride(k, kept - 1) == beyond;
    }
    const std::size_t into = joins ? kept - 1 : kept++;
    extents[into] = joins ? extents[into] * extents[axis] : extents[axis];
    for (std::size_t k = 0; k < operands_; ++k) stride(k, into) = stride(k, axis);
  }
  rank_ = kept;
}

Axes merge_in_order(std::span<const std::int64_t> shape, std::span<const Strides> strides) {
  Axes axes(std::max<std::size_t>(shape.size(), 1), strides.size());
  for (const std::int64_t extent : shape) axes.append(extent);
  for (std::size_t k = 0; k < strides.size(); ++k) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) axes.stride(k, axis) = strides[k][axis];
  }
  axes.merge();
  if (axes.rank() > 0) return axes;
  axes.become_one(1);
  for (std::size_t k = 0; k < strides.size(); ++k) axes.stride(k, 0) = 0;
  return axes;
}

}  // namespace kiln::layout
