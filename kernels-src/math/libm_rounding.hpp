// fmod and remainder of kiln's own, for GPUs without a vendor's library: exact, by division of integers.
#pragma once
#include "kiln/math/math.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// A positive finite number as m * 2^exponent.
struct whole_number {
  uint64 m;
  int32 exponent;
};
KILN_FN whole_number whole_number_of(double size) {
  const uint64 bits = bit_cast<uint64>(size);
  const int32 e = int32(bits >> 52);
  return e == 0 ? whole_number{bits, -1074} : whole_number{(bits & 0x000fffffffffffffull) | 0x0010000000000000ull, e - 1075};
}

// Sizes a and b, of which b is neither 0 nor infinite: 11 bits of the quotient at once. A float's remainder is a float.
KILN_FN double size_of_remainder(double a, double b) {
  if (a < b) return a;
  const whole_number x = whole_number_of(a), y = whole_number_of(b);
  // a >= b, but a subnormal b has a small m: shift what the exponents differ by.
  uint64 m = x.m % y.m;
  for (int32 left = x.exponent - y.exponent; left > 0 && m != 0;) {
    const int32 step = left < 11 ? left : 11;
    m = (m << step) % y.m;
    left -= step;
  }
  // m < y.m, and both have the exponent of b: exact, as m has 53 bits at the most.
  const int32 half = y.exponent / 2;
  const auto power = [](int32 n) { return bit_cast<double>(uint64(uint32(1023 + n)) << 52); };
  return static_cast<double>(m) * power(half) * power(y.exponent - half);
}
KILN_FN double fmod(double x, double y) {
  const double a = KILN_LIBM(fabs)(x), b = KILN_LIBM(fabs)(y);
  if (!(a < double(INFINITY)) || y == 0 || y != y) return double(NAN);
  return b == double(INFINITY) ? x : KILN_LIBM(copysign)(size_of_remainder(a, b), x);
}
KILN_FN float fmodf(float x, float y) {
  return static_cast<float>(fmod(static_cast<double>(x), static_cast<double>(y)));
}
// x less the nearest multiple of y, the even one of two.
KILN_FN double remainder(double x, double y) {
  const double a = KILN_LIBM(fabs)(x), b = KILN_LIBM(fabs)(y);
  if (!(a < double(INFINITY)) || y == 0 || y != y) return double(NAN);
  // Of two times b, where that is a number: then what is left tells whether the quotient is odd.
  double r = b < 0x1p1023 ? size_of_remainder(a, 2 * b) : a;
  if (b < 0x1p-1021) {
    if (r + r > b) {
      r -= b;
      if (r + r >= b) r -= b;
    }
  } else if (const double half = 0.5 * b; r > half) {
    r -= b;
    if (r >= half) r -= b;
  }
  return signbit(x) ? -r : r;
}
KILN_FN float remainderf(float x, float y) {
  return static_cast<float>(remainder(static_cast<double>(x), static_cast<double>(y)));
}

}  // namespace kiln::libm
KILN_PRECISE_END
