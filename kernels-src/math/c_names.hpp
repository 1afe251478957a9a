// Functions under the names that C and CUDA have for them beside C++'s: `sqrtf`, `labs`, `exp10`. Those of float take what
// converts to float, as C's do. Each is made of the function of the shorter name, whose header stands before this one where a
// text names it (lib/kiln/source/needed_headers.cpp): F is dependent, so that the others may be missing.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <class T>
struct exactly_type {
  using type = T;
};
template <class T>
using exactly_t = typename exactly_type<T>::type;

#define KILN_SINGLE_1(name)           \
  template <class F = float>          \
  KILN_FN F name##f(exactly_t<F> x) { \
    return name(x);                   \
  }
#define KILN_SINGLE_2(name)                           \
  template <class F = float>                          \
  KILN_FN F name##f(exactly_t<F> x, exactly_t<F> y) { \
    return name(x, y);                                \
  }
#define KILN_SINGLE_TO(name, R)       \
  template <class F = float>          \
  KILN_FN R name##f(exactly_t<F> x) { \
    return name(x);                   \
  }
KILN_SINGLE_1(sqrt)
KILN_SINGLE_1(rsqrt)
KILN_SINGLE_1(cbrt)
KILN_SINGLE_1(exp)
KILN_SINGLE_1(exp2)
KILN_SINGLE_1(expm1)
KILN_SINGLE_1(log)
KILN_SINGLE_1(log2)
KILN_SINGLE_1(log10)
KILN_SINGLE_1(log1p)
KILN_SINGLE_1(sin)
KILN_SINGLE_1(cos)
KILN_SINGLE_1(tan)
KILN_SINGLE_1(asin)
KILN_SINGLE_1(acos)
KILN_SINGLE_1(atan)
KILN_SINGLE_1(sinh)
KILN_SINGLE_1(cosh)
KILN_SINGLE_1(tanh)
KILN_SINGLE_1(asinh)
KILN_SINGLE_1(acosh)
KILN_SINGLE_1(atanh)
KILN_SINGLE_1(fabs)
KILN_SINGLE_1(floor)
KILN_SINGLE_1(ceil)
KILN_SINGLE_1(trunc)
KILN_SINGLE_1(round)
KILN_SINGLE_1(rint)
KILN_SINGLE_1(nearbyint)
KILN_SINGLE_1(erf)
KILN_SINGLE_1(erfc)
KILN_SINGLE_1(tgamma)
KILN_SINGLE_1(lgamma)
KILN_SINGLE_1(logb)
KILN_SINGLE_1(erfinv)
KILN_SINGLE_1(erfcinv)
KILN_SINGLE_1(erfcx)
KILN_SINGLE_1(normcdf)
KILN_SINGLE_1(normcdfinv)
KILN_SINGLE_1(j0)
KILN_SINGLE_1(j1)
KILN_SINGLE_1(y0)
KILN_SINGLE_1(y1)
KILN_SINGLE_1(cyl_bessel_i0)
KILN_SINGLE_1(cyl_bessel_i1)
KILN_SINGLE_1(sinpi)
KILN_SINGLE_1(cospi)
KILN_SINGLE_1(rcbrt)
KILN_SINGLE_2(pow)
KILN_SINGLE_2(fmod)
KILN_SINGLE_2(remainder)
KILN_SINGLE_2(hypot)
KILN_SINGLE_2(atan2)
KILN_SINGLE_2(copysign)
KILN_SINGLE_2(fmin)
KILN_SINGLE_2(fmax)
KILN_SINGLE_2(fdim)
KILN_SINGLE_2(nextafter)
KILN_SINGLE_2(rhypot)
KILN_SINGLE_TO(ilogb, int)
KILN_SINGLE_TO(lround, long)
KILN_SINGLE_TO(llround, long long)
KILN_SINGLE_TO(lrint, long)
KILN_SINGLE_TO(llrint, long long)
#undef KILN_SINGLE_1
#undef KILN_SINGLE_2
#undef KILN_SINGLE_TO

