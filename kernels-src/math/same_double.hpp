// float64 functions where functions have the same bits on every device: what is added last is kept in two numbers, for less
// than 2 ulp.
#pragma once
#include "kiln/math/libm_exponential.hpp"
#include "kiln/math/own_trigonometry.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

using libm::in_two;

// a + b, exactly; of the second, where |a| is the larger, or 0.
KILN_FN in_two sum_in_two(double a, double b) {
  const double sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
KILN_FN in_two falling_sum(double a, double b) {
  const double sum = a + b;
  return {sum, (a - sum) + b};
}
KILN_FN in_two negative(const in_two& x) {
  return {-x.high, -x.low};
}
KILN_FN in_two product_of_two(const in_two& a, const in_two& b) {
  const double high = a.high * b.high;
  return {high, fused(a.high, b.high, -high) + fused(a.high, b.low, a.low * b.high)};
}
// a / b, by the reciprocal of b.
KILN_FN in_two quotient_in_two(const in_two& a, const in_two& b) {
  const double inverse = 1 / b.high, q = a.high * inverse;
  return {q, (fused(-q, b.high, a.high) + (a.low - q * b.low)) * inverse};
}

// e^r - 1, where x = n log(2) + r and sum is n in place.
struct growth_in_two {
  double sum;
  in_two growth;
};
KILN_FN growth_in_two grown(double x) {
  const double sum = fused(x, 0x1.71547652b82fep+0, round_in_place<double>), n = sum - round_in_place<double>;
  const double near = fused(n, -0x1.62e42fefa3800p-1, x), less = n * -0x1.ef35793c76730p-45;
  const double r = near + less, r_rest = (near - r) + less;
  const double curve = polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6dbp-7,
                                  0x1.6c16c16c1f0ecp-10, 0x1.a01a01afd39d8p-13, 0x1.a01a017ba5912p-16, 0x1.71ddf87f84567p-19,
                                  0x1.27e5366faa05bp-22, 0x1.af5e736011d90p-26, 0x1.1ee82198d7a18p-29);
  return {sum, falling_sum(r, fused(r * r, curve, fused(r, r_rest, r_rest)))};
}
// (e^x - 1) of `part`, a power of 2: its number is that of 2^part.
KILN_FN in_two expm1_in_two(double x, int32 part) {
  const growth_in_two of = grown(x);
  const double s = power_of_2(of.sum, part), one = power_of_2(round_in_place<double>, part);
  const in_two t = sum_in_two(s - one, s * of.growth.high);
  return {t.high, t.low + s * of.growth.low};
}
KILN_FN double expm1(double x) {
  const in_two half = expm1_in_two(libm::within_limits(x, -40.0, 710.0), -1);
  const double y = half.high + half.low;
  return KILN_LIBM(fabs)(x) < 0x1p-54 ? x : y + y;
}
// (t + t / (t + 1)) / 2 of t = e^|x| - 1, of which a quarter is computed.
KILN_FN double sinh(double x) {
  const double size = KILN_LIBM(fabs)(x);
  const in_two t = expm1_in_two(size > 710.6 ? 710.6 : size, -2);
  const in_two one_more = sum_in_two(t.high, 0.25);
  const in_two q = quotient_in_two(t, {one_more.high, one_more.low + t.low});
  const in_two y = sum_in_two(t.high, 0.25 * q.high);
  const double half = y.high + (y.low + (t.low + 0.25 * q.low));
  return size < 0x1p-28 ? x : KILN_LIBM(copysign)(half + half, x);
}
// t / (t + 2) of t = e^(2 |x|) - 1
KILN_FN double tanh(double x) {
  const double size = KILN_LIBM(fabs)(x);
  const in_two t = expm1_in_two(size > 20 ? 40 : 2 * size, 0), two_more = sum_in_two(t.high, 2);
  const in_two q = quotient_in_two(t, {two_more.high, two_more.low + t.low});
  return size < 0x1p-28 ? x : KILN_LIBM(copysign)(q.high + q.low, x);
}

