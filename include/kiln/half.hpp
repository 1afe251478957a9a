// float16 (IEEE binary16) and bfloat16 on the host: storage types that convert to and from float, rounding to nearest even.
// Arithmetic goes through float.
#pragma once

#include <cstdint>

#include "kiln/export.hpp"

namespace kiln {

/// IEEE 754 binary16. A double is rounded once, not through float.
struct float16 {
  std::uint16_t bits = 0;  ///< the representation
  /// Constructs zero.
  float16() = default;
  /// Rounds to the nearest value, halves to even; values that are too large become infinite.
  KILN_API explicit float16(float value) noexcept;
  /// Rounds to the nearest value, halves to even, in a single rounding.
  KILN_API explicit float16(double value) noexcept;
  /// Rounds an integer to the nearest value, halves to even.
  explicit float16(int value) noexcept : float16(static_cast<double>(value)) {}
  /// Converts exactly.
  KILN_API operator float() const noexcept;  // NOLINT(google-explicit-constructor): widening is exact
  /// Returns the value with that representation.
  static float16 from_bits(std::uint16_t bits) noexcept {
    float16 h;
    h.bits = bits;
    return h;
  }
};

/// The upper half of an IEEE binary32. A double is rounded once.
struct bfloat16 {
  std::uint16_t bits = 0;  ///< the representation
  /// Constructs zero.
  bfloat16() = default;
  /// Rounds to the nearest value, halves to even; values that are too large become infinite.
  KILN_API explicit bfloat16(float value) noexcept;
  /// Rounds to the nearest value, halves to even, in a single rounding.
  KILN_API explicit bfloat16(double value) noexcept;
  /// Rounds an integer to the nearest value, halves to even.
  explicit bfloat16(int value) noexcept : bfloat16(static_cast<double>(value)) {}
  /// Converts exactly.
  KILN_API operator float() const noexcept;  // NOLINT(google-explicit-constructor): widening is exact
  /// Returns the value with that representation.
  static bfloat16 from_bits(std::uint16_t bits) noexcept {
    bfloat16 h;
    h.bits = bits;
    return h;
  }
};

}  // namespace kiln
