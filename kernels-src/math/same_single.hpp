// float32 functions where functions have the same bits on every device: by float64, of fewer terms than its own functions have,
// so that what a float holds is rounded once. Polynomials are of scripts/minimax.py.
#pragma once
#include "kiln/math/own_exponential.hpp"

KILN_PRECISE_BEGIN
namespace kiln::same_bits {

KILN_FN double with_sign(double size, float x) {
  return KILN_LIBM(copysign)(size, static_cast<double>(x));
}

// e^r - 1 of sizes up to log(2) / 2.
KILN_FN double short_growth(double r) {
  return fused(r * r,
               polynomial(r, 0x1.00000025efdf7p-1, 0x1.555554efaf088p-3, 0x1.5554b13029b7fp-5, 0x1.1111893bda472p-7,
                          0x1.6d71f550c4c6ep-10, 0x1.a032f405fa215p-13),
               r);
}
// e^x - 1 of sizes below 700.
KILN_FN double short_expm1(double x) {
  const double sum = fused(x, 0x1.71547652b82fep+0, round_in_place<double>);
  const double e = short_growth(less_ln2(x, sum - round_in_place<double>)), s = power_of_2(sum);
  return fused(s, e, s - 1);
}
// e^x of sizes below 700.
KILN_FN double short_exp(double x) {
  const double sum = fused(x, 0x1.71547652b82fep+0, round_in_place<double>), s = power_of_2(sum);
  return fused(s, short_growth(less_ln2(x, sum - round_in_place<double>)), s);
}
// 2^n e^r of floats in two numbers of their own type: 0.6 ulp.
KILN_FN float power_of_parts(float sum, float r, float r_rest) {
  const float curve =
      fused(r * r, polynomial(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239dep-7f, 0x1.6a2440p-10f), r_rest);
  const float one = 1 + r, rest = (1 - one) + r;
  const float y = one + (rest + curve);
  const int32 n = int32(bit_cast<uint32>(sum) - bit_cast<uint32>(round_in_place<float>)), half = n >> 1;
  return y * bit_cast<float>(uint32(127 + half) << 23) * bit_cast<float>(uint32(127 + (n - half)) << 23);
}
KILN_FN float between(float x, float least, float most) {
  const float low = x > most ? most : x;
  return low < least ? least : low;
}
KILN_FN float expf(float x) {
  const float a = between(x, -105.0f, 90.0f);
  const float sum = fused(a, 0x1.715476p+0f, round_in_place<float>), n = sum - round_in_place<float>;
  const float near = fused(n, -0x1.62e4p-1f, a), less = n * -0x1.7f7d1cp-20f, r = near + less;
  return power_of_parts(sum, r, (near - r) + less);
}
KILN_FN float exp2f(float x) {
  const float a = between(x, -151.0f, 129.0f);
  const float sum = a + round_in_place<float>, n = a - (sum - round_in_place<float>);
  const float r = n * 0x1.62e430p-1f;
  return power_of_parts(sum, r, fused(n, 0x1.62e430p-1f, -r) + n * -0x1.05c610p-29f);
}
KILN_FN float expm1f(float x) {
  const float low = x < -20.0f ? -20.0f : x;
  return static_cast<float>(with_sign(KILN_LIBM(fabs)(short_expm1(low > 90.0f ? 90.0f : low)), x));
}

// log(x) = n log(2) + rest of a positive normal number, in float64.
struct short_logarithm {
  double n, rest;
};
KILN_FN short_logarithm short_log_of(double x) {
  const uint64 shifted = bit_cast<uint64>(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
  const double n = bit_cast<double>((shifted >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023);
  const double m = bit_cast<double>((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
  const double s = (m - 1) / (m + 1), z = s * s;
  return {n, s * polynomial(z, 0x1.0000000004a23p+1, 0x1.555554dac5f45p-1, 0x1.999a9ca19acc9p-2, 0x1.2432bbe0a642bp-2,
                            0x1.e3b04d511aafdp-3)};
}
KILN_FN double short_log(double x) {
  const short_logarithm of = short_log_of(x);
  return fused(of.n, 0x1.62e42fefa39efp-1, of.rest);
}
// The logarithm of any x, from that of a positive one.
KILN_FN float logarithm_from(double y, float x) {
  return x > 0 ? (x < INFINITY ? static_cast<float>(y) : x) : x == 0 ? -INFINITY : NAN;
}
KILN_FN float log2f(float x) {
  const short_logarithm of = short_log_of(static_cast<double>(x));
  return logarithm_from(fused(of.rest, 0x1.71547652b82fep+0, of.n), x);
}
KILN_FN float log10f(float x) {
  const short_logarithm of = short_log_of(static_cast<double>(x));
  return logarithm_from(fused(of.n, 0x1.34413509f79ffp-2, of.rest * 0x1.bcb7b1526e50ep-2), x);
}
KILN_FN float log1pf(float x) {
  const double a = static_cast<double>(x), y = KILN_LIBM(fabs)(a) < 0x1p-18 ? fused(a * a, -0.5, a) : short_log(1 + a);
  return x > -1 ? (x < INFINITY ? static_cast<float>(with_sign(KILN_LIBM(fabs)(y), x)) : x) : x == -1 ? -INFINITY : NAN;
}
KILN_FN float asinhf(float x) {
  const double a = KILN_LIBM(fabs)(static_cast<double>(x));
  const double y = a < 0x1p-11 ? fused(a * a * a, -1.0 / 6, a) : short_log(a + KILN_LIBM(sqrt)(fused(a, a, 1.0)));
  return static_cast<float>(with_sign(a < double(INFINITY) ? y : a, x));
}
KILN_FN float acoshf(float x) {
  const double a = static_cast<double>(x), y = short_log(a + KILN_LIBM(sqrt)((a - 1) * (a + 1)));
  return x >= 1 ? (x < INFINITY ? static_cast<float>(y) : x) : NAN;
}
KILN_FN float atanhf(float x) {
  const double a = KILN_LIBM(fabs)(static_cast<double>(x));
  const double y = a < 0x1p-11 ? fused(a * a * a, 1.0 / 3, a) : 0.5 * short_log((1 + a) / (1 - a));
  return static_cast<float>(with_sign(a < 1 ? y : a == 1 ? double(INFINITY) : double(NAN), x));
}

KILN_FN float sinhf(float x) {
  const double size = KILN_LIBM(fabs)(static_cast<double>(x)), a = size > 90 ? 90 : size;
  const double t = short_expm1(a);
  return static_cast<float>(with_sign(0.5 * (t + t / (t + 1)), x));
}
KILN_FN float coshf(float x) {
  const double size = KILN_LIBM(fabs)(static_cast<double>(x)), a = size > 90 ? 90 : size;
  const double e = short_expm1(a) + 1;
  return static_cast<float>(0.5 * (e + 1 / e));
}
KILN_FN float tanhf(float x) {
  const double size = KILN_LIBM(fabs)(static_cast<double>(x)), a = size > 10 ? 10 : size;
  const double t = short_expm1(2 * a);
  return static_cast<float>(with_sign(t / (t + 2), x));
}

KILN_FN double short_sine(double r) {
  const double z = r * r;
  return fused(r * z, polynomial(z, -0x1.5555554c6ff3cp-3, 0x1.1111086901825p-7, -0x1.a00f7e0c11382p-13, 0x1.6cd1ae9b801a6p-19),
               r);
}
KILN_FN double short_cosine(double r) {
  const double z = r * r;
  return fused(z, polynomial(z, -0x1.ffffffd0bcbc0p-2, 0x1.55553e0cdd583p-5, -0x1.6c087d146bae5p-10, 0x1.9933d5d60ddf2p-16),
               1.0);
}

// asin(s) of sizes up to a half.
KILN_FN double short_arcsine(double s) {
  const double z = s * s;
  return fused(s * z,
               polynomial(z, 0x1.555556065a7d2p-3, 0x1.3332a9a385369p-4, 0x1.6ddad6212dd4ep-5, 0x1.ed5ad36a18b93p-6,
                          0x1.932e6e6eff582p-6, 0x1.eb66e832666cbp-8, 0x1.1bf0031787c35p-5),
               s);
}
KILN_FN float asinf(float x) {
  const double a = KILN_LIBM(fabs)(static_cast<double>(x));
  const bool large = a > 0.5;
  const double y = short_arcsine(large ? KILN_LIBM(sqrt)(fused(a, -0.5, 0.5)) : a);
  return static_cast<float>(with_sign(large ? fused(-2.0, y, 0x1.921fb54442d18p0) : y, x));
}
KILN_FN float acosf(float x) {
  const double a = KILN_LIBM(fabs)(static_cast<double>(x));
  const bool large = a > 0.5, below = x < 0;
  const double y = short_arcsine(large ? KILN_LIBM(sqrt)(fused(a, -0.5, 0.5)) : a);
  const double near = large ? 2 * y : 0x1.921fb54442d18p0 - (below ? -y : y);
  return static_cast<float>(large & below ? 0x1.921fb54442d18p1 - near : near);
}
// The angle of the point (left ? -beside : beside, above), of sizes that are not negative.
KILN_FN double short_angle(double above, double beside, bool left) {
  const bool steep = above > beside;
  const double n = steep ? beside : above, d = steep ? above : beside;
  const bool middle = n > 0x1.a827999fcef32p-2 * d;
  const double quotient = (middle ? n - d : n) / (middle ? n + d : d);
  const double t = n == d ? 0.0 : quotient;
  const double z = t * t;
  const double y = fused(t * z,
                         polynomial(z, -0x1.555554c5f486cp-2, 0x1.9999189392e0ap-3, -0x1.247ed8b367312p-3, 0x1.c463d0ef8ae7cp-4,
                                    -0x1.5b2f1f34c2dedp-4, 0x1.849d8df373ffep-5),
                         t);
  const bool diagonal = middle | ((n == d) & (n > 0)), back = steep != left;
  const double axis = steep ? 1.0 : left ? 2.0 : 0.0;
  const double quarters = diagonal ? axis + (back ? -0.5 : 0.5) : axis;
  return fused(quarters, 0x1.921fb54442d18p0, back ? -y : y);
}
KILN_FN float atanf(float x) {
  return static_cast<float>(with_sign(short_angle(KILN_LIBM(fabs)(static_cast<double>(x)), 1.0, false), x));
}
KILN_FN float atan2f(float y, float x) {
  const double angle =
      short_angle(KILN_LIBM(fabs)(static_cast<double>(y)), KILN_LIBM(fabs)(static_cast<double>(x)), signbit(x));
  return static_cast<float>(with_sign(angle, y));
}

// erf(x) of sizes up to 1.
KILN_FN double short_erf(double x) {
  const double z = x * x;
  return x * polynomial(z, 0x1.20dd750400788p+0, -0x1.8127465faefb8p-2, 0x1.ce2f079598976p-4, -0x1.b829a750c5026p-6,
                        0x1.5628e9a9db3eep-8, -0x1.bcbe63089703ep-11, 0x1.d82530aacf115p-14, -0x1.43809989302c4p-17);
}
KILN_FN float erff(float x) {
  const double size = KILN_LIBM(fabs)(static_cast<double>(x)), a = size > 4 ? 4 : size;
  const double logarithm =
      polynomial(a, -0x1.8b3cd50b493fdp-13, 0x1.212c2c965ceb2p+0, 0x1.4434f19a59cbcp-1, 0x1.bc18c7110d4c8p-4,
                 -0x1.9d0bbfb43d01bp-6, 0x1.1398dc2e5080ep-8, -0x1.ceea94cd5be16p-12, 0x1.6c0620b950b21p-16);
  const double y = a < 1 ? short_erf(a) : -short_expm1(-logarithm);
  return x == x ? static_cast<float>(with_sign(y, x)) : x;
}
KILN_FN float erfcf(float x) {
  const double whole = static_cast<double>(x), size = KILN_LIBM(fabs)(whole), a = size > 10.2 ? 10.2 : size;
  const double t = 1 / fused(a, 0.5, 1.0);
  const double p = polynomial(t, 0x1.20ddd4b61a452p-2, 0x1.20d0bdc97cdd4p-2, 0x1.fb01bcc42835ap-3, 0x1.5c025bfe91024p-3,
                              0x1.eaf798c967b98p-4, -0x1.23f697f1b6183p-3, 0x1.37f164013f82fp-2, -0x1.5fcf54c4547f6p-1,
                              0x1.60f21167caf29p-1, -0x1.504edb279b30bp-2, 0x1.009819b95116ap-4);
  const double large = short_exp(-(a * a)) * (t * p);
  const double y = a < 0.5 ? 1 - short_erf(whole) : whole < 0 ? 2 - large : large;
  return x == x ? static_cast<float>(y) : x;
}

}  // namespace kiln::same_bits
KILN_PRECISE_END
