// CUDA's quick functions, rounded arithmetic and conversions, where the compiler has none: the quick ones are as exact as the
// others here. A kernel has the headers of what they call.
#pragma once
#include "kiln/math/math.hpp"

#if KILN_LACKS_QUICK

namespace kiln {

#define KILN_QUICK(name, function) \
  template <class T = float>       \
  KILN_FN T name(T x) {            \
    return function(x);            \
  }
KILN_QUICK(__expf, exp)
KILN_QUICK(__logf, log)
KILN_QUICK(__log2f, log2)
KILN_QUICK(__log10f, log10)
KILN_QUICK(__sinf, sin)
KILN_QUICK(__cosf, cos)
KILN_QUICK(__tanf, tan)
#undef KILN_QUICK
template <class T = float>
KILN_FN T __exp10f(T x) {
  return pow(T(10), x);
}
template <class T = float>
KILN_FN T __powf(T x, float y) {
  return pow(x, T(y));
}
template <class T = float>
KILN_FN void __sincosf(T x, float* s, float* c) {
  *s = sin(x);
  *c = cos(x);
}

KILN_FN float __fdividef(float x, float y) {
  return x / y;
}
KILN_FN float __fdiv_rn(float x, float y) {
  return x / y;
}
KILN_FN double __ddiv_rn(double x, double y) {
  return x / y;
}
KILN_FN float __frcp_rn(float x) {
  return 1 / x;
}
KILN_FN double __drcp_rn(double x) {
  return 1 / x;
}
KILN_FN float __fsqrt_rn(float x) {
  return KILN_SQRTF(x);
}
KILN_FN double __dsqrt_rn(double x) {
  return KILN_LIBM(sqrt)(x);
}
KILN_FN float __frsqrt_rn(float x) {
  return 1 / KILN_SQRTF(x);
}

// Of NaN 0, of what is beyond the ends the end.
template <class To, class From>
KILN_FN To to_nearest_integer(From x) {
  constexpr bool is_signed = To(-1) < To(0);
  constexpr From end = From(2) * From(To(1) << (sizeof(To) * 8 - 2)) * (is_signed ? From(1) : From(2));
  constexpr To most = To(is_signed ? ~(To(1) << (sizeof(To) * 8 - 1)) : ~To(0));
  if (x != x) return 0;
  if (x >= end) return most;
  if (x <= (is_signed ? -end : From(0))) return To(~most);
  return static_cast<To>(x);
}
#define KILN_TO_INTEGER_BY(way, function, From, from, f)                      \
  KILN_FN int __##from##2int_##way(From x) {                                  \
    return to_nearest_integer<int>(KILN_LIBM(function##f)(x));                \
  }                                                                           \
  KILN_FN unsigned int __##from##2uint_##way(From x) {                        \
    return to_nearest_integer<unsigned int>(KILN_LIBM(function##f)(x));       \
  }                                                                           \
  KILN_FN long long __##from##2ll_##way(From x) {                             \
    return to_nearest_integer<long long>(KILN_LIBM(function##f)(x));          \
  }                                                                           \
  KILN_FN unsigned long long __##from##2ull_##way(From x) {                   \
    return to_nearest_integer<unsigned long long>(KILN_LIBM(function##f)(x)); \
  }
#define KILN_TO_INTEGER(From, from, f)         \
  KILN_TO_INTEGER_BY(rn, rint, From, from, f)  \
  KILN_TO_INTEGER_BY(rz, trunc, From, from, f) \
  KILN_TO_INTEGER_BY(rd, floor, From, from, f) \
  KILN_TO_INTEGER_BY(ru, ceil, From, from, f)
KILN_TO_INTEGER(float, float, f)
KILN_TO_INTEGER(double, double, )
#undef KILN_TO_INTEGER
#undef KILN_TO_INTEGER_BY
#define KILN_TO_FLOAT(from, From)               \
  KILN_FN float __##from##2float_rn(From x) {   \
    return static_cast<float>(x);               \
  }                                             \
  KILN_FN double __##from##2double_rn(From x) { \
    return static_cast<double>(x);              \
  }
KILN_TO_FLOAT(int, int)
KILN_TO_FLOAT(uint, unsigned int)
KILN_TO_FLOAT(ll, long long)
KILN_TO_FLOAT(ull, unsigned long long)
#undef KILN_TO_FLOAT
KILN_FN float __double2float_rn(double x) {
  return static_cast<float>(x);
}

}  // namespace kiln

#endif
