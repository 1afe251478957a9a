// sin, cos and tan of kiln's own, for GPUs without a vendor's library; see own_polynomial.hpp.
#pragma once
#include "kiln/math/own_polynomial.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// An angle less the nearest quarters of a turn, and how many they are, to 4.
template <class T>
struct reduced_angle {
  T rest;
  uint32 quarters;
};

// 2 / pi: 1216 bits behind the point.
constexpr int32 kFactorWords = 19;
KILN_TABLE uint64 two_over_pi[kFactorWords] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

// Of a number of 2^23 and more (Payne and Hanek, 1983): of the product with 2 / pi only the bits around the point are made.
// What lies above them is whole turns.
struct reduced_in_two {
  double rest, more;
  uint32 quarters;
};
KILN_FN reduced_in_two reduce_far_in_two(double size) {
  using wide = unsigned __int128;
  const uint64 bits = bit_cast<uint64>(size);
  const uint64 m = (bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
  const int32 k = int32(bits >> 52) - 1075;  // size = m * 2^k
  const int32 first = k > 2 ? (k - 2) >> 6 : 0;
  // Of m and four words, the lowest first. No array: GPUs have no registers with an index.
  const wide w_0 = wide(m) * two_over_pi[first + 3], w_1 = wide(m) * two_over_pi[first + 2] + uint64(w_0 >> 64);
  const wide w_2 = wide(m) * two_over_pi[first + 1] + uint64(w_1 >> 64);
  const wide w_3 = wide(m) * two_over_pi[first] + uint64(w_2 >> 64);
  // The point is behind bit 256 - (k - 64 first); from 128 bits below it on: two words of fraction, and the quarters.
  const int32 low = 128 - (k - 64 * first), word = low >> 6, shift = low & 63;
  const uint64 a = word == 0 ? uint64(w_0) : word == 1 ? uint64(w_1) : uint64(w_2);
  const uint64 b = word == 0 ? uint64(w_1) : word == 1 ? uint64(w_2) : uint64(w_3);
  const uint64 c = word == 0 ? uint64(w_2) : word == 1 ? uint64(w_3) : uint64(w_3 >> 64);
  const uint64 d = word == 0 ? uint64(w_3) : word == 1 ? uint64(w_3 >> 64) : 0;
  const auto joined = [shift](uint64 here, uint64 next) {
    return shift == 0 ? here : (here >> shift) | (next << (64 - shift));
  };
  uint64 rest_low = joined(a, b), rest_high = joined(b, c);
  uint32 quarters = uint32(joined(c, d));
  const bool up = rest_high >> 63 != 0;  // nearer to the next quarter
  quarters += up ? 1 : 0;
  if (up) {
    rest_low = 0 - rest_low;
    rest_high = ~rest_high + (rest_low == 0 ? 1 : 0);
  }
  const double high = static_cast<double>(rest_high >> 11) * 0x1p-53;
  const double below = static_cast<double>(((rest_high & 0x7ff) << 52) | (rest_low >> 12)) * 0x1p-116;
  // What is left may be small: the two are as good as one of 106 bits, times a quarter in two numbers.
  const double sum = high + below, sum_rest = below - (sum - high);
  const double rest = sum * 0x1.921fb54442d18p+0;
  const double more = fused(sum, 0x1.921fb54442d18p+0, -rest) + (sum_rest * 0x1.921fb54442d18p+0 + sum * 0x1.1a62633145c07p-54);
  return {up ? -rest : rest, up ? -more : more, quarters & 3};
}
KILN_FN reduced_angle<double> reduce_far(double size) {
  const reduced_in_two of = reduce_far_in_two(size);
  return {of.rest + of.more, of.quarters};
}

// A quarter in three numbers, whose products with less than 2^23 are right to the last bit of what is left.
KILN_FN reduced_angle<double> reduce(double size) {
  if (size >= 0x1p23) {
    if (!(size < double(INFINITY))) return {double(NAN), 0};
    return reduce_far(size);
  }
  const double sum = fused(size, 0x1.45f306dc9c883p-1, round_in_place<double>), n = sum - round_in_place<double>;
  return {fused(n, 0x1.f1976b7ed8fbcp-110, fused(n, -0x1.1a62633145c07p-54, fused(n, -0x1.921fb54442d18p+0, size))),
          uint32(bit_cast<uint64>(sum)) & 3};
}
KILN_FN reduced_angle<float> reduce(float size) {
  if (!(size < 0x1p15f)) {
    const reduced_angle<double> far = reduce(static_cast<double>(size));
    return {static_cast<float>(far.rest), far.quarters};
  }
  const float sum = fused(size, 0x1.45f306p-1f, round_in_place<float>), n = sum - round_in_place<float>;
  return {fused(n, 0x1.ee59dap-50f, fused(n, 0x1.777a5cp-25f, fused(n, -0x1.921fb6p+0f, size))), bit_cast<uint32>(sum) & 3};
}

KILN_FN double sine_of(double r) {
  const double z = r * r;
  return fused(r * z,
               polynomial(z, -0x1.5555555555548p-3, 0x1.111111110f7c9p-7, -0x1.a01a019bfd05fp-13, 0x1.71de356704911p-19,
                          -0x1.ae5e59ebe0166p-26, 0x1.5d8fa08bf6c95p-33),
               r);
}
KILN_FN double cosine_of(double r) {
  const double z = r * r;
  return fused(z,
               polynomial(z, -0x1.fffffffffffa3p-2, 0x1.555555554f93bp-5, -0x1.6c16c16489178p-10, 0x1.a019f882bac21p-16,
                          -0x1.27df6b76bd05cp-22, 0x1.1b95d330edc8ap-29),
               1.0);
}
KILN_FN float sine_of(float r) {
  const float z = r * r;
  return fused(r * z, polynomial(z, -0x1.555556p-3f, 0x1.111108p-7f, -0x1.a00f7ep-13f, 0x1.6cd1aep-19f), r);
}
KILN_FN float cosine_of(float r) {
  const float z = r * r;
  return fused(z, polynomial(z, -0x1.000000p-1f, 0x1.55553ep-5f, -0x1.6c087ep-10f, 0x1.9933d6p-16f), 1.0f);
}
// tan(r) = above / under
template <class T>
struct tangent_parts {
  T above, under;
};
KILN_FN tangent_parts<double> tangent_of(double r) {
  const double z = r * r;
  return {fused(r * z, polynomial(z, -0x1.06b8f80f2acd4p-3, 0x1.6fc351a4cf398p-9, -0x1.f625a31c33da8p-18), r),
          polynomial(z, 1.0, -0x1.d8b1d15ceab9cp-2, 0x1.7e79939b9bc68p-6, -0x1.b51d40150f3cbp-13)};
}
KILN_FN tangent_parts<float> tangent_of(float r) {
  const float z = r * r;
  return {fused(r * z, polynomial(z, -0x1.c81c70p-4f, 0x1.19bb92p-10f), r),
          polynomial(z, 1.0f, -0x1.c75c72p-2f, 0x1.05aad0p-6f)};
}

template <class T>
KILN_FN T sine(T x) {
  const reduced_angle<T> of = reduce(T(fabs(x)));
  const T y = (of.quarters & 1) != 0 ? cosine_of(of.rest) : sine_of(of.rest);
  return ((of.quarters & 2) != 0) != signbit(x) ? -y : y;
}
template <class T>
KILN_FN T cosine(T x) {
  const reduced_angle<T> of = reduce(T(fabs(x)));
  const T y = (of.quarters & 1) != 0 ? sine_of(of.rest) : cosine_of(of.rest);
  return ((of.quarters + 1) & 2) != 0 ? -y : y;
}
// Both by one reduction.
template <class T>
KILN_FN void sine_and_cosine(T x, T* sine, T* cosine) {
  const reduced_angle<T> of = reduce(T(fabs(x)));
  const T even = sine_of(of.rest), odd = cosine_of(of.rest);
  const T y = (of.quarters & 1) != 0 ? odd : even, z = (of.quarters & 1) != 0 ? even : odd;
  *sine = ((of.quarters & 2) != 0) != signbit(x) ? -y : y;
  *cosine = ((of.quarters + 1) & 2) != 0 ? -z : z;
}
template <class T>
KILN_FN T tangent(T x) {
  const reduced_angle<T> of = reduce(T(fabs(x)));
  const tangent_parts<T> parts = tangent_of(of.rest);
  const T y = (of.quarters & 1) != 0 ? -parts.under / parts.above : parts.above / parts.under;
  return signbit(x) ? -y : y;
}
KILN_FN float sinf(float x) {
  return sine(x);
}
KILN_FN double sin(double x) {
  return sine(x);
}
KILN_FN float cosf(float x) {
  return cosine(x);
}
KILN_FN double cos(double x) {
  return cosine(x);
}
KILN_FN void sincosf(float x, float* sine, float* cosine) {
  sine_and_cosine(x, sine, cosine);
}
KILN_FN void sincos(double x, double* sine, double* cosine) {
  sine_and_cosine(x, sine, cosine);
}
KILN_FN float tanf(float x) {
  return tangent(x);
}
KILN_FN double tan(double x) {
  return tangent(x);
}

}  // namespace kiln::libm
KILN_PRECISE_END
