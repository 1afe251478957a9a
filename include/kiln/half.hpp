// float16 (IEEE binary16) and bfloat16 on the host: storage types that convert to and from float with round to
// nearest even. Arithmetic goes through float.
#pragma once

#include <cstdint>

#include "kiln/export.hpp"

namespace kiln {

/// IEEE 754 binary16. From double it rounds once, not through float.
struct float16 {
  std::uint16_t bits = 0;  ///< the representation
  /// Zero.
  float16() = default;
  /// Rounds to the nearest, halves to even; what is too large becomes infinite.
  KILN_API explicit float16(float value) noexcept;
  /// The same, rounded once.
  KILN_API explicit float16(double value) noexcept;
  /// The same of an integer.
  explicit float16(int value) noexcept : float16(static_cast<double>(value)) {}
  /// Exact.
  KILN_API operator float() const noexcept;  // NOLINT(google-explicit-constructor): widening is exact
  /// The value with that representation.
  static float16 from_bits(std::uint16_t bits) noexcept {
    float16 h;
    h.bits = bits;
    return h;
  }
};

/// The upper half of an IEEE binary32. From double it rounds once.
struct bfloat16 {
  std::uint16_t bits = 0;  ///< the representation
  /// Zero.
  bfloat16() = default;
  /// Rounds to the nearest, halves to even; what is too large becomes infinite.
  KILN_API explicit bfloat16(float value) noexcept;
  /// The same, rounded once.
  KILN_API explicit bfloat16(double value) noexcept;
  /// The same of an integer.
  explicit bfloat16(int value) noexcept : bfloat16(static_cast<double>(value)) {}
  /// Exact.
  KILN_API operator float() const noexcept;  // NOLINT(google-explicit-constructor): widening is exact
  /// The value with that representation.
  static bfloat16 from_bits(std::uint16_t bits) noexcept {
    bfloat16 h;
    h.bits = bits;
    return h;
  }
};

}  // namespace kiln
