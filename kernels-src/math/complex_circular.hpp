// The circular and hyperbolic functions of complex128 and their inverses, as complex_elementary.hpp has the others. Formulas:
// W. Kahan, "Branch cuts for complex elementary functions" (1987).
#pragma once
#include "kiln/math/complex_elementary.hpp"
#if KILN_SAME_BITS
#include "kiln/math/same_complex.hpp"
#endif

namespace kiln::complex_double {

// sinh and cosh of a real number by one expm1, as value * factor.
struct hyperbolic {
  double sinh, cosh, factor;
};
KILN_FN hyperbolic hyperbolics(double x) {
  const double a = fabs(x);
  const bool big = a > 700;
#if KILN_SAME_BITS
  const same_bits::hyperbolics_in_two of = same_bits::hyperbolics_of_size(big ? 700.0 : a);
  const double half = ::kiln::expm1(big ? 0.5 * a : 1.0) + 1;
  return {copysign(big ? 0.5 * half : of.sinh.high, x), big ? 0.5 * half : of.cosh.high, big ? half : 1.0};
#else
  const double t = ::kiln::expm1(big ? 0.5 * a : a), e = t + 1;
  const double s = big ? 0.5 * e : 0.5 * (t + t / e), c = big ? 0.5 * e : 0.5 * (e + 1 / e);
  return {copysign(s, x), c, big ? e : 1.0};
#endif
}
KILN_FN number sinh(const number& z) {
  const double x = z.re, y = z.im;
  const hyperbolic h = hyperbolics(x);
  const bool odd = !isfinite(y);
  const double re = odd && (x == 0 || isinf(x)) ? x : h.sinh * cos(y) * h.factor;
  const double im = y == 0 ? y : h.cosh * sin(y) * h.factor;
  return {re, im};
}
KILN_FN number cosh(const number& z) {
  const double x = z.re, y = z.im;
  const hyperbolic h = hyperbolics(x);
  const bool odd = !isfinite(y);
  const double re = odd && isinf(x) ? fabs(x) : h.cosh * cos(y) * h.factor;
  const double s = odd ? y : sin(y);
  const double zero = copysign(0.0, x) * copysign(1.0, s);
  const double im = x == 0 || y == 0 ? zero : odd ? y - y : h.sinh * s * h.factor;
  return {re, im};
}
KILN_FN number tanh(const number& z) {
  const double x = z.re, y = z.im;
  const double a = fabs(x);
  const double m = ::kiln::expm1(a > 700 ? 700.0 : a), e = m + 1;
  const bool far = a > 22;
#if KILN_SAME_BITS
  const same_bits::tangent_parts_of_complex near = same_bits::complex_tangent(far ? 22.0 : a, y);
  const double t = near.tangent, beta = near.beta, near_re = near.re, near_im = near.im;
#else
  const double t = tan(y), beta = 1 + t * t;
  const double s = 0.5 * (m + m / e), rho = ::kiln::sqrt(1 + s * s), scale = 1 + beta * s * s;
  const double near_re = beta * rho * s / scale, near_im = t / scale;
#endif
  double re = far ? copysign(1.0, x) : copysign(near_re, x);
  double im = far ? 4 * (t / beta) / e / e : near_im;
  const bool odd = !isfinite(y), infinite = isinf(x);
  re = x == 0 ? x : odd && !infinite ? y - y : x != x ? x : re;
  im = y == 0 ? y : infinite ? (odd ? copysign(0.0, y) : copysign(0.0, t)) : x != x ? x : im;
  return {re, im};
}
// i * z and back, by which circular functions come from hyperbolic ones.
KILN_FN number turned(const number& z) {
  return {-z.im, z.re};
}
KILN_FN number turned_back(const number& z) {
  return {z.im, -z.re};
}
KILN_FN number sin(const number& z) {
  return turned_back(sinh(turned(z)));
}
KILN_FN number cos(const number& z) {
  return cosh(turned(z));
}
KILN_FN number tan(const number& z) {
  return turned_back(tanh(turned(z)));
}

// From here on |z| is large: the inverse functions are logarithms, and infinities come out right, too.
KILN_FN bool is_far(const number& z) {
  return max(fabs(z.re), fabs(z.im)) > 0x1p28 || isinf(z.re) || isinf(z.im);
}
// log |2 z|
KILN_FN double log_twice(const number& z) {
  return isinf(z.re) || isinf(z.im) ? double(INFINITY) : log_abs(z.re, z.im) + 0.69314718055994530942;
}
KILN_FN number asin(const number& z) {
  const bool far = is_far(z);
#if KILN_SAME_BITS
  const same_bits::two_parts of = same_bits::complex_arcsine(far ? 1.0 : z.re, far ? 1.0 : z.im);
  const double near_re = of.re, near_im = ::kiln::asinh(of.im);
#else
  const number a = sqrt(number(1 - z.re, -z.im)), b = sqrt(number(1 + z.re, z.im));
  const double near_re = atan2(z.re, a.re * b.re - a.im * b.im), near_im = ::kiln::asinh(a.re * b.im - a.im * b.re);
#endif
  const double re = far ? atan2(z.re, fabs(z.im)) : near_re;
  const double im = far ? copysign(log_twice(z), z.im) : near_im;
  return {z.re == 0 ? z.re : re, im};
}
KILN_FN number acos(const number& z) {
  const number a = sqrt(number(1 - z.re, -z.im)), b = sqrt(number(1 + z.re, z.im));
  const bool far = is_far(z);
  const double near_re = 2 * atan2(a.re, b.re), near_im = ::kiln::asinh(b.re * a.im - b.im * a.re);
  const double re = far ? atan2(fabs(z.im), z.re) : near_re;
  const double im = far ? -copysign(log_twice(z), z.im) : near_im;
  return {z.re == 0 && z.im != z.im ? 0.5 * pi : re, im};
}
KILN_FN number acosh(const number& z) {
  const number a = sqrt(number(z.re - 1, z.im)), b = sqrt(number(z.re + 1, z.im));
  const bool far = is_far(z);
  const double near_re = ::kiln::asinh(a.re * b.re + a.im * b.im), near_im = 2 * atan2(a.im, b.re);
  const double im = far ? atan2(z.im, z.re) : near_im;
  return {far ? log_twice(z) : near_re, z.re == 0 && z.im != z.im ? 0.5 * pi : im};
}
KILN_FN number atanh(const number& z) {
  const double x = fabs(z.re), y = z.im, q = 1 - x;  // log1p of a positive number loses nothing
  const bool pole = q == 0 && fabs(y) < 0x1p-30;     // where y * y might vanish
  const bool tiny = fabs(y) < 0x1p-1000;             // whose reciprocal overflows
  const double ratio = pole ? 2 / (tiny ? 0x1p64 * fabs(y) : fabs(y)) - 1 : 4 * x / (q * q + y * y);
  const double of_pole = 0.5 * ::kiln::log1p(ratio) + (tiny ? 32 * 0.69314718055994530942 : 0.0);
  const bool far = is_far(z);
#if KILN_SAME_BITS
  const same_bits::two_parts of = same_bits::complex_artanh(far | pole ? 0.5 : x, far ? 1.0 : y);
  const double near = pole ? of_pole : of.re;
  const double angle = !pole ? of.im : y == 0 ? y : copysign(0.25 * pi + 0.25 * fabs(y), y);
#else
  const double near = pole ? of_pole : 0.25 * ::kiln::log1p(ratio), angle = 0.5 * atan2(2 * y, q * (1 + x) - y * y);
#endif
  const double big = max(x, fabs(y)), u = x / big, v = y / big;
  const double inverse = isinf(x) || isinf(y) ? 0.0 : 1 / (u * u + v * v) / big;
  const double re = far ? (inverse == 0 ? 0.0 : u * inverse) : z.re == 0 ? 0.0 : near;
  const double im = far ? copysign(0.5 * pi, y) - (inverse == 0 ? 0.0 : v * inverse) : angle;
  return {copysign(re, z.re), y != y ? y : im};
}
KILN_FN number asinh(const number& z) {
  return turned_back(asin(turned(z)));
}
KILN_FN number atan(const number& z) {
  return turned_back(atanh(turned(z)));
}

}  // namespace kiln::complex_double
