// Registers of AVX-512 and what its instructions do to their lanes that no loop over single numbers compiles to: tables in
// registers, exponents and fractions of numbers, products with powers of 2, classes of numbers. Functions of whole registers
// are made of them; the vectorizer calls these for the lanes of a loop (lib/clang/passes/vector_math.cpp).
#pragma once
#include "kiln/math/math.hpp"

#pragma float_control(precise, on, push)
namespace kiln::avx512 {

typedef float floats __attribute__((ext_vector_type(16)));
typedef int32 ints __attribute__((ext_vector_type(16)));
typedef double doubles __attribute__((ext_vector_type(8)));
typedef int64 longs __attribute__((ext_vector_type(8)));

template <class V>
struct lanes_of_register;
template <>
struct lanes_of_register<floats> {
  using number = float;
  using bits = ints;
  static constexpr uint32 all = 0xffff;
};
template <>
struct lanes_of_register<doubles> {
  using number = double;
  using bits = longs;
  static constexpr uint32 all = 0xff;
};
template <class V>
using number_of = typename lanes_of_register<V>::number;
template <class V>
using bits_of = typename lanes_of_register<V>::bits;

inline constexpr int as_set = 4;  // how instructions round

template <class V>
KILN_FN V fused(V a, V b, V c) {
  return __builtin_elementwise_fma(a, b, c);
}
// c0 + c1 x + c2 x^2 + …
template <class V>
KILN_FN V polynomial(V, number_of<V> c) {
  return V(c);
}
template <class V, class... C>
KILN_FN V polynomial(V x, number_of<V> c, C... rest) {
  return fused(x, polynomial(x, rest...), V(c));
}
KILN_FN floats pair(floats x, float c_1, float c_0) {
  return fused(x, floats(c_1), floats(c_0));
}
KILN_FN doubles pair(doubles x, double c_1, double c_0) {
  return fused(x, doubles(c_1), doubles(c_0));
}
template <class V>
struct table {
  V low, high;
};
// The element whose number is in the low bits of each lane.
KILN_FN floats at(const table<floats>& t, ints i) {
  return __builtin_ia32_vpermi2varps512(t.low, i, t.high);
}
KILN_FN doubles at(const table<doubles>& t, longs i) {
  return __builtin_ia32_vpermi2varpd512(t.low, i, t.high);
}
// x 2^n, of n its whole part.
KILN_FN floats scaled(floats x, floats n) {
  return __builtin_ia32_scalefps512_mask(x, n, x, 0xffff, as_set);
}
KILN_FN doubles scaled(doubles x, doubles n) {
  return __builtin_ia32_scalefpd512_mask(x, n, x, 0xff, as_set);
}
// The n of |x| = 2^n m with m in [1, 2); infinite of 0 and infinity.
KILN_FN floats exponent(floats x) {
  return __builtin_ia32_getexpps512_mask(x, x, 0xffff, as_set);
}
KILN_FN doubles exponent(doubles x) {
  return __builtin_ia32_getexppd512_mask(x, x, 0xff, as_set);
}
// And the m.
KILN_FN floats fraction(floats x) {
  return __builtin_ia32_getmantps512_mask(x, 0, x, 0xffff, as_set);
}
KILN_FN doubles fraction(doubles x) {
  return __builtin_ia32_getmantpd512_mask(x, 0, x, 0xff, as_set);
}
// a / b, of usual size: 1.1 ulp. A division takes 10 cycles of floats and 17 of doubles on a Zen 4.
KILN_FN floats quotient(floats a, floats b) {
  const floats inverse = __builtin_ia32_rcp14ps512_mask(b, b, 0xffff), near = a * inverse;
  return fused(fused(-b, near, a), inverse, near);
}
KILN_FN doubles quotient(doubles a, doubles b) {
  const doubles guess = __builtin_ia32_rcp14pd512_mask(b, b, 0xff);
  const doubles inverse = fused(fused(-b, guess, doubles(1)), guess, guess), near = a * inverse;
  return fused(fused(-b, near, a), inverse, near);
}
// 1 / sqrt(x), to 14 digits.
KILN_FN floats inverse_root(floats x) {
  return __builtin_ia32_rsqrt14ps512_mask(x, x, 0xffff);
}
KILN_FN doubles inverse_root(doubles x) {
  return __builtin_ia32_rsqrt14pd512_mask(x, x, 0xff);
}
// The lanes whose size is below a limit.
KILN_FN uint32 below(floats x, float limit) {
  return __builtin_ia32_cmpps512_mask(__builtin_elementwise_abs(x), floats(limit), 1, 0xffff, as_set);
}
KILN_FN uint32 below(doubles x, double limit) {
  return __builtin_ia32_cmppd512_mask(__builtin_elementwise_abs(x), doubles(limit), 1, 0xff, as_set);
}
// Those in which neither is NaN.
KILN_FN uint32 ordered(floats x, floats y) {
  return __builtin_ia32_cmpps512_mask(x, y, 7, 0xffff, as_set);
}
KILN_FN uint32 ordered(doubles x, doubles y) {
  return __builtin_ia32_cmppd512_mask(x, y, 7, 0xff, as_set);
}
inline constexpr int zero = 2 | 4, negative = 64, zero_or_negative = zero | negative;
inline constexpr int infinite_subnormal_or_nan = 8 | 16 | 32 | 1 | 128;
template <int Classes>
KILN_FN uint32 lanes_of(floats x) {
  return __builtin_ia32_fpclassps512_mask(x, Classes, 0xffff);
}
template <int Classes>
KILN_FN uint32 lanes_of(doubles x) {
  return __builtin_ia32_fpclasspd512_mask(x, Classes, 0xff);
}
// y, but where x is of a class for which Answers has a digit other than 0: from the lowest digit on those for quiet and
// signalling NaN, 0, 1, -infinity, infinity, less than 0, more than 0. They mean: 1 x, 2 x as a quiet NaN, 3 NaN, 4 -infinity,
// 5 infinity, 8 0.
template <int32 Answers>
KILN_FN floats answered(floats y, floats x) {
  return __builtin_ia32_fixupimmps512_mask(y, x, ints(Answers), 0, 0xffff, as_set);
}
template <int32 Answers>
KILN_FN doubles answered(doubles y, doubles x) {
  return __builtin_ia32_fixupimmpd512_mask(y, x, longs(Answers), 0, 0xff, as_set);
}

// x within two limits; NaN stays NaN.
template <class V>
KILN_FN V within(V x, number_of<V> least, number_of<V> most) {
  const V low = V(most) < x ? V(most) : x;
  return V(least) > low ? V(least) : low;
}

// Lanes of a where the mask has a bit, and else of b.
KILN_FN floats chosen(uint32 mask, floats a, floats b) {
  return __builtin_ia32_selectps_512(mask, a, b);
}
KILN_FN doubles chosen(uint32 mask, doubles a, doubles b) {
  return __builtin_ia32_selectpd_512(mask, a, b);
}
// y, but where the mask has no bit what a function of single numbers gives for x: it is for few lanes, and what stands in the
// lanes beside must not show.
template <auto One, class V>
KILN_NOINLINE V with_others(uint32 usual, V y, V x) {
  number_of<V> from[sizeof(V) / sizeof(number_of<V>)], to[sizeof(V) / sizeof(number_of<V>)];
  __builtin_memcpy(from, &x, sizeof x);
  __builtin_memcpy(to, &y, sizeof y);
#pragma clang loop vectorize(disable) unroll(disable)
  for (uint32 left = usual ^ lanes_of_register<V>::all; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    to[i] = One(from[i]);
  }
  __builtin_memcpy(&y, to, sizeof y);
  return y;
}
template <auto One, class V>
KILN_FN V with_rare_others(uint32 usual, V y, V x) {
  return __builtin_expect(usual == lanes_of_register<V>::all, 1) ? y : with_others<One>(usual, y, x);
}

}  // namespace kiln::avx512

