// The bits of float16 and bfloat16 from and to float and double, inline so that conversion loops vectorize. Round to
// nearest, ties to even; a NaN stays a NaN, with its sign and the upper bits of its payload.
#pragma once

#include <bit>
#include <cstdint>

namespace kiln::detail {

inline float float_from_half_bits(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffU) << 13;
  // As float bits the exponent is 112 too low: a multiplication by 2^112 mends it, subnormals included. The product of a
  // former infinity or NaN is at least 2^16; those get the largest exponent back.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
  bits |= magnitude >= 0x0f800000U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(bits | sign);
}

inline std::uint16_t half_bits_from_float(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t half = 0;
  if (magnitude >= 0x47800000U) {  // 2^16 and above, infinity, NaN
    half = magnitude > 0x7f800000U ? 0x7e00U | ((magnitude >> 13) & 0x3ffU) : 0x7c00U;
  } else if (magnitude < 0x38800000U) {  // below 2^-14: subnormal
    // Adding 0.5 leaves the value, rounded to multiples of 2^-24, in the low bits.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  } else {
    half = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

inline float float_from_bfloat_bits(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t bfloat_bits_from_float(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  const std::uint32_t quiet = bits | 0x400000U;
  return static_cast<std::uint16_t>(((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded) >> 16);
}

/// Rounds to a float whose last bit is set wherever the result is not exact ("round to odd"), so that a second rounding to
/// fewer than 23 bits gives what one rounding of the double would. S. Boldo, G. Melquiond: "When double rounding is odd".
inline float round_to_odd(double value) noexcept {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  // Towards zero, then the last bit set. Overflow came back as infinity: one below it is the largest float, which is odd.
  const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1U);
}

inline std::uint16_t half_bits_from_double(double value) noexcept {
  return half_bits_from_float(round_to_odd(value));
}
inline std::uint16_t bfloat_bits_from_double(double value) noexcept {
  return bfloat_bits_from_float(round_to_odd(value));
}

}  // namespace kiln::detail
