// Functions that cuda_fp16.h and cuda_bf16.h have alike, for KILN_HALF, and for the pair of two of them that KILN_HALF2 is.
// Each header includes this once. Arithmetic is float32's; each function rounds its result to a half once.
namespace kiln {

struct alignas(4) KILN_HALF2 {
  KILN_HALF x;
  KILN_HALF y;
  KILN_HALF2() = default;
  KILN_FN KILN_HALF2(KILN_HALF low, KILN_HALF high) : x(low), y(high) {}
};

#define KILN_HALF_FUNCTION(name, name2, operation)       \
  KILN_FN KILN_HALF name(KILN_HALF a, KILN_HALF b) {     \
    return KILN_HALF(float(a) operation float(b));       \
  }                                                      \
  KILN_FN KILN_HALF2 name2(KILN_HALF2 a, KILN_HALF2 b) { \
    return {name(a.x, b.x), name(a.y, b.y)};             \
  }
KILN_HALF_FUNCTION(__hadd, __hadd2, +)
KILN_HALF_FUNCTION(__hsub, __hsub2, -)
KILN_HALF_FUNCTION(__hmul, __hmul2, *)
KILN_HALF_FUNCTION(__hadd_rn, __hadd2_rn, +)
KILN_HALF_FUNCTION(__hsub_rn, __hsub2_rn, -)
KILN_HALF_FUNCTION(__hmul_rn, __hmul2_rn, *)
KILN_HALF_FUNCTION(__hdiv, __h2div, /)
#undef KILN_HALF_FUNCTION
KILN_FN KILN_HALF __hneg(KILN_HALF x) {
  return -x;
}
KILN_FN KILN_HALF2 __hneg2(KILN_HALF2 x) {
  return {-x.x, -x.y};
}
KILN_FN KILN_HALF __habs(KILN_HALF x) {
  return KILN_HALF::from_bits(uint16(x.bits & 0x7fffu));
}
KILN_FN KILN_HALF2 __habs2(KILN_HALF2 x) {
  return {__habs(x.x), __habs(x.y)};
}
KILN_FN KILN_HALF __hfma(KILN_HALF a, KILN_HALF b, KILN_HALF c) {
  return KILN_HALF(sum_to_odd(double(a) * double(b), double(c)));
}
KILN_FN KILN_HALF2 __hfma2(KILN_HALF2 a, KILN_HALF2 b, KILN_HALF2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

// To [0, 1], and NaN to 0.
KILN_FN KILN_HALF saturated(KILN_HALF x) {
  const float value = float(x);
  return value > 0 ? (value < 1 ? x : KILN_HALF(1)) : KILN_HALF(0);
}
#define KILN_SATURATED(name, function)                         \
  KILN_FN KILN_HALF name##_sat(KILN_HALF a, KILN_HALF b) {     \
    return saturated(name(a, b));                              \
  }                                                            \
  KILN_FN KILN_HALF2 name##2_sat(KILN_HALF2 a, KILN_HALF2 b) { \
    return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)};       \
  }
KILN_SATURATED(__hadd, __hadd2)
KILN_SATURATED(__hsub, __hsub2)
KILN_SATURATED(__hmul, __hmul2)
#undef KILN_SATURATED
KILN_FN KILN_HALF __hfma_sat(KILN_HALF a, KILN_HALF b, KILN_HALF c) {
  return saturated(__hfma(a, b, c));
}
KILN_FN KILN_HALF2 __hfma2_sat(KILN_HALF2 a, KILN_HALF2 b, KILN_HALF2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}

KILN_FN bool __hisnan(KILN_HALF x) {
  return (x.bits & 0x7fffu) > infinite_half<KILN_HALF>;
}
KILN_FN int __hisinf(KILN_HALF x) {
  return (x.bits & 0x7fffu) == infinite_half<KILN_HALF> ? (x.bits >> 15 != 0 ? -1 : 1) : 0;
}
KILN_FN KILN_HALF2 __hisnan2(KILN_HALF2 x) {
  return {KILN_HALF(__hisnan(x.x)), KILN_HALF(__hisnan(x.y))};
}

// Comparisons; of NaN they are false, and those that end in "u" true. Of pairs 1 or 0 of each, and whether both hold.
#define KILN_HALF_COMPARISON(way, ordered)                                       \
  KILN_FN bool __h##way(KILN_HALF a, KILN_HALF b) {                              \
    return !__hisnan(a) && !__hisnan(b) && float(a) ordered float(b);            \
  }                                                                              \
  KILN_FN bool __h##way##u(KILN_HALF a, KILN_HALF b) {                           \
    return __hisnan(a) || __hisnan(b) || float(a) ordered float(b);              \
  }                                                                              \
  KILN_FN KILN_HALF2 __h##way##2(KILN_HALF2 a, KILN_HALF2 b) {                   \
    return {KILN_HALF(__h##way(a.x, b.x)), KILN_HALF(__h##way(a.y, b.y))};       \
  }                                                                              \
  KILN_FN KILN_HALF2 __h##way##u2(KILN_HALF2 a, KILN_HALF2 b) {                  \
    return {KILN_HALF(__h##way##u(a.x, b.x)), KILN_HALF(__h##way##u(a.y, b.y))}; \
  }                                                                              \
  KILN_FN bool __hb##way##2(KILN_HALF2 a, KILN_HALF2 b) {                        \
    return __h##way(a.x, b.x) && __h##way(a.y, b.y);                             \
  }                                                                              \
  KILN_FN bool __hb##way##u2(KILN_HALF2 a, KILN_HALF2 b) {                       \
    return __h##way##u(a.x, b.x) && __h##way##u(a.y, b.y);                       \
  }
