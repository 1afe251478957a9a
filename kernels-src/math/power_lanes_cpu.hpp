// pow of a register's lanes; see avx512_cpu.hpp. For a single number there is own_power.hpp.
//
// Where y is not large, x neither subnormal nor infinite nor NaN, and the result far from infinity and 0, the logarithm and its
// product with y are two numbers each, and what the curve of the logarithm loses is multiplied by y: 0.53 ulp with small y,
// 0.78 of float32 with 256, 1.1 of float64 with 128. Elsewhere it is what own_power.hpp has for single numbers.
#pragma once
#include "kiln/math/own_power.hpp"
#include "kiln/math/powers_of_2_lanes_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln::avx512 {

// |x| = 2^e m with m in [3/4, 3/2), and as many parts of these m, by their first bits, as a table has elements. Each has a c
// near 1/m of so few bits that m c - 1 is exact, 1 itself beside 1; the logarithm of 1/c in two numbers, the first of few bits;
// and powers of 2 in steps of one such part, in two numbers each.
template <class T>
struct power_of;
template <>
struct power_of<float> {
  using number = float;
  using lanes = floats;
  static constexpr int32 three_quarters = 0x3f400000;
  static constexpr int fraction = 23, index = 18;
  static constexpr float inverse_ln2 = 0x1.715476p+0f, inverse_ln2_rest = 0x1.4ae0cp-26f;
  static constexpr float round_to_step = 0x1.8p18f, far = 125, most = 256;
  static constexpr table<lanes> inverses = {
      {0x1p+0f, 0x1.fp-1f, 0x1.ep-1f, 0x1.dp-1f, 0x1.cp-1f, 0x1.bp-1f, 0x1.bp-1f, 0x1.ap-1f, 0x1.9p-1f, 0x1.9p-1f, 0x1.8p-1f,
       0x1.8p-1f, 0x1.7p-1f, 0x1.7p-1f, 0x1.6p-1f, 0x1.6p-1f},
      {0x1.5p+0f, 0x1.48p+0f, 0x1.48p+0f, 0x1.4p+0f, 0x1.38p+0f, 0x1.3p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.2p+0f, 0x1.2p+0f,
       0x1.18p+0f, 0x1.1p+0f, 0x1.1p+0f, 0x1.08p+0f, 0x1.08p+0f, 0x1p+0f}};
  static constexpr table<lanes> logarithms = {
      {0x0p+0f, 0x1.77p-5f, 0x1.7d8p-4f, 0x1.22ep-3f, 0x1.8a8p-3f, 0x1.f6p-3f, 0x1.f6p-3f, 0x1.32cp-2f, 0x1.6cbp-2f,
       0x1.6cbp-2f, 0x1.a9p-2f, 0x1.a9p-2f, 0x1.e7ep-2f, 0x1.e7ep-2f, 0x1.14c8p-1f, 0x1.14c8p-1f},
      {-0x1.91cp-2f, -0x1.6e2p-2f, -0x1.6e2p-2f, -0x1.49ap-2f, -0x1.244p-2f, -0x1.fbcp-3f, -0x1.fbcp-3f, -0x1.adp-3f,
       -0x1.5cp-3f, -0x1.5cp-3f, -0x1.08cp-3f, -0x1.664p-4f, -0x1.664p-4f, -0x1.6b8p-5f, -0x1.6b8p-5f, 0x0p+0f}};
  static constexpr table<lanes> logarithms_rest = {
      {0x0p+0f, 0x1.ca64ecp-16f, -0x1.fb693p-16f, -0x1.48f554p-17f, 0x1.30158p-16f, -0x1.3ab7cep-18f, -0x1.3ab7cep-18f,
       -0x1.1c8f12p-22f, 0x1.ed0cbap-19f, 0x1.ed0cbap-19f, -0x1.a39fbep-20f, -0x1.a39fbep-20f, -0x1.40358ep-19f,
       -0x1.40358ep-19f, -0x1.4f80ccp-16f, -0x1.4f80ccp-16f},
      {0x1.15db84p-16f, -0x1.0e6ce8p-17f, -0x1.0e6ce8p-17f, -0x1.e12f34p-16f, -0x1.eac382p-20f, -0x1.6b9026p-19f,
       -0x1.6b9026p-19f, 0x1.43a496p-16f, -0x1.a39fbep-19f, -0x1.a39fbep-19f, -0x1.62336ap-17f, 0x1.20a6dep-21f,
       0x1.20a6dep-21f, -0x1.69bac8p-16f, -0x1.69bac8p-16f, 0x0p+0f}};
  static constexpr table<lanes> powers = {
      {0x1p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f, 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,
       0x1.306fep+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
       0x1.6247ecp+0f},
      {0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f, 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f,
       0x1.a5503cp+0f, 0x1.ae89fap+0f, 0x1.b7f77p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
       0x1.ea4afap+0f, 0x1.f50766p+0f}};
  static constexpr table<lanes> powers_rest = {
      {0x0p+0f, -0x1.9d4f52p-25f, 0x1.9f3122p-25f, -0x1.fdb496p-25f, -0x1.c15742p-27f, -0x1.d2e8cap-25f, 0x1.ceac48p-25f,
       -0x1.5c0424p-25f, 0x1.4636e2p-25f, -0x1.18aac6p-25f, 0x1.824684p-25f, 0x1.8624b4p-30f, -0x1.593abcp-25f, -0x1.2c561p-25f,
       -0x1.5bd5ecp-27f, -0x1.f8b55p-25f},
      {0x1.9fcef4p-26f, 0x1.1d8beep-25f, -0x1.829fdp-25f, -0x1.accc7cp-26f, 0x1.15506ep-27f, -0x1.e64744p-25f, 0x1.51f848p-27f,
       -0x1.b83b54p-25f, -0x1.a94b14p-26f, -0x1.a09438p-25f, -0x1.3d56b2p-27f, -0x1.8837ccp-27f, -0x1.822dbcp-27f,
       -0x1.908c94p-25f, 0x1.52486cp-27f, -0x1.246ebp-26f}};
  // log2(1 + t) = t / ln(2) + t^2 curve(t)
  static KILN_FN lanes curve(lanes t) {
    return fused(t, fused(t, fused(t, lanes(0x1.2358fap-2f), lanes(-0x1.718132p-2f)), lanes(0x1.ec710cp-2f)),
                 lanes(-0x1.715476p-1f));
  }
  // 2^r = 1 + r growth(r)
  static KILN_FN lanes growth(lanes r) {
    return fused(r, fused(r, lanes(0x1.c6b11p-5f), lanes(0x1.ebfcccp-3f)), lanes(0x1.62e43p-1f));
  }
  static KILN_FN float of_one(float x, float y) { return power_of_floats(x, y); }
};
template <>
struct power_of<double> {
  using number = double;
  using lanes = doubles;
  static constexpr int64 three_quarters = 0x3fe8000000000000;
  static constexpr int fraction = 52, index = 48;
  static constexpr double inverse_ln2 = 0x1.71547652b82fep+0, inverse_ln2_rest = 0x1.777d0ffda0d24p-56;
  static constexpr double round_to_step = 0x1.8p48, far = 1000, most = 128;
  static constexpr table<lanes> inverses = {{0x1p+0, 0x1.dp-1, 0x1.cp-1, 0x1.ap-1, 0x1.9p-1, 0x1.8p-1, 0x1.7p-1, 0x1.6p-1},
                                            {0x1.5p+0, 0x1.4p+0, 0x1.38p+0, 0x1.28p+0, 0x1.2p+0, 0x1.18p+0, 0x1.1p+0, 0x1p+0}};
  static constexpr table<lanes> logarithms = {{0x0p+0, 0x1.22dadc2abp-3, 0x1.8a8980abf8p-3, 0x1.32bfee371p-2, 0x1.6cb0f6865cp-2,
                                               0x1.a8ff97181p-2, 0x1.e7df5fe538p-2, 0x1.14c560fe68p-1},
                                              {-0x1.91bba891fp-2, -0x1.49a784bcdp-2, -0x1.24407ab0ep-2, -0x1.acf5e2db5p-3,
                                               -0x1.5c01a39fcp-3, -0x1.08c588cda8p-3, -0x1.663f6fac9p-4, 0x0p+0}};
  static constexpr table<lanes> logarithms_rest = {
      {0x0p+0, 0x1.a4b69691d7994p-42, 0x1.e9933354dbf17p-42, -0x1.1979a5db68722p-42, 0x1.1d406db502403p-43,
       0x1.4bc302ffa76fbp-43, 0x1.5669df6a2b592p-43, 0x1.5f101c141e67p-42},
      {-0x1.708b4b2b5056cp-42, -0x1.b8afe492bf6ffp-42, -0x1.ce60916e52e91p-44, 0x1.36c101ee1344p-43, 0x1.4bc302ffa76fbp-42,
       0x1.871a7610e40bdp-45, -0x1.3167ccc538261p-44, 0x0p+0}};
  static constexpr table<lanes> powers = sixteenths, powers_rest = sixteenths_rest;
  // By powers of powers: one after the other their steps were what took the time.
  static KILN_FN lanes curve(lanes t) {
    const lanes t_2 = t * t, t_4 = t_2 * t_2;
    const lanes first =
        fused(t_2, pair(t, 0x1.2776c50ef9bc3p-2, -0x1.71547652b82f8p-2), pair(t, 0x1.ec709dc3a03fdp-2, -0x1.71547652b82fep-1));
    const lanes second =
        fused(t_2, pair(t, 0x1.484b0cf0d5898p-3, -0x1.715475f5c2138p-3), pair(t, 0x1.a61762a87212fp-3, -0x1.ec709dc3ae138p-3));
    const lanes third =
        fused(t_2, pair(t, 0x1.8d70c0c1a6ff1p-4, -0x1.eb7014cf23fd1p-4), pair(t, 0x1.0cb2bcf4b8d08p-3, -0x1.2777b4830b966p-3));
    return fused(t_4 * t_4, third, fused(t_4, second, first));
  }
  static KILN_FN lanes growth(lanes r) {
    const lanes r_2 = r * r;
    const lanes first =
        fused(r_2, pair(r, 0x1.3b2ab6fb09b31p-7, 0x1.c6b08d704a0c1p-5), pair(r, 0x1.ebfbdff82c594p-3, 0x1.62e42fefa39efp-1));
    return fused(r_2 * r_2, fused(r_2, lanes(0x1.ffcd7ad9a6463p-17), pair(r, 0x1.430a49610efc6p-13, 0x1.5d87fe7846d2cp-10)),
                 first);
  }
  static KILN_FN double of_one(double x, double y) { return power_of_doubles(x, y); }
};

