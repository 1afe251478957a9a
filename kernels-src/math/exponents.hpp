// Fractions and exponents of floating numbers, as NumPy's frexp and ldexp have them; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_LANES
#include "kiln/math/exponents_lanes_cpu.hpp"
#endif

KILN_PRECISE_BEGIN
namespace kiln {

// x = fraction * 2^exponent with a fraction in [0.5, 1), for any x but zero, infinities and NaN, which stay with exponent 0.
template <one_of<float, double> T>
KILN_FN T split_exponent(T x, int32& exponent) {
#if KILN_LANES
  exponent = static_cast<int32>(exponent_of_lanes(x));
  return fraction_of_lanes(x);
#else
  // Zeros, infinities and NaN by one comparison: less 1, zero is the largest number there is.
  if constexpr (same<T, float>) {
    const uint32 size = bit_cast<uint32>(x) & 0x7fffffffu;
    const bool small = size < 0x00800000u;
    const bool keep = size - 1 >= 0x7f7fffffu;
    const uint32 bits = bit_cast<uint32>(small ? x * 0x1p24f : x);
    const int32 biased = int32(bits >> 23 & 0xff) - (small ? 126 + 24 : 126);
    exponent = keep ? 0 : biased;
    return keep ? x : bit_cast<float>((bits & 0x807fffffu) | 0x3f000000u);
  } else {
    const uint64 size = bit_cast<uint64>(x) & 0x7fffffffffffffffull;
    const bool small = size < 0x0010000000000000ull;
    const bool keep = size - 1 >= 0x7fefffffffffffffull;
    const uint64 bits = bit_cast<uint64>(small ? x * 0x1p54 : x);
    const int32 biased = int32(bits >> 52 & 0x7ff) - (small ? 1022 + 54 : 1022);
    exponent = keep ? 0 : biased;
    return keep ? x : bit_cast<double>((bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
  }
#endif
}
// x * 2^n for n a whole number of at most 2200 either way, of a float 300, rounded once: times 2^a, 2^a and 2^b, where a is 0
// for an exponent that a number can have. Below those the last factor is smaller than half of what a product rounds to, so that
// what was rounded before becomes 0. On a Zen 4 0.16 ns of a float, a product in float64 0.22.
template <one_of<float, double> T>
KILN_FN T scaled_by_products(T x, int32 e) {
  constexpr bool single = same<T, float>;
  constexpr int32 bias = single ? 127 : 1023;
  const bool far = uint32(e + bias - 1) > uint32(2 * bias - 1);
  const int32 a = far ? (3 * e) >> 3 : 0, b = e - 2 * a;
  const auto power = [](int32 n) {
    if constexpr (single) {
      return bit_cast<float>(uint32(n + bias) << 23);
    } else {
      return bit_cast<double>(uint64(uint32(n + bias)) << 52);
    }
  };
  return x * power(a) * power(a) * power(b);
}
// x * 2^exponent, rounded once.
template <one_of<float, double> T, integer I>
KILN_FN T scale_exponent(T x, I exponent) {
  constexpr int32 most = same<T, float> ? 300 : 2200;
  int32 e;
  if constexpr (sizeof(I) < sizeof(int32)) {
    e = int32(exponent) > most ? most : int32(exponent) < -most ? -most : int32(exponent);
  } else if constexpr (I(-1) < I(0)) {
    e = exponent > I(most) ? most : exponent < I(-most) ? -most : int32(exponent);
  } else {
    e = exponent > I(most) ? most : int32(exponent);
  }
#if KILN_LANES
  return scaled_of_lanes(x, static_cast<T>(e));
#else
  return scaled_by_products(x, e);
#endif
}

}  // namespace kiln
KILN_PRECISE_END
