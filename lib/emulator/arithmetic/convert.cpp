#include "emulator/arithmetic/convert.hpp"

namespace kiln::emulator {

float convert_to_tf32(float a, Conversion c) noexcept {
  if (is_nan(a)) return canonical_nan<float>();
  constexpr std::uint32_t kCut = 0x1fffU;
  const std::uint32_t bits = to_bits(a);
  // A carry out of the fraction goes to the exponent, and from the largest number to infinity: both are right.
  std::uint32_t added = 0;
  if (c.rounding == Rounding::nearest_away) added = 0x1000U;
  if (c.rounding == Rounding::nearest_even) added = 0xfffU + (bits >> 13 & 1U);
  float result = from_bits<float>((is_finite(a) ? bits + added : bits) & ~kCut);
  if (c.satfinite && magnitude(result) == Format<float>::kInfinity) {
    result = copysign(result, from_bits<float>(Format<float>::kLargest & ~kCut));
  }
  return c.relu ? relu(result) : result;
}

}  // namespace kiln::emulator
