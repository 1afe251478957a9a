// The rarer functions of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/core/constants.hpp"
#include "kiln/math/exponents.hpp"
#include "kiln/math/rounding.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_special.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_single.hpp"
#include "kiln/math/same_special.hpp"
#endif

namespace kiln {

KILN_FUNCTION_1(erf, KILN_SAME(erff, KILN_LIBM(erff)), KILN_SAME(erf, KILN_LIBM(erf)))
KILN_FUNCTION_1(erfc, KILN_SAME(erfcf, KILN_LIBM(erfcf)), KILN_SAME(erfc, KILN_LIBM(erfc)))
KILN_FUNCTION_1(tgamma, KILN_LIBM(tgammaf), KILN_SAME(tgamma, KILN_LIBM(tgamma)))
KILN_FUNCTION_1(lgamma, KILN_LIBM(lgammaf), KILN_SAME(lgamma, KILN_LIBM(lgamma)))
KILN_LIBM_1(logb)
KILN_LIBM_2(nextafter)
KILN_LIBM_2(fdim)

#define KILN_TO_INTEGER(name, R)                        \
  template <real_number T>                              \
  KILN_FN R name(T x) {                                 \
    if constexpr (same<float_of<T>, float>) {           \
      return KILN_LIBM(name##f)(static_cast<float>(x)); \
    } else {                                            \
      return KILN_LIBM(name)(static_cast<double>(x));   \
    }                                                   \
  }
KILN_TO_INTEGER(ilogb, int32)
KILN_TO_INTEGER(lround, int64)
KILN_TO_INTEGER(llround, int64)
KILN_TO_INTEGER(lrint, int64)
KILN_TO_INTEGER(llrint, int64)
#undef KILN_TO_INTEGER

template <real_number T>
KILN_FN float_of<T> ldexp(T x, int exponent) {
  if constexpr (same<float_of<T>, float>) {
    return KILN_OWN(scale_exponent, ldexpf)(static_cast<float>(x), exponent);
  } else {
    return KILN_OWN(scale_exponent, ldexp)(static_cast<double>(x), exponent);
  }
}
template <real_number T>
KILN_FN float_of<T> scalbn(T x, int exponent) {
  return ldexp(x, exponent);
}
// Beyond 10000 nothing of any number is left.
template <real_number T>
KILN_FN float_of<T> scalbln(T x, long exponent) {
  return ldexp(x, static_cast<int>(exponent > 10000 ? 10000 : exponent < -10000 ? -10000 : exponent));
}
template <real_number T>
KILN_FN float_of<T> frexp(T x, int* exponent) {
#if KILN_OWN_MATH
  return split_exponent(static_cast<float_of<T>>(x), *exponent);
#else
  if constexpr (same<float_of<T>, float>) {
    return KILN_LIBM(frexpf)(static_cast<float>(x), exponent);
  } else {
    return KILN_LIBM(frexp)(static_cast<double>(x), exponent);
  }
#endif
}
template <real_number T, class R>
KILN_FN float_of<T> modf(T x, R* whole) {
  const float_of<T> y = static_cast<float_of<T>>(x);
  const float_of<T> t = trunc(y);
  *whole = t;
  return isinf(y) ? copysign(float_of<T>(0), y) : copysign(y - t, y);
}

template <real_number T>
KILN_FN int fpclassify(T x) {
  using F = float_of<T>;
  const F size = fabs(x);
  if (isnan(x)) return FP_NAN;
  if (isinf(x)) return FP_INFINITE;
  if (size == 0) return FP_ZERO;
  return size < (same<F, float> ? F(FLT_MIN) : F(DBL_MIN)) ? FP_SUBNORMAL : FP_NORMAL;
}
template <real_number T>
KILN_FN bool isnormal(T x) {
  return fpclassify(x) == FP_NORMAL;
}
// Exact at both ends and monotonic, as std::lerp is.
template <real_number A, real_number B, real_number C>
KILN_FN float_of<A, B, C> lerp(A from, B to, C at) {
  using F = float_of<A, B, C>;
  const F a = static_cast<F>(from), b = static_cast<F>(to), t = static_cast<F>(at);
  if ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) return t * b + (1 - t) * a;
  if (t == 1) return b;
  const F x = a + t * (b - a);
  return (t > 1) == (b > a) ? (b < x ? x : b) : (b > x ? x : b);
}

}  // namespace kiln
