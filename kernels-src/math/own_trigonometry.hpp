// Circular and hyperbolic functions of kiln's own; see own_polynomial.hpp.
#pragma once
#include "kiln/math/own_exponential.hpp"

KILN_PRECISE_BEGIN
namespace kiln {

// -expm1(-2 |x|) / (2 + expm1(-2 |x|)), where the two sums are rounded once each: 2 ulp. On a Zen 4 0.28 ns of a float and 0.84
// of a double, libmvec's 0.40 and 1.8. A rational function of x is faster still, but 5 ulp off.
KILN_FN float tanh_by_exponential(float x) {
  const float size = KILN_LIBM(fabsf)(x);
  const float a = size > 9.1f ? 9.1f : size;
  const float n = fused(a, -2 * 1.44269504f, round_in_place<float>);
  // Of half the exponent, since 2 |x| is a step more: r = e^h with coefficients of powers of 2.
  const float whole = n - round_in_place<float>;
  const float h = fused(whole, -0x1.7f7d1cp-21f, fused(whole, -0x1.62e4p-2f, -a));
  const float half = fused(
      h * h,
      polynomial(h, 2 * 0x1.fffffep-2f, 4 * 0x1.5554b0p-3f, 8 * 0x1.555674p-5f, 16 * 0x1.122774p-7f, 32 * 0x1.6bec1cp-10f), h);
  const float s = power_of_2(n), s_half = 0.5f * s;
  return KILN_LIBM(copysignf)(fused(s, half, s_half - 0.5f) / fused(s, half, s_half + 0.5f), x);
}
KILN_FN double tanh_by_exponential(double x) {
  const double size = KILN_LIBM(fabs)(x);
  const double a = 2 * (size > 20 ? 20 : size);
  const double n = fused(a, -1.4426950408889634074, round_in_place<double>);
  const double r = less_ln2(-a, n - round_in_place<double>);
  const double e = fused(r * r,
                         polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6dbp-7,
                                    0x1.6c16c16c1f0ecp-10, 0x1.a01a01afd39d8p-13, 0x1.a01a017ba5912p-16, 0x1.71ddf87f84567p-19,
                                    0x1.27e5366faa05bp-22, 0x1.af5e736011d90p-26, 0x1.1ee82198d7a18p-29),
                         r);
  const double s = power_of_2(n);
  return KILN_LIBM(copysign)(fused(s, e, s - 1) / fused(s, e, s + 1), x);
}

// sinh(r), cosh(r) - 1 and quarters of 2^n and 2^-n, where |x| = n log(2) + r.
template <class T>
struct hyperbolic_parts {
  T sine, cosine, up, down;
};
template <one_of<float, double> T>
KILN_FN hyperbolic_parts<T> split_hyperbolic(T x) {
  constexpr bool twice = same<T, double>;
  const T size = fabs(x), limit = twice ? T(710.6) : T(89.5);
  const T a = size > limit ? limit : size;
  const T n = fused(a, T(1.4426950408889634074), round_in_place<T>);
  const T r = less_ln2(a, n - round_in_place<T>);
  const T z = r * r;
  T s, c;
  if constexpr (twice) {
    s = polynomial(z, 0x1.5555555555559p-3, 0x1.111111110f6afp-7, 0x1.a01a01afe4d6dp-13, 0x1.71ddf8549a794p-19,
                   0x1.af5ebd00bae21p-26);
    c = polynomial(z, 0x1.0000000000000p-1, 0x1.555555555555cp-5, 0x1.6c16c16c13f24p-10, 0x1.a01a01b17fc32p-16,
                   0x1.27e4c50083924p-22, 0x1.1f954702ea1bep-29);
  } else {
    s = polynomial(z, 0x1.5554b0p-3f, 0x1.1227fep-7f);
    c = polynomial(z, 0x1.000000p-1f, 0x1.55547ep-5f, 0x1.6d978cp-10f);
  }
  // Beyond 2^60 the falling exponential counts for nothing.
  const T far = round_in_place<T> + 60;
  return {fused(r * z, s, r), z * c, power_of_2(n, -2), power_of_2(2 * round_in_place<T> - (n < far ? n : far), -2)};
}
// sinh(r) cosh(n log(2)) + cosh(r) sinh(n log(2)), without a division: 2 ulp. On a Zen 4 0.31 ns of a float and 0.78 of a
// double, libmvec's 0.31 and 1.3. All of it is a half until the end, where infinity is 2^1024.
template <one_of<float, double> T>
KILN_FN T sinh_by_polynomials(T x) {
  const hyperbolic_parts<T> of = split_hyperbolic(x);
  const T difference = of.up - of.down;
  const T half = difference + fused(difference, of.cosine, (of.up + of.down) * of.sine);
  return fabs(x) < (same<T, double> ? T(0x1p-28) : T(0x1p-13)) ? x
                                                               : copysign(half + half, x);  // nothing of a subnormal is lost
}
// In the same way: 1.8 ulp, 0.27 ns of a float and 0.71 of a double, libmvec's 0.29 and 0.70.
template <one_of<float, double> T>
KILN_FN T cosh_by_polynomials(T x) {
  const hyperbolic_parts<T> of = split_hyperbolic(x);
  const T sum = of.up + of.down;
  const T half = sum + fused(sum, of.cosine, (of.up - of.down) * of.sine);
  return half + half;
}

