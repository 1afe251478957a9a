// Division of 32-bit indices by a known extent without dividing. Pure.
#pragma once

#include <bit>
#include <cstdint>

namespace kiln::kinds {

/// q = (mulhi(i, magic) + i) >> shift is i / d for every i < 2^31.
struct Divisor {
  std::uint32_t magic = 0;
  std::uint32_t shift = 0;
};

/// For 1 <= d <= 2^31. Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994), figure 4.1; the
/// sum of the high half and i stays below 2^32 because i < 2^31.
[[nodiscard]] constexpr Divisor divisor_of(std::uint32_t d) noexcept {
  const auto shift = static_cast<std::uint32_t>(std::bit_width(d - 1));
  const std::uint64_t excess = (std::uint64_t{1} << shift) - d;
  return {static_cast<std::uint32_t>((excess << 32) / d + 1), shift};
}

/// What the kernel computes; for tests.
[[nodiscard]] constexpr std::uint32_t divide(std::uint32_t i, Divisor by) noexcept {
  const auto high = static_cast<std::uint32_t>((std::uint64_t{i} * by.magic) >> 32);
  return (high + i) >> by.shift;
}

}  // namespace kiln::kinds
