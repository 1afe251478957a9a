// Circular and hyperbolic functions on the CPU; see polynomial_cpu.hpp.
#pragma once
#include "kiln/exponential_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln {

// -expm1(-2 |x|) / (2 + expm1(-2 |x|)), where the two sums are rounded once each: 2 ulp. On a Zen 4 0.28 ns of a float and 0.84
// of a double, libmvec's 0.40 and 1.8. A rational function of x is faster still, but 5 ulp off.
KILN_FN float tanh_by_exponential(float x) {
  const float size = __builtin_fabsf(x);
  const float a = size > 9.1f ? 9.1f : size;
  const float n = fused(a, -2 * 1.44269504f, round_in_place<float>);
  // Of half the exponent, since 2 |x| is a step more: r = e^h with coefficients of powers of 2.
  const float whole = n - round_in_place<float>;
  const float h = fused(whole, -0x1.7f7d1cp-21f, fused(whole, -0x1.62e4p-2f, -a));
  const float half = fused(
      h * h,
      polynomial(h, 2 * 0x1.fffffep-2f, 4 * 0x1.5554b0p-3f, 8 * 0x1.555674p-5f, 16 * 0x1.122774p-7f, 32 * 0x1.6bec1cp-10f), h);
  const float s = power_of_2(n), s_half = 0.5f * s;
  return __builtin_copysignf(fused(s, half, s_half - 0.5f) / fused(s, half, s_half + 0.5f), x);
}
KILN_FN double tanh_by_exponential(double x) {
  const double size = __builtin_fabs(x);
  const double a = 2 * (size > 20 ? 20 : size);
  const double n = fused(a, -1.4426950408889634074, round_in_place<double>);
  const double r = less_ln2(-a, n - round_in_place<double>);
  const double e = fused(r * r,
                         polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6dbp-7,
                                    0x1.6c16c16c1f0ecp-10, 0x1.a01a01afd39d8p-13, 0x1.a01a017ba5912p-16, 0x1.71ddf87f84567p-19,
                                    0x1.27e5366faa05bp-22, 0x1.af5e736011d90p-26, 0x1.1ee82198d7a18p-29),
                         r);
  const double s = power_of_2(n);
  return __builtin_copysign(fused(s, e, s - 1) / fused(s, e, s + 1), x);
}

// sinh(r) cosh(n log(2)) + cosh(r) sinh(n log(2)), without a division: 2 ulp. On a Zen 4 0.30 ns of a float and 0.75 of a
// double, libmvec's 0.31 and 1.3. All of it is a half until the end, where infinity is 2^1024.
template <one_of<float, double> T>
KILN_FN T sinh_by_polynomials(T x) {
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
  const T sine = fused(r * z, s, r), cosine = z * c;
  // Beyond 2^60 the falling exponential counts for nothing.
  const T far = round_in_place<T> + 60;
  const T up = power_of_2(n, -2), down = power_of_2(2 * round_in_place<T> - (n < far ? n : far), -2);
  const T difference = up - down;
  const T half = difference + fused(difference, cosine, (up + down) * sine);
  return copysign(half + half, x);
}

// log1p(t + sqrt(t^2 + 2 t)) of t = x - 1: 2 ulp, 0.54 ns on a Zen 4, libmvec's acoshf 0.74.
KILN_FN float acosh_by_logarithm(float x) {
  const bool large = x > 0x1p30f;
  const float t = x - 1;
  parts_of_sum<float> sum = split_sum(large ? x : t + __builtin_sqrtf(fused(t, t, t + t)));
  sum.exponent = large ? sum.exponent + 1 : sum.exponent;
  const float y = log_of(sum);
  return x >= 1 ? (x < INFINITY ? y : x) : NAN;
}

// Of x, (x - 1) / (x + 1) or -1 / x, whichever is below tan(pi / 8): 2 ulp, 0.84 ns on a Zen 4, libmvec's atan 1.08.
KILN_FN double atan_by_polynomial(double x) {
  const double a = __builtin_fabs(x);
  const bool far = a > 0x1.3504f333f9de6p1, middle = a > 0x1.a827999fcef32p-2;
  const double t = (far ? -1 : middle ? a - 1 : a) / (far ? a : middle ? a + 1 : 1);
  const double z = t * t;
  const double p = polynomial(z, -0x1.555555555553dp-2, 0x1.99999999957bcp-3, -0x1.24924922a9e07p-3, 0x1.c71c70e4e3332p-4,
                              -0x1.745cf8be8fa3cp-4, 0x1.3b11173cceb79p-4, -0x1.10eba4cad004dp-4, 0x1.df0e45019b27bp-5,
                              -0x1.9cce6f317876ep-5, 0x1.37cb600450ffdp-5, -0x1.25551b2f79951p-6);
  const double rest = far ? 0x1.1a62633145c07p-54 : middle ? 0x1.1a62633145c07p-55 : 0;
  const double from = far ? 0x1.921fb54442d18p0 : middle ? 0x1.921fb54442d18p-1 : 0;
  return __builtin_copysign(from + (fused(t * z, p, rest) + t), x);
}

}  // namespace kiln
#pragma float_control(pop)