// log(1 + x) + more.
KILN_FN double log_with(const parts_of_sum<double>& of, double more = 0) {
  const in_two l = libm::log_in_two(of.fraction);
  const in_two sum = falling_sum(of.exponent * 6.93147180369123816490e-01, l.high);
  return sum.high + (sum.low + (fused(of.exponent, 1.90821492927058770002e-10, l.low) + more));
}
KILN_FN double log(double x) {
  return libm::known_of_logarithm(x, log_with(libm::split_number(x)));
}
KILN_FN double log1p(double x) {
  const double y = KILN_LIBM(copysign)(log_with(split_sum(x)), x);
  return x > -1 ? (x < double(INFINITY) ? y : x) : x == -1 ? -double(INFINITY) : double(NAN);
}
// sqrt(x), of which x is at least 2^-1000, and what it lacks.
KILN_FN in_two root_in_two(double x, double rest) {
  const double root = KILN_LIBM(sqrt)(x);
  return {root, (fused(-root, root, x) + rest) * (0.5 / root)};
}
// log1p(a + a^2 / (1 + sqrt(1 + a^2))) of the size, which is log(2 a) where a square would count for nothing.
KILN_FN double asinh(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const bool large = a > 0x1p60;
  const double square = large ? 0.0 : a * a, rest = large ? 0.0 : fused(a, a, -square);
  const in_two one_more = sum_in_two(1, square);
  const in_two root = root_in_two(one_more.high, one_more.low + rest);
  const in_two below = sum_in_two(1, root.high), q = quotient_in_two({square, rest}, {below.high, below.low + root.low});
  const in_two t = sum_in_two(a, q.high);
  parts_of_sum<double> sum = split_sum(t.high);
  sum.exponent = large ? sum.exponent + 1 : sum.exponent;
  const double y = log_with(sum, (t.low + q.low) / (1 + t.high));
  return KILN_LIBM(copysign)(a < 0x1p-28 ? a : a < double(INFINITY) ? y : a, x);
}
// log1p(t + sqrt(t^2 + 2 t)) of t = x - 1.
KILN_FN double acosh(double x) {
  const bool large = x > 0x1p60;
  const double t = large ? 1.0 : x - 1;
  const double square = fused(t, t, t + t), rest = fused(t, t, (t + t) - square);
  const in_two root = root_in_two(square, rest);
  const in_two near = sum_in_two(t, t == 0 ? 0.0 : root.high);
  parts_of_sum<double> sum = split_sum(large ? x : near.high);
  sum.exponent = large ? sum.exponent + 1 : sum.exponent;
  const double y = log_with(sum, large | (t == 0) ? 0.0 : (near.low + root.low) / (1 + near.high));
  return x >= 1 ? (x < double(INFINITY) ? y : x) : double(NAN);
}
// log1p(2 a / (1 - a)) / 2 of the size.
KILN_FN double atanh(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const in_two less = falling_sum(1, -a), q = quotient_in_two({a + a, 0}, less), t = falling_sum(q.high, q.low);
  const double y = a < 1 ? 0.5 * log_with(split_sum(t.high), t.low / (1 + t.high)) : a == 1 ? double(INFINITY) : double(NAN);
  return KILN_LIBM(copysign)(a < 0x1p-28 ? a : y, x);
}

// As asin_by_root, with what the root and the difference lack.
KILN_FN double asin(double x) {
  const double size = KILN_LIBM(fabs)(x);
  const arcsine_parts<double> of = split_arcsine(size);
  const double z = fused(size, -0.5, 0.5), s_rest = of.large & (of.s > 0) ? fused(-of.s, of.s, z) * (0.5 / of.s) : 0.0;
  const in_two near = falling_sum(quarter<double>[0], of.large ? -2 * of.s : 0.0);
  const double large = near.high + (near.low + fused(-2.0, of.rest + s_rest, quarter<double>[1]));
  return KILN_LIBM(copysign)(of.large ? large : of.s + of.rest, x);
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