// Become calls of the function, for as many lanes as the vectorizer takes, or for one number, with the same bits. Two branches'
// calls of different functions must not become one.
extern "C" {
__attribute__((const, nothrow, nomerge)) float kiln_of_lanes_float(float x,
                                                                   kiln::avx512::floats (*lanes)(kiln::avx512::floats));
__attribute__((const, nothrow, nomerge)) double kiln_of_lanes_double(double x,
                                                                     kiln::avx512::doubles (*lanes)(kiln::avx512::doubles));
// The same bits by `lanes` and by `joined`: that is called where another function with a `joined` is called for the same lanes
// (lib/clang/passes/joined_lanes.cpp).
__attribute__((const, nothrow, nomerge)) float kiln_of_lanes_float_joined(float x,
                                                                          kiln::avx512::floats (*lanes)(kiln::avx512::floats),
                                                                          kiln::avx512::floats (*joined)(kiln::avx512::floats));
__attribute__((const, nothrow, nomerge)) double kiln_of_lanes_double_joined(
    double x, kiln::avx512::doubles (*lanes)(kiln::avx512::doubles), kiln::avx512::doubles (*joined)(kiln::avx512::doubles));
__attribute__((const, nothrow, nomerge)) float kiln_of_lanes_float_2(float x, float y,
                                                                     kiln::avx512::floats (*lanes)(kiln::avx512::floats,
                                                                                                   kiln::avx512::floats));
__attribute__((const, nothrow, nomerge)) double kiln_of_lanes_double_2(double x, double y,
                                                                       kiln::avx512::doubles (*lanes)(kiln::avx512::doubles,
                                                                                                      kiln::avx512::doubles));
}
namespace kiln::avx512 {
template <floats (*Of)(floats)>
KILN_FN float of_lanes(float x) {
  return kiln_of_lanes_float(x, Of);
}
template <doubles (*Of)(doubles)>
KILN_FN double of_lanes(double x) {
  return kiln_of_lanes_double(x, Of);
}
template <floats (*Of)(floats), floats (*Joined)(floats)>
KILN_FN float of_lanes(float x) {
  return kiln_of_lanes_float_joined(x, Of, Joined);
}
template <doubles (*Of)(doubles), doubles (*Joined)(doubles)>
KILN_FN double of_lanes(double x) {
  return kiln_of_lanes_double_joined(x, Of, Joined);
}
template <floats (*Of)(floats, floats)>
KILN_FN float of_lanes(float x, float y) {
  return kiln_of_lanes_float_2(x, y, Of);
}
template <doubles (*Of)(doubles, doubles)>
KILN_FN double of_lanes(double x, double y) {
  return kiln_of_lanes_double_2(x, y, Of);
}
}  // namespace kiln::avx512
#pragma float_control(pop)
