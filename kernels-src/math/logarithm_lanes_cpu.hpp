// log of a register's lanes; see avx512_cpu.hpp.
#pragma once
#include "kiln/math/avx512_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln::avx512 {

// x = 2^e m, where 1 / m is near an element c of a table: e log(2) - log(c) + log(m c), the last by a polynomial of t = m c
// - 1. The first two have no bits below those of a number so large that their sum is exact, and their rests apart; next to 1 c
// is 1/2, and nothing is left of the two. 1.1 ulp of float32, 1.25 of float64. The tables are of scripts/logarithm_tables.py.
// On a Zen 4 0.25 ns of a float and 0.64 of a double; libmvec's 0.29 and 0.70 with up to 3.9
// and 1.6 ulp.
template <class T>
struct logarithm_of;
template <>
struct logarithm_of<float> {
  using lanes = floats;
  static constexpr int index = 18;
  static constexpr float shift = 0x1.fcp-1f, ln2 = 0x1.62e4p-1f, ln2_rest = 0x1.7f7d1cp-20f;
  static constexpr table<lanes> inverses = {
      {0x1.f6p-1f, 0x1.e6p-1f, 0x1.d8p-1f, 0x1.cap-1f, 0x1.bep-1f, 0x1.b2p-1f, 0x1.a6p-1f, 0x1.9cp-1f, 0x1.92p-1f, 0x1.88p-1f,
       0x1.7ep-1f, 0x1.76p-1f, 0x1.6ep-1f, 0x1.66p-1f, 0x1.5ep-1f, 0x1.56p-1f},
      {0x1.5p-1f, 0x1.48p-1f, 0x1.42p-1f, 0x1.3cp-1f, 0x1.36p-1f, 0x1.3p-1f, 0x1.2ap-1f, 0x1.24p-1f, 0x1.2p-1f, 0x1.1ap-1f,
       0x1.16p-1f, 0x1.12p-1f, 0x1.0cp-1f, 0x1.08p-1f, 0x1.04p-1f, 0x1p-1f}};
  static constexpr table<lanes> logarithms = {
      {0x1.434p-6f, 0x1.aaep-5f, 0x1.4d3p-4f, 0x1.c88p-4f, 0x1.1aap-3f, 0x1.528p-3f, 0x1.8be8p-3f, 0x1.bd08p-3f, 0x1.ef58p-3f,
       0x1.1178p-2f, 0x1.2bfp-2f, 0x1.419cp-2f, 0x1.57cp-2f, 0x1.6e6p-2f, 0x1.8584p-2f, 0x1.9d34p-2f},
      {0x1.af54p-2f, 0x1.c8p-2f, 0x1.dae8p-2f, 0x1.ee2cp-2f, 0x1.00e6p-1f, 0x1.0ae8p-1f, 0x1.151cp-1f, 0x1.1f86p-1f,
       0x1.2696p-1f, 0x1.315ep-1f, 0x1.38aep-1f, 0x1.401ap-1f, 0x1.4b7p-1f, 0x1.5322p-1f, 0x1.5af4p-1f, 0x1.62e4p-1f}};
  static constexpr table<lanes> logarithms_rest = {
      {-0x1.56da68p-18f, 0x1.e5a1f6p-18f, 0x1.15d208p-20f, 0x1.6006f2p-18f, 0x1.5bf12p-18f, -0x1.a1b5e4p-19f, 0x1.7f59c8p-18f,
       0x1.ce0ef6p-21f, 0x1.6f26e8p-18f, 0x1.d044fcp-19f, -0x1.f0646ep-19f, -0x1.7b8542p-19f, -0x1.1586e6p-19f, 0x1.dcd5e4p-19f,
       0x1.5776dcp-18f, -0x1.415ea2p-18f},
      {-0x1.6adb74p-18f, -0x1.8e2eaap-20f, -0x1.56f66ep-19f, -0x1.ea94bep-18f, -0x1.46937ep-19f, -0x1.23a5f6p-18f,
       0x1.fb794cp-20f, 0x1.afe30cp-20f, 0x1.089a6ep-20f, -0x1.6ef2fep-19f, 0x1.0b8cbcp-20f, -0x1.ef6d1ap-20f, -0x1.48347ap-20f,
       0x1.c4d0dp-18f, 0x1.70d928p-23f, 0x1.7f7d1cp-20f}};
  // log(1 + t) = t + t^2 curve(t)
  static KILN_FN lanes curve(lanes t) { return fused(t * t, lanes(-0x1.fde8e2p-3f), pair(t, 0x1.5562b2p-2f, -0x1.000004p-1f)); }
};
template <>
struct logarithm_of<double> {
  using lanes = doubles;
  static constexpr int index = 48;
  static constexpr double shift = 0x1.f8p-1, ln2 = 0x1.62e42fefa38p-1, ln2_rest = 0x1.ef35793c7673p-45;
  static constexpr table<lanes> inverses = {
      {0x1.ecp-1, 0x1.ccp-1, 0x1.b4p-1, 0x1.9cp-1, 0x1.88p-1, 0x1.78p-1, 0x1.68p-1, 0x1.58p-1},
      {0x1.48p-1, 0x1.3cp-1, 0x1.3p-1, 0x1.24p-1, 0x1.1cp-1, 0x1.1p-1, 0x1.08p-1, 0x1p-1}};
  static constexpr table<lanes> logarithms = {{0x1.466aed42ep-5, 0x1.b6ac88dad4p-4, 0x1.4913d8333cp-3, 0x1.bd087383bep-3,
                                               0x1.1178e8227ep-2, 0x1.3c25277333p-2, 0x1.68ac83e9c7p-2, 0x1.973a343135p-2},
                                              {0x1.c7ff9c7455p-2, 0x1.ee2a156b41p-2, 0x1.0ae76e2d058p-1, 0x1.1f8635fc618p-1,
                                               0x1.2dbf557b0ep-1, 0x1.43d9ff2f92p-1, 0x1.5322e268678p-1, 0x1.62e42fefa38p-1}};
  static constexpr table<lanes> logarithms_rest = {
      {-0x1.c167375bdfd28p-45, 0x1.b1bdff50225c7p-44, -0x1.53e43558124c4p-44, -0x1.d4bc4595412b6p-45, 0x1.1ef78ce2d07f2p-44,
       0x1.83b54b606bd5cp-46, -0x1.7af966c548a3p-44, 0x1.ab73b16bf4984p-44},
      {0x1.324911f56db29p-44, 0x1.f27f45a470251p-45, -0x1.82de51de06076p-44, -0x1.a7242c9fe81d3p-45, -0x1.7a6e507b9dc11p-46,
       0x1.e267b0b7efae1p-44, 0x1.5ccc45d257531p-47, 0x1.ef35793c7673p-45}};
  // log(1 + t) = t + t^2 curve(t)
  static KILN_FN lanes curve(lanes t) {
    const lanes t_2 = t * t;
    const lanes first =
        fused(t_2, pair(t, 0x1.9999993f37e69p-3, -0x1.00000000f4726p-2), pair(t, 0x1.55555555573e7p-2, -0x1.fffffffffffb4p-2));
    const lanes second =
        fused(t_2, pair(t, 0x1.be4b5a1459979p-4, -0x1.007be194d7dd2p-3), pair(t, 0x1.24949c6fd5c61p-3, -0x1.55553c16026d3p-3));
    return fused(t_2 * t_2, second, first);
  }
};

template <class L>
KILN_FN typename L::lanes logarithm(typename L::lanes x) {
  using V = typename L::lanes;
  using B = bits_of<V>;
  const V near = x * L::shift;
  const V less = -exponent(near);
  const B i = (B)fraction(near) >> L::index;
  const V t = fused(scaled(x, less), at(L::inverses, i), V(-1));
  const V first = fused(less, V(-L::ln2), at(L::logarithms, i));
  const V constant_rest = fused(less, V(-L::ln2_rest), at(L::logarithms_rest, i));
  const V rest = fused(t * t, L::curve(t), constant_rest);
  // Where the two are of opposite sign, what the sum of them loses counts.
  const V sum = first + t;
  return answered<0x03538422>(sum + (rest + (t - (sum - first))), x);
}

}  // namespace kiln::avx512
namespace kiln {
template <class T>
KILN_FN T logarithm_of_lanes(T x) {
  return avx512::of_lanes<avx512::logarithm<avx512::logarithm_of<T>>>(x);
}
}  // namespace kiln
#pragma float_control(pop)
