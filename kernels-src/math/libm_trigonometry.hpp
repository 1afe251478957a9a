// asinh and atanh of kiln's own, for GPUs without a vendor's library; see own_polynomial.hpp. The others are
// own_trigonometry.hpp's.
#pragma once
#include "kiln/math/own_exponential.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// log1p(a + a^2 / (1 + sqrt(1 + a^2))) of the size, which is log(2 a) where a square would count for nothing.
KILN_FN double asinh(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const bool large = a > 0x1p60;
  const double square = large ? 0.0 : a * a;
  const double t = a + square / (1 + KILN_LIBM(sqrt)(1 + square));
  parts_of_sum<double> sum = split_sum(t);
  sum.exponent = large ? sum.exponent + 1 : sum.exponent;
  const double y = a < double(INFINITY) ? log_of(sum) : a;
  return KILN_LIBM(copysign)(a < 0x1p-28 ? a : y, x);
}
// log1p(2 a / (1 - a)) / 2 of the size; what is small is not rounded before the quotient.
KILN_FN double atanh(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const double t = a < 0.5 ? (a + a) + (a + a) * a / (1 - a) : (a + a) / (1 - a);
  const double y = a < 1 ? 0.5 * log_of(split_sum(t)) : a == 1 ? double(INFINITY) : double(NAN);
  return KILN_LIBM(copysign)(a < 0x1p-28 ? a : y, x);
}
KILN_FN float asinhf(float x) {
  return static_cast<float>(asinh(x));
}
KILN_FN float atanhf(float x) {
  return static_cast<float>(atanh(x));
}

}  // namespace kiln::libm
KILN_PRECISE_END
