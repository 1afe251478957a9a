// The functions of <cmath> under one set of names, overloaded on type. float32 stays float32, halves are computed in float32,
// integers alone count as float64 and beside a floating argument take its type. Those that take
// more than a few lines have headers of their own, as each costs compile time.
#pragma once
#include "kiln/core/types.hpp"

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
#define KILN_SPECIAL_1(name) KILN_FUNCTION_1(name, KILN_SPECIAL(name##f), KILN_SPECIAL(name))
#define KILN_LIBM_2(name) KILN_FUNCTION_2(name, KILN_LIBM(name##f), KILN_LIBM(name))

// Where functions have the same bits on every device, those of namespace same, and else what follows.
#if KILN_SAME_BITS
#define KILN_SAME(name, otherwise) ::kiln::same_bits::name
#else
#define KILN_SAME(name, otherwise) otherwise
#endif

KILN_FUNCTION_1(sqrt, KILN_SQRTF, KILN_LIBM(sqrt))

KILN_LIBM_1(floor)
KILN_LIBM_1(fabs)
KILN_LIBM_2(fmin)
KILN_LIBM_2(fmax)
KILN_LIBM_2(copysign)

template <real_number A, real_number B, real_number C>
KILN_FN float_of<A, B, C> fma(A x, B y, C z) {
  if constexpr (same<float_of<A, B, C>, float>) {
    return KILN_LIBM(fmaf)(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  } else {
    return KILN_LIBM(fma)(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
  }
}
#if KILN_SAME_BITS
KILN_FN float reciprocal_root(float x) {
  return static_cast<float>(1 / KILN_LIBM(sqrt)(static_cast<double>(x)));
}
// With a step of Newton's.
KILN_FN double reciprocal_root(double x) {
  const double y = 1 / KILN_LIBM(sqrt)(x), root = x * y, rest = KILN_FMA(x, y, -root);
  const double lacks = KILN_FMA(-root, y, 1.0) - rest * y, near = KILN_FMA(0.5 * y, lacks, y);
  return (x > 0) & (x < static_cast<double>(INFINITY)) ? near : y;
}
template <real_number T>
KILN_FN float_of<T> rsqrt(T x) {
  return reciprocal_root(static_cast<float_of<T>>(x));
}
#else
template <real_number T>
KILN_FN float_of<T> rsqrt(T x) {
  return 1 / sqrt(x);
}
#endif
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