KILN_HALF_COMPARISON(eq, ==)
KILN_HALF_COMPARISON(ne, !=)
KILN_HALF_COMPARISON(lt, <)
KILN_HALF_COMPARISON(le, <=)
KILN_HALF_COMPARISON(gt, >)
KILN_HALF_COMPARISON(ge, >=)
#undef KILN_HALF_COMPARISON

// The number where the other is NaN, or NaN; -0 is below 0.
#define KILN_HALF_EXTREMUM(name, is_first)                                      \
  KILN_FN KILN_HALF name(KILN_HALF a, KILN_HALF b) {                            \
    if (__hisnan(a)) return __hisnan(b) ? not_a_number<KILN_HALF>() : b;        \
    return __hisnan(b) || (is_first) ? a : b;                                   \
  }                                                                             \
  KILN_FN KILN_HALF name##_nan(KILN_HALF a, KILN_HALF b) {                      \
    return __hisnan(a) || __hisnan(b) ? not_a_number<KILN_HALF>() : name(a, b); \
  }                                                                             \
  KILN_FN KILN_HALF2 name##2(KILN_HALF2 a, KILN_HALF2 b) {                      \
    return {name(a.x, b.x), name(a.y, b.y)};                                    \
  }                                                                             \
  KILN_FN KILN_HALF2 name##2_nan(KILN_HALF2 a, KILN_HALF2 b) {                  \
    return {name##_nan(a.x, b.x), name##_nan(a.y, b.y)};                        \
  }
KILN_HALF_EXTREMUM(__hmax, half_order(a) > half_order(b))
KILN_HALF_EXTREMUM(__hmin, half_order(a) < half_order(b))
#undef KILN_HALF_EXTREMUM

#define KILN_HALF_OPERATOR(op, name)                                 \
  KILN_FN KILN_HALF2 operator op(KILN_HALF2 a, KILN_HALF2 b) {       \
    return name(a, b);                                               \
  }                                                                  \
  KILN_FN KILN_HALF2& operator op##=(KILN_HALF2 & a, KILN_HALF2 b) { \
    return a = name(a, b);                                           \
  }
KILN_HALF_OPERATOR(+, __hadd2)
KILN_HALF_OPERATOR(-, __hsub2)
KILN_HALF_OPERATOR(*, __hmul2)
KILN_HALF_OPERATOR(/, __h2div)
#undef KILN_HALF_OPERATOR
KILN_FN KILN_HALF2 operator-(KILN_HALF2 x) {
  return __hneg2(x);
}
KILN_FN KILN_HALF2 operator+(KILN_HALF2 x) {
  return x;
}
KILN_FN bool operator==(KILN_HALF2 a, KILN_HALF2 b) {
  return __hbeq2(a, b);
}
KILN_FN bool operator!=(KILN_HALF2 a, KILN_HALF2 b) {
  return __hbneu2(a, b);
}
KILN_FN bool operator<(KILN_HALF2 a, KILN_HALF2 b) {
  return __hblt2(a, b);
}
KILN_FN bool operator<=(KILN_HALF2 a, KILN_HALF2 b) {
  return __hble2(a, b);
}
KILN_FN bool operator>(KILN_HALF2 a, KILN_HALF2 b) {
  return __hbgt2(a, b);
}
KILN_FN bool operator>=(KILN_HALF2 a, KILN_HALF2 b) {
  return __hbge2(a, b);
}

KILN_FN float __low2float(KILN_HALF2 x) {
  return float(x.x);
}
KILN_FN float __high2float(KILN_HALF2 x) {
  return float(x.y);
}
KILN_FN KILN_HALF2 __lowhigh2highlow(KILN_HALF2 x) {
  return {x.y, x.x};
}

// What kiln's functions of float32 give, rounded. A kernel has the headers of those that it calls
// (lib/kiln/source/cuda_names.hpp).
#define KILN_HALF_MATH(name, expression)         \
  template <class F = float>                     \
  KILN_FN KILN_HALF h##name(KILN_HALF of) {      \
    const F x = F(of);                           \
    return KILN_HALF(expression);                \
  }                                              \
  template <class F = float>                     \
  KILN_FN KILN_HALF2 h2##name(KILN_HALF2 of) {   \
    return {h##name<F>(of.x), h##name<F>(of.y)}; \
  }
KILN_HALF_MATH(sqrt, sqrt(x))
KILN_HALF_MATH(rsqrt, rsqrt(x))
KILN_HALF_MATH(rcp, 1 / x)
KILN_HALF_MATH(exp, exp(x))
KILN_HALF_MATH(exp2, exp2(x))
KILN_HALF_MATH(exp10, pow(F(10), x))
KILN_HALF_MATH(log, log(x))
KILN_HALF_MATH(log2, log2(x))
KILN_HALF_MATH(log10, log10(x))
KILN_HALF_MATH(sin, sin(x))
KILN_HALF_MATH(cos, cos(x))
KILN_HALF_MATH(tanh, tanh(x))
KILN_HALF_MATH(ceil, ceil(x))
KILN_HALF_MATH(floor, floor(x))
KILN_HALF_MATH(trunc, trunc(x))
KILN_HALF_MATH(rint, rint(x))
#undef KILN_HALF_MATH

// In one step, in raw kernels, which have atomic_add.
template <class T = KILN_HALF>
KILN_FN KILN_HALF atomicAdd(KILN_HALF* at, KILN_HALF x) {
  return atomic_add(static_cast<T*>(at), T(x));
}
template <class T = KILN_HALF2>
KILN_FN KILN_HALF2 atomicAdd(KILN_HALF2* at, KILN_HALF2 x) {
  return atomic_add(static_cast<T*>(at), T(x));
}

template <>
inline constexpr bool is_half_pair<KILN_HALF2> = true;

}  // namespace kiln
