// sin, cos and tan of a register's lanes; see avx512_cpu.hpp.
#pragma once
#include "kiln/math/avx512_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln {

// The vendor's functions, of numbers far from 0.
#define KILN_FAR(name, libm)       \
  KILN_FN float name(float x) {    \
    return __builtin_##libm##f(x); \
  }                                \
  KILN_FN double name(double x) {  \
    return __builtin_##libm(x);    \
  }
KILN_FAR(sine_of_far, sin)
KILN_FAR(cosine_of_far, cos)
KILN_FAR(tangent_of_far, tan)
#undef KILN_FAR

namespace avx512 {

// What is left of x after n quarters of a turn, a quarter in three numbers, is right up to `far`. Beyond it, and of infinities
// and NaN, it is the vendor's functions that know.
template <class T>
struct circle;
template <>
struct circle<float> {
  using lanes = floats;
  using bits = ints;
  static constexpr int second_bit = 30;
  static constexpr float far = 0x1p15f, round = 0x1.8p23f, per_quarter = 0x1.45f306p-1f;
  static constexpr float quarter = 0x1.921fb6p+0f, quarter_rest = -0x1.777a5cp-25f, quarter_tail = -0x1.ee59dap-50f;
  // sin(r) = r + r z curve(z) of even, cos(r) = 1 + z curve(z) of odd quarters, z = r^2.
  static KILN_FN lanes term(bits i, float sine, float cosine) {
    const lanes both = {sine, cosine, sine, cosine, sine, cosine, sine, cosine,
                        sine, cosine, sine, cosine, sine, cosine, sine, cosine};
    return __builtin_ia32_permvarsf512(both, i);
  }
  static KILN_FN lanes curve(lanes z, bits i) {
    const lanes second = fused(z, term(i, 0x1.6cd1aep-19f, 0x1.9933d6p-16f), term(i, -0x1.a00f7ep-13f, -0x1.6c087ep-10f));
    return fused(z, fused(z, second, term(i, 0x1.111108p-7f, 0x1.55553ep-5f)), term(i, -0x1.555556p-3f, -0x1.000000p-1f));
  }
  // tan(r) = above(r, z) / under(z)
  static KILN_FN lanes above(lanes r, lanes z) { return fused(r * z, pair(z, 0x1.19bb92p-10f, -0x1.c81c70p-4f), r); }
  static KILN_FN lanes under(lanes z) { return polynomial(z, 1, -0x1.c75c72p-2f, 0x1.05aad0p-6f); }
};
template <>
struct circle<double> {
  using lanes = doubles;
  using bits = longs;
  static constexpr int second_bit = 62;
  static constexpr double far = 0x1p23, round = 0x1.8p52, per_quarter = 0x1.45f306dc9c883p-1;
  static constexpr double quarter = 0x1.921fb54442d18p+0, quarter_rest = 0x1.1a62633145c07p-54;
  static constexpr double quarter_tail = -0x1.f1976b7ed8fbcp-110;
  // Not by a permutation as of floats: so many of them take as long as the arithmetic (0.67 ns, 0.71).
  static KILN_FN lanes term(bits i, double sine, double cosine) { return (i & 1) != 0 ? lanes(cosine) : lanes(sine); }
  static KILN_FN lanes curve(lanes z, bits i) {
    const lanes z_2 = z * z;
    const lanes first =
        fused(z, term(i, 0x1.111111110f7c9p-7, 0x1.555555554f93bp-5), term(i, -0x1.5555555555548p-3, -0x1.fffffffffffa3p-2));
    const lanes second = fused(z, term(i, 0x1.71de356704911p-19, 0x1.a019f882bac21p-16),
                               term(i, -0x1.a01a019bfd05fp-13, -0x1.6c16c16489178p-10));
    const lanes third = fused(z, term(i, 0x1.5d8fa08bf6c95p-33, 0x1.1b95d330edc8ap-29),
                              term(i, -0x1.ae5e59ebe0166p-26, -0x1.27df6b76bd05cp-22));
    return fused(z_2, fused(z_2, third, second), first);
  }
  static KILN_FN lanes above(lanes r, lanes z) {
    return fused(r * z, polynomial(z, -0x1.06b8f80f2acd4p-3, 0x1.6fc351a4cf398p-9, -0x1.f625a31c33da8p-18), r);
  }
  static KILN_FN lanes under(lanes z) {
    return polynomial(z, 1, -0x1.d8b1d15ceab9cp-2, 0x1.7e79939b9bc68p-6, -0x1.b51d40150f3cbp-13);
  }
};
template <class C, class V>
KILN_FN V remainder(V x, V n) {
  return fused(n, V(-C::quarter_tail), fused(n, V(-C::quarter_rest), fused(n, V(-C::quarter), x)));
}
template <class V>
using of_number = number_of<V> (*)(number_of<V>);

// sin(x + more quarters), the other way round where `sign` is negative: 1.4 ulp of float32, 1.9 of float64. On a Zen 4 0.29 ns
// of a float and 0.67 of a double, libmvec's 0.26 and 0.65 with up to 2.1 and 3.5 ulp. Polynomials for half a turn are a fifth
// faster of floats, but 2.7 ulp off where they take away most, and the cosine of small numbers is not 1.
template <class C, class V = typename C::lanes, class B = bits_of<V>>
KILN_FN V sine_from(V x, int more, B sign) {
  const V sum = fused(x, V(C::per_quarter), V(C::round));
  const V r = remainder<C>(x, sum - C::round);
  const B i = (B)sum + more;
  const V z = r * r, from = (i & 1) != 0 ? V(1) : r;
  const V y = fused(from * z, C::curve(z, i), from);
  return (V)((B)y ^ (((i << C::second_bit) ^ sign) & (B)V(-0.0f)));
}
// The same, but both curves are computed, and each lane takes its own: what a sine and a cosine of one x share is all but that
// choice, and LLVM keeps it once. For one of the two alone sine_from() is faster. The cosine is computed of |x|: every step
// rounds alike on both sides of 0.
template <class C, class V = typename C::lanes, class B = bits_of<V>>
KILN_FN V joined_from(V x, int more, B sign) {
  const V a = __builtin_elementwise_abs(x);
  const V sum = fused(a, V(C::per_quarter), V(C::round));
  const V r = remainder<C>(a, sum - C::round);
  const V z = r * r;
  const V sine = fused(r * z, C::curve(z, B(0)), r), cosine = fused(z, C::curve(z, B(1)), V(1));
  const B n = (B)sum;
  const V y = (n & 1) != 0 ? (more == 0 ? cosine : sine) : (more == 0 ? sine : cosine);
  return (V)((B)y ^ ((((n + more) << C::second_bit) ^ sign) & (B)V(-0.0f)));
}
template <class C>
KILN_FN typename C::lanes sine(typename C::lanes x) {
  using V = typename C::lanes;
  using B = bits_of<V>;
  return with_rare_others<static_cast<of_number<V>>(sine_of_far)>(below(x, C::far),
                                                                  sine_from<C>(__builtin_elementwise_abs(x), 0, (B)x), x);
}
template <class C>
KILN_FN typename C::lanes cosine(typename C::lanes x) {
  using V = typename C::lanes;
  using B = bits_of<V>;
  return with_rare_others<static_cast<of_number<V>>(cosine_of_far)>(below(x, C::far), sine_from<C>(x, 1, B(0)), x);
}
template <class C>
KILN_FN typename C::lanes joined_sine(typename C::lanes x) {
  using V = typename C::lanes;
  return with_rare_others<static_cast<of_number<V>>(sine_of_far)>(below(x, C::far), joined_from<C>(x, 0, (bits_of<V>)x), x);
}
template <class C>
KILN_FN typename C::lanes joined_cosine(typename C::lanes x) {
  using V = typename C::lanes;
  return with_rare_others<static_cast<of_number<V>>(cosine_of_far)>(below(x, C::far), joined_from<C>(x, 1, bits_of<V>(0)), x);
}
// 3.3 ulp of float32, 3.1 of float64. On a Zen 4 0.35 ns of a float and 0.81 of a double, libmvec's 0.37 and 0.85 with up
// to 3.7 and 3.4 ulp.
template <class C>
KILN_FN typename C::lanes tangent(typename C::lanes x) {
  using V = typename C::lanes;
  using B = bits_of<V>;
  const V a = __builtin_elementwise_abs(x);
  const V sum = fused(a, V(C::per_quarter), V(C::round));
  const V r = remainder<C>(a, sum - C::round);
  const V z = r * r;
  const V above = C::above(r, z), under = C::under(z);
  const B i = (B)sum;
  const auto odd = (i & 1) != 0;
  const V size = quotient(odd ? under : above, odd ? above : under);
  const V y = (V)((B)size ^ ((i << (C::second_bit + 1)) ^ ((B)x & (B)V(-0.0f))));
  return with_rare_others<static_cast<of_number<V>>(tangent_of_far)>(below(x, C::far), y, x);
}

}  // namespace avx512

template <class T>
KILN_FN T sine_of_lanes(T x) {
  return avx512::of_lanes<avx512::sine<avx512::circle<T>>, avx512::joined_sine<avx512::circle<T>>>(x);
}
template <class T>
KILN_FN T cosine_of_lanes(T x) {
  return avx512::of_lanes<avx512::cosine<avx512::circle<T>>, avx512::joined_cosine<avx512::circle<T>>>(x);
}
template <class T>
KILN_FN T tangent_of_lanes(T x) {
  return avx512::of_lanes<avx512::tangent<avx512::circle<T>>>(x);
}

}  // namespace kiln
#pragma float_control(pop)