// log1p(t + sqrt(t^2 + 2 t)) of t = x - 1: 2 ulp, 0.54 ns of a float on a Zen 4, libmvec's 0.74.
template <one_of<float, double> T>
KILN_FN T acosh_by_logarithm(T x) {
  const bool large = x > T(same<T, float> ? 0x1p30 : 0x1p60);
  const T t = x - 1;
  parts_of_sum<T> sum = split_sum(large ? x : t + sqrt(fused(t, t, t + t)));
  sum.exponent = large ? sum.exponent + 1 : sum.exponent;
  const T y = log_of(sum);
  return x >= 1 ? (x < T(INFINITY) ? y : x) : T(NAN);
}

// Of sizes above 1/2 by the sine of the half of what is left of a quarter turn, sqrt((1 - |x|) / 2); the rest of a difference
// of two numbers is added last. NaN beyond 1, as the root is.
template <one_of<float, double> T>
struct arcsine_parts {
  T s, rest;  // asin(s) = s + rest
  bool large;
};
template <one_of<float, double> T>
KILN_FN arcsine_parts<T> split_arcsine(T size) {
  const bool large = size > T(0.5);
  const T z = large ? fused(size, T(-0.5), T(0.5)) : size * size;
  const T s = large ? sqrt(z) : size;
  T p;
  if constexpr (same<T, float>) {
    p = polynomial(z, 0x1.5555c8p-3f, 0x1.3301ccp-4f, 0x1.7480d4p-5f, 0x1.8c0d1cp-6f, 0x1.5985dcp-5f);
  } else {
    const T z_2 = z * z, z_4 = z_2 * z_2;
    const T first = fused(z_2, polynomial(z, 0x1.6db6db42484aap-5, 0x1.f1c72c49e5bbep-6),
                          polynomial(z, 0x1.555555555538ep-3, 0x1.333333336ec9fp-4));
    const T second = fused(z_2, polynomial(z, 0x1.c6fbb5ea3562bp-7, 0x1.8ed0c69fb125fp-7),
                           polynomial(z, 0x1.6e89f299d3f04p-6, 0x1.1c6bfb63c6ddcp-6));
    const T third = fused(z_2, polynomial(z, -0x1.0a5bc4b80e357p-6, 0x1.059d1d1701b34p-5),
                          polynomial(z, 0x1.ab5540cbdf068p-8, 0x1.404a03fd4fe7fp-6));
    p = fused(z_4, fused(z_4, third, second), first);
  }
  return {s, s * z * p, large};
}
// Of a turn, in two numbers.
template <class T>
inline constexpr T quarter[2] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
template <>
inline constexpr float quarter<float>[2] = {0x1.921fb6p0f, -0x1.777a5cp-25f};
template <one_of<float, double> T>
KILN_FN T asin_by_root(T x) {
  const arcsine_parts<T> of = split_arcsine(T(fabs(x)));
  const T near = of.large ? fused(T(-2), of.s, quarter<T>[0]) : of.s;
  const T rest = of.large ? fused(T(-2), of.rest, quarter<T>[1]) : of.rest;
  return copysign(near + rest, x);
}
template <one_of<float, double> T>
KILN_FN T acos_by_root(T x) {
  const arcsine_parts<T> of = split_arcsine(T(fabs(x)));
  const bool below = x < 0;
  const T sign = below ? T(1) : T(-1), from = of.large ? (below ? T(2) : T(0)) : T(1);
  const T times = of.large ? -2 * sign : sign;
  const T near = fused(times, of.s, from * quarter<T>[0]);
  return near + fused(times, of.rest, from * quarter<T>[1]);
}