// What zeros and signs make of the power of a size.
template <class P, class V = typename P::lanes, class B = bits_of<V>>
KILN_FN V with_zero_and_sign(V x, V y, V power) {
  const B whole = (B)(__builtin_elementwise_rint(y) == y);
  const V y_half = y * V(0.5f);
  const B odd = whole & ~(B)(__builtin_elementwise_rint(y_half) == y_half);
  const V of_zero = y > V(0) ? V(0) : y < V(0) ? V(__builtin_inff()) : V(1);
  const V size = x == V(0) ? of_zero : ((B)(x < V(0)) & ~whole) != B(0) ? V(__builtin_nanf("")) : power;
  return (V)((B)size | ((B)x & odd & (B)V(-0.0f)));
}

// The loop of single numbers, of all lanes.
template <class P, class V = typename P::lanes>
KILN_NOINLINE V power_of_any(V x, V y) {
  number_of<V> a[sizeof(V) / sizeof(number_of<V>)], b[sizeof(V) / sizeof(number_of<V>)];
  __builtin_memcpy(a, &x, sizeof x);
  __builtin_memcpy(b, &y, sizeof y);
#pragma clang loop vectorize(assume_safety)
  for (uint64 i = 0; i < sizeof a / sizeof a[0]; ++i) {
    a[i] = P::of_one(a[i], b[i]);
  }
  __builtin_memcpy(&x, a, sizeof x);
  return x;
}