template <class F = float>
KILN_FN F fmaf(exactly_t<F> x, exactly_t<F> y, exactly_t<F> z) {
  return fma(x, y, z);
}
template <class F = float>
KILN_FN F ldexpf(exactly_t<F> x, int exponent) {
  return ldexp(x, exponent);
}
template <class F = float>
KILN_FN F scalbnf(exactly_t<F> x, int exponent) {
  return scalbn(x, exponent);
}
template <class F = float>
KILN_FN F scalblnf(exactly_t<F> x, long exponent) {
  return scalbln(x, exponent);
}
KILN_FN float fdividef(float x, float y) {
  return x / y;
}
template <class F = float>
KILN_FN F normf(int count, const exactly_t<F>* x) {
  return norm(count, x);
}
template <class F = float>
KILN_FN F rnormf(int count, const exactly_t<F>* x) {
  return rnorm(count, x);
}
template <class F = float>
KILN_FN F frexpf(exactly_t<F> x, int* exponent) {
  return frexp(x, exponent);
}
template <class F = float>
KILN_FN F modff(exactly_t<F> x, F* whole) {
  return modf(x, whole);
}
template <class F = float>
KILN_FN void sincosf(exactly_t<F> x, F* sine, F* cosine) {
  sincos(x, sine, cosine);
}
template <class F = float>
KILN_FN void sincospif(exactly_t<F> x, F* sine, F* cosine) {
  sincospi(x, sine, cosine);
}
template <class F = float>
KILN_FN F jnf(int n, exactly_t<F> x) {
  return jn(n, x);
}
template <class F = float>
KILN_FN F ynf(int n, exactly_t<F> x) {
  return yn(n, x);
}
#define KILN_SINGLE_LENGTH(name)                                                        \
  template <class F = float>                                                            \
  KILN_FN F name##3df(exactly_t<F> x, exactly_t<F> y, exactly_t<F> z) {                 \
    return name##3d(x, y, z);                                                           \
  }                                                                                     \
  template <class F = float>                                                            \
  KILN_FN F name##4df(exactly_t<F> x, exactly_t<F> y, exactly_t<F> z, exactly_t<F> t) { \
    return name##4d(x, y, z, t);                                                        \
  }
KILN_SINGLE_LENGTH(norm)
KILN_SINGLE_LENGTH(rnorm)
#undef KILN_SINGLE_LENGTH

// 10 to the power of x.
template <class T, bool = same<T, float> || half_like<T>>
struct power_of_10 {
  using type = double;
};
template <class T>
struct power_of_10<T, true> {
  using type = float;
};
template <real_number T>
KILN_FN auto exp10(T x) {
  using R = typename power_of_10<T>::type;
  return pow(R(10), static_cast<R>(x));
}
template <class F = float>
KILN_FN F exp10f(exactly_t<F> x) {
  return pow(F(10), x);
}

KILN_FN double nan(const char*) {
  return __builtin_bit_cast(double, 0x7ff8000000000000ull);
}
KILN_FN float nanf(const char*) {
  return __builtin_bit_cast(float, 0x7fc00000u);
}
KILN_FN long labs(long x) {
  return x < 0 ? long(0 - static_cast<unsigned long>(x)) : x;
}
KILN_FN long long llabs(long long x) {
  return x < 0 ? static_cast<long long>(0 - static_cast<uint64>(x)) : x;
}
// Bits that are set.
template <integer T>
KILN_FN int popcount(T x) {
  if constexpr (sizeof(T) > 4) {
    return KILN_POPULATION_64(static_cast<uint64>(x));
  } else {
    return KILN_POPULATION_32(static_cast<uint32>(x) & (0xffffffffu >> (32 - 8 * sizeof(T))));
  }
}

}  // namespace kiln
