// The functions of <complex> that compute. complex64 computes in complex128 and rounds once, which costs little where loops are
// vectors, and keeps every digit.
#pragma once
#include "kiln/math/complex_circular.hpp"
#include "kiln/math/complex_parts.hpp"
#include "kiln/math/rounding.hpp"

namespace kiln {

template <class T>
KILN_FN T arg(const complex<T>& z) {
  return atan2(z.im, z.re);
}
template <real_number R, real_number A>
KILN_FN complex<float_of<R, A>> polar(R radius, A angle) {
  using T = float_of<R, A>;
  return {static_cast<T>(radius) * cos(static_cast<T>(angle)), static_cast<T>(radius) * sin(static_cast<T>(angle))};
}
#define KILN_COMPLEX_FUNCTION(name)                              \
  template <class T>                                             \
  KILN_FN complex<T> name(const complex<T>& z) {                 \
    return complex<T>(complex_double::name(complex<double>(z))); \
  }
KILN_COMPLEX_FUNCTION(exp)
KILN_COMPLEX_FUNCTION(exp2)
KILN_COMPLEX_FUNCTION(expm1)
KILN_COMPLEX_FUNCTION(log)
KILN_COMPLEX_FUNCTION(log2)
KILN_COMPLEX_FUNCTION(log10)
KILN_COMPLEX_FUNCTION(log1p)
KILN_COMPLEX_FUNCTION(sqrt)
KILN_COMPLEX_FUNCTION(sin)
KILN_COMPLEX_FUNCTION(cos)
KILN_COMPLEX_FUNCTION(tan)
KILN_COMPLEX_FUNCTION(asin)
KILN_COMPLEX_FUNCTION(acos)
KILN_COMPLEX_FUNCTION(atan)
KILN_COMPLEX_FUNCTION(sinh)
KILN_COMPLEX_FUNCTION(cosh)
KILN_COMPLEX_FUNCTION(tanh)
KILN_COMPLEX_FUNCTION(asinh)
KILN_COMPLEX_FUNCTION(acosh)
KILN_COMPLEX_FUNCTION(atanh)
#undef KILN_COMPLEX_FUNCTION

// z to the power of a whole n, 0 < |n| < 128, by squaring: exact where the products are.
template <class T>
KILN_FN complex<T> whole_power(const complex<T>& z, int32 n) {
  const int32 m = n < 0 ? -n : n;
  complex<T> power(T(1)), square(z);
#pragma unroll
  for (int bit = 0; bit < 7; ++bit) {
    const bool set = ((m >> bit) & 1) != 0, first = (m & ((1 << bit) - 1)) == 0;
    const complex<T> product = power * square;
    power = {set ? (first ? square.re : product.re) : power.re, set ? (first ? square.im : product.im) : power.im};
    square = square * square;
  }
  const complex<T> inverse = T(1) / power;
  return {n < 0 ? inverse.re : power.re, n < 0 ? inverse.im : power.im};
}
template <class A, class B>
KILN_FN complex<component<A, B>> pow(const complex<A>& z, const complex<B>& w) {
  using T = component<A, B>;
  const complex<T> base(z), exponent(w);
  const bool whole = exponent.im == 0 && fabs(exponent.re) < 100 && trunc(exponent.re) == exponent.re;
  const complex<T> by_squaring = whole_power(base, whole ? int32(exponent.re) : int32(1));
  const complex<T> by_exp(exp(complex<double>(exponent) * log(complex<double>(base))));
  const bool one = exponent.re == 0 && exponent.im == 0;
  const bool zero = base.re == 0 && base.im == 0;
  const T of_zero = exponent.re > 0 ? T(0) : T(NAN);
  return {one     ? T(1)
          : zero  ? of_zero
          : whole ? by_squaring.re
                  : by_exp.re,
          one     ? T(0)
          : zero  ? of_zero
          : whole ? by_squaring.im
                  : by_exp.im};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> pow(const complex<A>& z, B w) {
  using T = component<A, B>;
  if constexpr (integer<B>) {
    // By squaring: exact where the products are.
    uint64 n = w < 0 ? 0 - static_cast<uint64>(w) : static_cast<uint64>(w);
    complex<T> power(T(1)), square(z);
    for (; n != 0; n >>= 1) {
      if (n & 1) {
        power = power * square;
      }
      if (n > 1) {
        square = square * square;
      }
    }
    return w < 0 ? T(1) / power : power;
  } else {
    return pow(z, complex<T>(T(w)));
  }
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> pow(B x, const complex<A>& w) {
  using T = component<A, B>;
  return pow(complex<T>(x), w);
}
template <class T>
KILN_FN complex<T> power(const complex<T>& a, const complex<T>& b) {
  return pow(a, b);
}

}  // namespace kiln