template <class P>
KILN_FN typename P::lanes power(typename P::lanes x, typename P::lanes y) {
  using V = typename P::lanes;
  using B = bits_of<V>;
  const B size = (B)__builtin_elementwise_abs(x);
  const B e = (size - P::three_quarters) >> P::fraction;
  const V m = (V)(size - (e << P::fraction));
  const B i = (B)m >> P::index;
  const V t = fused(m, at(P::inverses, i), V(-1));
  const V linear = t * P::inverse_ln2;
  const V linear_rest = fused(t, V(P::inverse_ln2), -linear);
  const V whole = __builtin_convertvector(e, V) + at(P::logarithms, i);
  const V logarithm = whole + linear;
  const V constant_rest = fused(t, V(P::inverse_ln2_rest), at(P::logarithms_rest, i)) + linear_rest;
  const V rest = fused(t * t, P::curve(t), constant_rest) + (linear - (logarithm - whole));
  const V z = y * logarithm;
  const V z_rest = fused(y, rest, fused(y, logarithm, -z));

  const uint32 special = lanes_of<infinite_subnormal_or_nan>(x);
  const uint32 other = lanes_of<zero_or_negative>(x);
  const uint32 usual = (below(z, P::far) | lanes_of<zero>(x)) & below(y, P::most) & ~special;
  const V sum = (z + z_rest) + P::round_to_step, n = sum - P::round_to_step, r = (z - n) + z_rest;
  const B j = (B)sum;
  const V step = at(P::powers, j);
  const V power = scaled(fused(step, r * P::growth(r), at(P::powers_rest, j)) + step, n);
  const V signed_power = __builtin_expect(other != 0, 0) ? with_zero_and_sign<P>(x, y, power) : power;
  return __builtin_expect(usual == lanes_of_register<V>::all, 1) ? signed_power
                                                                 : chosen(usual, signed_power, power_of_any<P>(x, y));
}

}  // namespace kiln::avx512
namespace kiln {
template <class T>
KILN_FN T power_of_lanes(T x, T y) {
  return avx512::of_lanes<avx512::power<avx512::power_of<T>>>(x, y);
}
}  // namespace kiln
#pragma float_control(pop)
