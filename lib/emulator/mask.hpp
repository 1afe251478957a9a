// Sets of a warp's lanes.
#pragma once

#include <bit>
#include <cstdint>

namespace kiln::emulator {

/// A bit for each lane of a warp.
using Mask = std::uint32_t;
inline constexpr unsigned kLanes = 32;
inline constexpr Mask kAllLanes = ~Mask{0};

[[nodiscard]] constexpr unsigned first_lane(Mask lanes) noexcept {
  return static_cast<unsigned>(std::countr_zero(lanes));
}
[[nodiscard]] constexpr unsigned count_of(Mask lanes) noexcept {
  return static_cast<unsigned>(std::popcount(lanes));
}
[[nodiscard]] constexpr bool has_lane(Mask lanes, unsigned lane) noexcept {
  return (lanes >> lane & 1U) != 0;
}

template <class Body>
void each_lane(Mask lanes, const Body& body) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane) body(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) body(first_lane(lanes));
  }
}
/// Those for which `is_true(lane)`.
template <class Condition>
[[nodiscard]] Mask lanes_where(Mask lanes, const Condition& is_true) {
  Mask found = 0;
  each_lane(lanes, [&](unsigned lane) {
    if (is_true(lane)) found |= Mask{1} << lane;
  });
  return found;
}
/// Those whose value, as a T, is the first one's.
template <class T>
[[nodiscard]] Mask same_as_first(Mask lanes, const std::uint64_t* values) {
  const auto first = static_cast<T>(values[first_lane(lanes)]);
  return lanes_where(lanes, [&](unsigned lane) { return static_cast<T>(values[lane]) == first; });
}

}  // namespace kiln::emulator
