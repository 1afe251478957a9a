// CUDA's quick functions, rounded arithmetic and conversions, where the compiler has none. For NVIDIA's GPUs they are its
// instructions; elsewhere the quick ones are as exact as the others. A kernel has the headers of what they call.
#pragma once
#include "kiln/math/math.hpp"

#if KILN_LACKS_QUICK

namespace kiln {

// A function of float32: by NVIDIA's instructions, and by kiln's functions, which are looked for where it is called.
#define KILN_QUICK(name, instructions, otherwise)   \
  template <class T, class F = float>               \
  KILN_FN float name(T number) {                    \
    const F x = static_cast<F>(number);             \
    return KILN_BY_NVIDIA(instructions, otherwise); \
  }
KILN_QUICK(__expf, __nvvm_ex2_approx_f(x * 1.4426950408889634f), exp(x))
KILN_QUICK(__exp10f, __nvvm_ex2_approx_f(x * 3.3219280948873623f), pow(F(10), x))
KILN_QUICK(__logf, __nvvm_lg2_approx_f(x) * 0.6931471805599453f, log(x))
KILN_QUICK(__log2f, __nvvm_lg2_approx_f(x), log2(x))
KILN_QUICK(__log10f, __nvvm_lg2_approx_f(x) * 0.3010299956639812f, log10(x))
KILN_QUICK(__sinf, __nvvm_sin_approx_f(x), sin(x))
KILN_QUICK(__cosf, __nvvm_cos_approx_f(x), cos(x))
KILN_QUICK(__tanf, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)), tan(x))
#undef KILN_QUICK
template <class T, class F = float>
KILN_FN float __powf(T base, float exponent) {
  const F x = static_cast<F>(base), y = exponent;
  return KILN_BY_NVIDIA(__nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)), pow(x, y));
}
template <class T, class F = float>
KILN_FN void __sincosf(T number, float* s, float* c) {
  const F x = static_cast<F>(number);
  *s = KILN_BY_NVIDIA(__nvvm_sin_approx_f(x), sin(x));
  *c = KILN_BY_NVIDIA(__nvvm_cos_approx_f(x), cos(x));
}

// Arithmetic that is rounded once, but for __fdividef.
#define KILN_ROUNDED_1(T, name, instruction, otherwise) \
  KILN_FN T name(T x) {                                 \
    return KILN_BY_NVIDIA(instruction, otherwise);      \
  }
#define KILN_ROUNDED_2(T, name, instruction)         \
  KILN_FN T name(T x, T y) {                         \
    return KILN_BY_NVIDIA(instruction(x, y), x / y); \
  }
KILN_ROUNDED_2(float, __fdividef, __nvvm_div_approx_f)
KILN_ROUNDED_2(float, __fdiv_rn, __nvvm_div_rn_f)
KILN_ROUNDED_2(double, __ddiv_rn, __nvvm_div_rn_d)
KILN_ROUNDED_1(float, __frcp_rn, __nvvm_rcp_rn_f(x), 1 / x)
KILN_ROUNDED_1(double, __drcp_rn, __nvvm_rcp_rn_d(x), 1 / x)
KILN_ROUNDED_1(float, __fsqrt_rn, __nvvm_sqrt_rn_f(x), KILN_SQRTF(x))
KILN_ROUNDED_1(double, __dsqrt_rn, __nvvm_sqrt_rn_d(x), KILN_LIBM(sqrt)(x))
KILN_ROUNDED_1(float, __frsqrt_rn, 1 / __nvvm_sqrt_rn_f(x), 1 / KILN_SQRTF(x))
#undef KILN_ROUNDED_1
#undef KILN_ROUNDED_2

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
// By every rounding.
#define KILN_TO_INTEGER_BY(way, ptx, function, From, from, letter)                                                         \
  KILN_FN int __##from##2int_##way(From x) {                                                                               \
    return KILN_BY_NVIDIA(__nvvm_##letter##2i_##ptx(x), to_nearest_integer<int>(KILN_LIBM(function)(x)));                  \
  }                                                                                                                        \
  KILN_FN unsigned int __##from##2uint_##way(From x) {                                                                     \
    return KILN_BY_NVIDIA(__nvvm_##letter##2ui_##ptx(x), to_nearest_integer<unsigned int>(KILN_LIBM(function)(x)));        \
  }                                                                                                                        \
  KILN_FN long long __##from##2ll_##way(From x) {                                                                          \
    return KILN_BY_NVIDIA(__nvvm_##letter##2ll_##ptx(x), to_nearest_integer<long long>(KILN_LIBM(function)(x)));           \
  }                                                                                                                        \
  KILN_FN unsigned long long __##from##2ull_##way(From x) {                                                                \
    return KILN_BY_NVIDIA(__nvvm_##letter##2ull_##ptx(x), to_nearest_integer<unsigned long long>(KILN_LIBM(function)(x))); \
  }
#define KILN_TO_INTEGER(From, from, letter, f)             \
  KILN_TO_INTEGER_BY(rn, rn, rint##f, From, from, letter)  \
  KILN_TO_INTEGER_BY(rz, rz, trunc##f, From, from, letter) \
  KILN_TO_INTEGER_BY(rd, rm, floor##f, From, from, letter) \
  KILN_TO_INTEGER_BY(ru, rp, ceil##f, From, from, letter)
KILN_TO_INTEGER(float, float, f, f)
KILN_TO_INTEGER(double, double, d, )
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
