// exp, log and sqrt of complex128, by which complex_math.hpp makes those of both complex types. Values at infinities and NaN
// are C's (Annex G); selections stand in place of branches, so that loops over them become vector loops.
#pragma once
#include "kiln/core/complex.hpp"
#include "kiln/math/circular.hpp"
#include "kiln/math/exp.hpp"
#include "kiln/math/exponential.hpp"
#include "kiln/math/hypot.hpp"
#include "kiln/math/log.hpp"
#include "kiln/math/trigonometry.hpp"

namespace kiln::complex_double {

using number = complex<double>;

// Beyond 700 exp would overflow though its product with a small sine does not: the square of exp(x / 2) does not either.
KILN_FN bool is_big(double x) {
  return fabs(x) > 700;
}

KILN_FN number exp(const number& z) {
  const double x = z.re, y = z.im;
  const bool big = is_big(x);
  const double e = ::kiln::exp(big ? 0.5 * x : x);
  const double f = big ? e : 1.0;
  const bool odd = !isfinite(y);
  double re = e * cos(y) * f, im = y == 0 ? y : e * sin(y) * f;
  re = odd && x == -INFINITY ? 0.0 : odd && x == INFINITY ? x : re;
  im = odd && x == -INFINITY ? 0.0 : im;
  return {re, im};
}
KILN_FN number exp2(const number& z) {
  const double x = z.re, y = z.im;
  const bool big = fabs(x) > 1000;
  const double e = ::kiln::exp2(big ? 0.5 * x : x);
  const double f = big ? e : 1.0;
  const bool odd = !isfinite(y);
  // y * log(2) with twice the digits: a rounded angle loses as many as the whole turns take. Beyond 2^40 not even that helps.
  constexpr double first = 0x1.62e42f8p-1, second = 0x1.be8e7b8p-27, third = 0x1.35793c7673008p-53;
  const double high = bit_cast<double>(bit_cast<uint64>(y) & 0xfffffffff8000000ull), low = y - high;
  const double whole = first * high, rest = first * low + (second * high + (second * low + third * y));
  const double angle = whole + rest, error = fabs(y) < 0x1p40 ? (whole - angle) + rest : 0.0;
  const double c = cos(angle), s = sin(angle);
  double re = e * (c - error * s) * f, im = y == 0 ? y : e * (s + error * c) * f;
  re = odd && x == -INFINITY ? 0.0 : odd && x == INFINITY ? x : re;
  im = odd && x == -INFINITY ? 0.0 : im;
  return {re, im};
}
KILN_FN number expm1(const number& z) {
  const double x = z.re, y = z.im;
  const bool big = x > 700;
  const bool low = x < -0.5;  // the difference below would be all that is left of two numbers near 1
  const double t = ::kiln::expm1(big ? 0.5 * x : x), e = low ? ::kiln::exp(x) : t + 1;
  const double f = big ? e : 1.0;
  const bool odd = !isfinite(y);
  const double half = sin(0.5 * y);
  double re = big ? e * cos(y) * f : low ? e * cos(y) - 1 : t * cos(y) - 2 * half * half;
  double im = y == 0 ? y : e * sin(y) * f;
  re = y == 0 ? (big ? e * f : t) : odd && x == -INFINITY ? -1.0 : odd && x == INFINITY ? x : re;
  im = odd && x == -INFINITY ? 0.0 : im;
  return {re, im};
}

// log |z|: near the unit circle from |z|^2 - 1, elsewhere of numbers brought into range.
KILN_FN double log_abs(double re, double im) {
  const double x = fabs(re), y = fabs(im);
  const double big = max(x, y), small = min(x, y);
  const bool near = big > 0.5 && big < 1.5 && x == x && y == y;
  const double up = big > 0x1p1000 ? 0x1p-100 : big < 0x1p-900 ? 0x1p200 : 1.0;
  const double back = big > 0x1p1000 ? 100 : big < 0x1p-900 ? -200 : 0;
  const double far = ::kiln::log(hypot(x * up, y * up)) + 0.69314718055994530942 * back;
  return near ? 0.5 * ::kiln::log1p((big - 1) * (big + 1) + small * small) : far;
}
KILN_FN number log(const number& z) {
  return {log_abs(z.re, z.im), atan2(z.im, z.re)};
}
KILN_FN number log1p(const number& z) {
  const double x = z.re, y = z.im;
  const bool near = fabs(x) < 0.5 && fabs(y) < 0.5;
  const double close = 0.5 * ::kiln::log1p(x * (2 + x) + y * y);
  return {near ? close : log_abs(1 + x, y), atan2(y, 1 + x)};
}
KILN_FN number log2(const number& z) {
  const number l = log(z);
  return {l.re * 1.4426950408889634074, l.im * 1.4426950408889634074};
}
KILN_FN number log10(const number& z) {
  const number l = log(z);
  return {l.re * 0.43429448190325182765, l.im * 0.43429448190325182765};
}

KILN_FN number sqrt(const number& z) {
  // Scaled, so that the sum below does not overflow, nor lose bits to subnormals.
  const double size = max(fabs(z.re), fabs(z.im));
  const double down = size > 0x1p1021 ? 0.0625 : size < 0x1p-900 ? 0x1p200 : 1.0;
  const double up = size > 0x1p1021 ? 4.0 : size < 0x1p-900 ? 0x1p-100 : 1.0;
  const double x = z.re * down, y = z.im * down;
  const double t = ::kiln::sqrt((fabs(x) + hypot(x, y)) * 0.5);
  const double other = y / (2 * t);
  const bool right = x >= 0;
  double re = right ? t * up : fabs(other) * up;
  double im = right ? other * up : copysign(t, y) * up;
  const bool zero = z.re == 0 && z.im == 0, infinite = isinf(z.im);
  re = zero ? 0.0 : infinite ? double(INFINITY) : re;
  im = zero || infinite ? z.im : z.re != z.re ? z.re : im;
  return {re, im};
}

}  // namespace kiln::complex_double
