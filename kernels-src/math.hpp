// The functions of <cmath> under one set of names, overloaded on type. float32 stays float32, halves are computed in float32,
// integers alone count as float64 and beside a floating argument take its type. Rarer ones have headers of
// their own, as each costs compile time.
#pragma once
#include "kiln/types.hpp"

#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000u)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#endif

namespace kiln {

inline constexpr double pi = 3.141592653589793238462643383279502884;
#ifndef M_PI
inline constexpr double M_PI = pi;
#endif
#ifndef M_E
inline constexpr double M_E = 2.718281828459045235360287471352662498;
#endif

template <class... T>
concept any_double = (same<T, double> || ...);
template <class... T>
concept any_single = ((same<T, float> || half_like<T>) || ...);
template <bool Double>
struct choose_float {
  using type = double;
};
template <>
struct choose_float<false> {
  using type = float;
};
// The type that a function of these arguments computes in and returns.
template <class... T>
using float_of = typename choose_float<any_double<T...> || !any_single<T...>>::type;

#define KILN_FUNCTION_1(name, single, twice)  \
  template <real_number T>                    \
  KILN_FN float_of<T> name(T x) {             \
    if constexpr (same<float_of<T>, float>) { \
      return single(static_cast<float>(x));   \
    } else {                                  \
      return twice(static_cast<double>(x));   \
    }                                         \
  }
#define KILN_FUNCTION_2(name, single, twice)                        \
  template <real_number A, real_number B>                           \
  KILN_FN float_of<A, B> name(A x, B y) {                           \
    if constexpr (same<float_of<A, B>, float>) {                    \
      return single(static_cast<float>(x), static_cast<float>(y));  \
    } else {                                                        \
      return twice(static_cast<double>(x), static_cast<double>(y)); \
    }                                                               \
  }
#define KILN_LIBM_1(name) KILN_FUNCTION_1(name, KILN_LIBM(name##f), KILN_LIBM(name))
#define KILN_LIBM_2(name) KILN_FUNCTION_2(name, KILN_LIBM(name##f), KILN_LIBM(name))

KILN_FUNCTION_1(sqrt, KILN_SQRTF, KILN_LIBM(sqrt))
KILN_LIBM_1(exp)

// Fused where there is an instruction for it, whatever the user's text may have fused.
KILN_FN float multiply_add(float a, float b, float c) {
  if constexpr (KILN_FUSED) {
    return KILN_LIBM(fmaf)(a, b, c);
  } else {
    return a * b + c;
  }
}
// Cephes' polynomial (S. Moshier), without branches: 2 ulp, and faster than the vector function of glibc.
KILN_FN float log_by_polynomial(float x) {
  const bool small = x < 0x1p-126f;
  const uint32 bits = bit_cast<uint32>(small ? x * 0x1p23f : x);
  // The fraction in [sqrt(1/2), sqrt(2)).
  const int32 shifted = int32(bits - 0x3f3504f3u);
  const float e = static_cast<float>((shifted >> 23) - (small ? 23 : 0));
  const float t = bit_cast<float>(bits - (uint32(shifted) & 0xff800000u)) - 1;
  const float z = t * t;
  float p = 7.0376836292e-2f;
  p = multiply_add(p, t, -1.1514610310e-1f);
  p = multiply_add(p, t, 1.1676998740e-1f);
  p = multiply_add(p, t, -1.2420140846e-1f);
  p = multiply_add(p, t, 1.4249322787e-1f);
  p = multiply_add(p, t, -1.6668057665e-1f);
  p = multiply_add(p, t, 2.0000714765e-1f);
  p = multiply_add(p, t, -2.4999993993e-1f);
  p = multiply_add(p, t, 3.3333331174e-1f);
  const float tail = multiply_add(-0.5f, z, multiply_add(e, -2.12194440e-4f, p * t * z));
  const float y = multiply_add(e, 0.693359375f, t + tail);
  return x > 0 ? (x < INFINITY ? y : x) : x == 0 ? -INFINITY : NAN;
}
KILN_FUNCTION_1(log, KILN_LOGF, KILN_LIBM(log))
KILN_LIBM_1(sin)
KILN_LIBM_1(cos)
KILN_LIBM_1(floor)
KILN_LIBM_1(fabs)
KILN_LIBM_2(fmin)
KILN_LIBM_2(fmax)
KILN_LIBM_2(copysign)

// The square of a float is exact in double, and nothing overflows: as good as libm's, and it vectorizes.
KILN_FN float hypot_by_double(float x, float y) {
  const float r = static_cast<float>(KILN_LIBM(sqrt)(static_cast<double>(x) * x + static_cast<double>(y) * y));
  const bool infinite = KILN_LIBM(fabsf)(x) == INFINITY || KILN_LIBM(fabsf)(y) == INFINITY;
  return infinite ? INFINITY : r;
}
KILN_FUNCTION_2(hypot, KILN_HYPOTF, KILN_LIBM(hypot))

template <real_number A, real_number B, real_number C>
KILN_FN float_of<A, B, C> fma(A x, B y, C z) {
  if constexpr (same<float_of<A, B, C>, float>) {
    return KILN_LIBM(fmaf)(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  } else {
    return KILN_LIBM(fma)(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
  }
}
template <real_number T>
KILN_FN float_of<T> rsqrt(T x) {
  return 1 / sqrt(x);
}
template <real_number T, class R>
KILN_FN void sincos(T x, R* sine, R* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

// An integer's stays an integer; the smallest has no positive counterpart and stays what it is.
template <real_number T>
KILN_FN auto abs(T x) {
  if constexpr (!integer<T>) {
    return fabs(x);
  } else if constexpr (T(-1) < T(0)) {
    return x < 0 ? T(0 - static_cast<uint64>(x)) : x;
  } else {
    return x;
  }
}

template <class A, class B>
struct common {
  using type = float_of<A, B>;
};
template <integer A, integer B>
struct common<A, B> {
  using type = decltype(true ? A() : B());
};
template <class A, class B>
using common_t = typename common<A, B>::type;
// As std::min and std::max: the first argument where neither is smaller, or one is NaN. fmin and fmax ignore NaN.
template <real_number A, real_number B>
KILN_FN common_t<A, B> min(A a, B b) {
  const auto x = static_cast<common_t<A, B>>(a);
  const auto y = static_cast<common_t<A, B>>(b);
  return y < x ? y : x;
}
template <real_number A, real_number B>
KILN_FN common_t<A, B> max(A a, B b) {
  const auto x = static_cast<common_t<A, B>>(a);
  const auto y = static_cast<common_t<A, B>>(b);
  return x < y ? y : x;
}
template <real_number T, real_number L, real_number H>
KILN_FN auto clamp(T x, L low, H high) {
  return min(max(x, low), high);
}
// -1, 0 or 1, and 0 of -0; NaN of NaN.
template <real_number T>
KILN_FN auto sign(T x) {
  if constexpr (integer<T>) {
    if constexpr (T(-1) < T(0)) {
      return T((x > 0) - (x < 0));
    } else {
      return T(x != 0);
    }
  } else {
    const float_of<T> y = static_cast<float_of<T>>(x);
    return y > 0 ? float_of<T>(1) : y < 0 ? float_of<T>(-1) : y == 0 ? float_of<T>(0) : y;
  }
}

// Of a real number; complex_math.hpp has the others.
template <real_number T>
KILN_FN T real(T x) {
  return x;
}
template <real_number T>
KILN_FN T imag(T) {
  return T(0);
}
template <real_number T>
KILN_FN T conj(T x) {
  return x;
}

template <real_number T>
KILN_FN bool isnan(T x) {
  return x != x;
}
template <real_number T>
KILN_FN bool isinf(T x) {
  return fabs(x) == static_cast<float_of<T>>(INFINITY);
}
template <real_number T>
KILN_FN bool isfinite(T x) {
  return fabs(x) < static_cast<float_of<T>>(INFINITY);
}
template <real_number T>
KILN_FN bool signbit(T x) {
  if constexpr (same<float_of<T>, float>) {
    return bit_cast<int32>(static_cast<float>(x)) < 0;
  } else {
    return bit_cast<int64>(static_cast<double>(x)) < 0;
  }
}

}  // namespace kiln
