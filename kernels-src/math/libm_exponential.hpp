// exp, exp2, expm1, log, log2, log10 and cbrt of kiln's own, for GPUs without a vendor's library; see own_polynomial.hpp. All
// are plain arithmetic. Exponents of results that a number cannot have come in two factors, of which the last alone rounds.
#pragma once
#include "kiln/math/own_exponential.hpp"

KILN_PRECISE_BEGIN
KILN_SEPARATE_PRODUCTS
namespace kiln::libm {

// x * 2^n, of |n| up to twice the largest exponent.
KILN_FN float times_power_of_2(float x, int32 n) {
  const int32 half = n >> 1;
  return x * bit_cast<float>(uint32(127 + half) << 23) * bit_cast<float>(uint32(127 + (n - half)) << 23);
}
KILN_FN double times_power_of_2(double x, int32 n) {
  const int32 half = n >> 1;
  return x * bit_cast<double>(uint64(uint32(1023 + half)) << 52) * bit_cast<double>(uint64(uint32(1023 + (n - half))) << 52);
}
// Within limits; NaN stays NaN.
template <class T>
KILN_FN T within_limits(T x, T least, T most) {
  const T low = x > most ? most : x;
  return low < least ? least : low;
}
// The integer of a sum with round_in_place.
KILN_FN int32 whole_of(float sum) {
  return int32(bit_cast<uint32>(sum) - bit_cast<uint32>(round_in_place<float>));
}
KILN_FN int32 whole_of(double sum) {
  return int32(uint32(bit_cast<uint64>(sum)));
}

// e^r - 1 of |r| up to log(2) / 2 and a little.
KILN_FN float growth(float r) {
  return fused(r * r, polynomial(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239dep-7f, 0x1.6a2440p-10f), r);
}
KILN_FN double growth(double r) {
  return fused(r * r,
               polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6dbp-7,
                          0x1.6c16c16c1f0ecp-10, 0x1.a01a01afd39d8p-13, 0x1.a01a017ba5912p-16, 0x1.71ddf87f84567p-19,
                          0x1.27e5366faa05bp-22, 0x1.af5e736011d90p-26, 0x1.1ee82198d7a18p-29),
               r);
}

KILN_FN float expf(float x) {
  const float a = within_limits(x, -105.0f, 90.0f);
  const float sum = fused(a, 0x1.715476p+0f, round_in_place<float>);
  return times_power_of_2(growth(less_ln2(a, sum - round_in_place<float>)) + 1, whole_of(sum));
}
KILN_FN double exp(double x) {
  const double a = within_limits(x, -750.0, 715.0);
  const double sum = fused(a, 0x1.71547652b82fep+0, round_in_place<double>);
  return times_power_of_2(growth(less_ln2(a, sum - round_in_place<double>)) + 1, whole_of(sum));
}
// Exact of integers.
KILN_FN float exp2f(float x) {
  const float a = within_limits(x, -151.0f, 129.0f);
  const float sum = a + round_in_place<float>;
  return times_power_of_2(growth((a - (sum - round_in_place<float>)) * 0x1.62e43p-1f) + 1, whole_of(sum));
}
KILN_FN double exp2(double x) {
  const double a = within_limits(x, -1080.0, 1030.0);
  const double sum = a + round_in_place<double>;
  return times_power_of_2(growth((a - (sum - round_in_place<double>)) * 0x1.62e42fefa39efp-1) + 1, whole_of(sum));
}
// All of it a half until the end, where infinity is 2^1024.
KILN_FN double expm1(double x) {
  const double a = within_limits(x, -40.0, 710.0);
  const double sum = fused(a, 0x1.71547652b82fep+0, round_in_place<double>);
  const double e = growth(less_ln2(a, sum - round_in_place<double>));
  const double s = power_of_2(sum, -1);
  const double half = fused(s, e, s - 0.5);
  return KILN_LIBM(fabs)(x) < 0x1p-54 ? x : half + half;  // of -0, and nothing of a subnormal number is lost
}

// x = 2^exponent (1 + fraction), the sum in [sqrt(1/2), sqrt(2)), of a positive number.
KILN_FN parts_of_sum<double> split_number(double x) {
  const bool small = x < 0x1p-1022;
  const uint64 shifted = bit_cast<uint64>(small ? x * 0x1p54 : x) - 0x3fe6a09e667f3bcdull;
  const int32 exponent = int32(int64(shifted) >> 52) - (small ? 54 : 0);
  return {static_cast<double>(exponent), bit_cast<double>((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1};
}
// Of 0, infinity, negative numbers and NaN.
KILN_FN double known_of_logarithm(double x, double y) {
  return x > 0 ? (x < double(INFINITY) ? y : x) : x == 0 ? -double(INFINITY) : double(NAN);
}
KILN_FN double log(double x) {
  return known_of_logarithm(x, log_of(split_number(x)));
}

// log(1 + f), and a product, in two numbers.
struct in_two {
  double high, low;
};
KILN_FN in_two log_in_two(double f) {
  const double s = f / (2 + f), square = 0.5 * f * f, z = s * s;
  const double p = z * polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd70p-2, 0x1.24924941f53fdp-2, 0x1.c71c5205dfa03p-3,
                                  0x1.74663fa8361ecp-3, 0x1.39a1a68623834p-3, 0x1.2f0637a3d7fd8p-3);
  const double high = f - square;
  return {high, ((f - high) - square) - fused(0.5 * f, f, -square) + s * (square + p)};
}
KILN_FN in_two product_in_two(double x, double y, double y_rest) {
  const double p = x * y;
  return {p, fused(x, y, -p) + x * y_rest};
}
// a + b, where |a| is the larger or 0.
KILN_FN double sum_of_two(const in_two& a, const in_two& b) {
  const double sum = a.high + b.high;
  const double back = sum - a.high;
  return sum + (((a.high - (sum - back)) + (b.high - back)) + (a.low + b.low));
}
KILN_FN double log2(double x) {
  const parts_of_sum<double> of = split_number(x);
  const in_two l = log_in_two(of.fraction);
  in_two product = product_in_two(l.high, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  product.low = fused(l.low, 0x1.71547652b82fep+0, product.low);
  return known_of_logarithm(x, sum_of_two({of.exponent, 0}, product));
}
KILN_FN double log10(double x) {
  const parts_of_sum<double> of = split_number(x);
  const in_two l = log_in_two(of.fraction);
  in_two product = product_in_two(l.high, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  product.low = fused(l.low, 0x1.bcb7b1526e50ep-2, product.low);
  return known_of_logarithm(x, sum_of_two(product_in_two(of.exponent, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59), product));
}
KILN_FN float log2f(float x) {
  return static_cast<float>(log2(x));
}
KILN_FN float log10f(float x) {
  return static_cast<float>(log10(x));
}
KILN_FN float cbrtf(float x) {
  return static_cast<float>(cbrt_by_bits(x));
}

}  // namespace kiln::libm
KILN_PRECISE_END