// Of x, (x - 1) / (x + 1) or -1 / x, whichever is below tan(pi / 8): 2 ulp, 0.84 ns on a Zen 4, libmvec's atan 1.08.
KILN_FN double atan_by_polynomial(double x) {
  const double a = KILN_LIBM(fabs)(x);
  const bool far = a > 0x1.3504f333f9de6p1, middle = a > 0x1.a827999fcef32p-2;
  const double t = (far ? -1 : middle ? a - 1 : a) / (far ? a : middle ? a + 1 : 1);
  const double z = t * t;
  const double p = polynomial(z, -0x1.555555555553dp-2, 0x1.99999999957bcp-3, -0x1.24924922a9e07p-3, 0x1.c71c70e4e3332p-4,
                              -0x1.745cf8be8fa3cp-4, 0x1.3b11173cceb79p-4, -0x1.10eba4cad004dp-4, 0x1.df0e45019b27bp-5,
                              -0x1.9cce6f317876ep-5, 0x1.37cb600450ffdp-5, -0x1.25551b2f79951p-6);
  const double rest = far ? 0x1.1a62633145c07p-54 : middle ? 0x1.1a62633145c07p-55 : 0;
  const double from = far ? 0x1.921fb54442d18p0 : middle ? 0x1.921fb54442d18p-1 : 0;
  return KILN_LIBM(copysign)(from + (fused(t * z, p, rest) + t), x);
}

// The angle of the point (left ? -beside : beside, above), of sizes that are not negative: that of the quotient of the smaller
// one by the larger, from the axis that is nearer.
KILN_FN float angle_by_polynomial(float above, float beside, bool left) {
  const bool steep = above > beside;
  const float n = steep ? beside : above, d = steep ? above : beside;
  const float t = n == d ? (n == 0 ? 0.0f : 1.0f) : n / d;
  const float z = t * t, z_2 = z * z;
  const float first =
      fused(z_2, polynomial(z, -0x1.230ad8p-3f, 0x1.b4e100p-4f), polynomial(z, -0x1.5554dcp-2f, 0x1.9978f4p-3f));
  const float second =
      fused(z_2, polynomial(z, -0x1.0c2a72p-6f, 0x1.7ece9cp-9f), polynomial(z, -0x1.355646p-4f, 0x1.61fcaap-5f));
  const float quarters = steep ? 1.0f : left ? 2.0f : 0.0f;
  const float turned = steep != left ? -t : t;
  const float rest = fused(turned * z, fused(z_2 * z_2, second, first), quarters * quarter<float>[1]);
  return fused(quarters, quarter<float>[0], rest + turned);
}
// Of (d - n) / (d + n) where the angle is beyond a sixteenth of a turn, so that the polynomial is shorter; scaled, as the sum
// of two large numbers overflows, and the bound between two subnormal ones is rounded to one of them.
KILN_FN double angle_by_polynomial(double above, double beside, bool left) {
  const bool steep = above > beside;
  const double n = steep ? beside : above, d = steep ? above : beside;
  const double scale = d > 1 ? 0x1p-2 : 0x1p60, n_scaled = n * scale, d_scaled = d * scale;
  const bool middle = n_scaled > 0x1.a827999fcef32p-2 * d_scaled;
  const double quotient = (middle ? n_scaled - d_scaled : n) / (middle ? n_scaled + d_scaled : d);
  const double t = n == d ? 0.0 : quotient;
  const double z = t * t, z_2 = z * z, z_4 = z_2 * z_2;
  const double first = fused(z_2, polynomial(z, -0x1.24924922a9e07p-3, 0x1.c71c70e4e3332p-4),
                             polynomial(z, -0x1.555555555553dp-2, 0x1.99999999957bcp-3));
  const double second = fused(z_2, polynomial(z, -0x1.10eba4cad004dp-4, 0x1.df0e45019b27bp-5),
                              polynomial(z, -0x1.745cf8be8fa3cp-4, 0x1.3b11173cceb79p-4));
  const double third = fused(z_2, -0x1.25551b2f79951p-6, polynomial(z, -0x1.9cce6f317876ep-5, 0x1.37cb600450ffdp-5));
  const double p = fused(z_4, fused(z_4, third, second), first);
  const double axis = steep ? 1.0 : left ? 2.0 : 0.0;
  const bool back = steep != left;
  const bool diagonal = middle | ((n == d) & (n > 0));
  const double quarters = diagonal ? axis + (back ? -0.5 : 0.5) : axis;
  const double turned = back ? -t : t;
  return fused(quarters, quarter<double>[0], fused(turned * z, p, quarters * quarter<double>[1]) + turned);
}
KILN_FN float atan_by_polynomial(float x) {
  return copysign(angle_by_polynomial(fabs(x), 1.0f, false), x);
}
template <one_of<float, double> T>
KILN_FN T atan2_by_polynomial(T y, T x) {
  return copysign(angle_by_polynomial(fabs(y), fabs(x), signbit(x)), y);
}

}  // namespace kiln
KILN_PRECISE_END
