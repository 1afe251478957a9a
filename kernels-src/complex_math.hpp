// The functions of <complex>. Formulas: W. Kahan, "Branch cuts for complex elementary functions" (1987).
#pragma once
#include "kiln/complex.hpp"
#include "kiln/exponential.hpp"
#include "kiln/trigonometry.hpp"

namespace kiln {

template <class T>
KILN_FN T real(const complex<T>& z) {
  return z.re;
}
template <class T>
KILN_FN T imag(const complex<T>& z) {
  return z.im;
}
template <real_number T>
KILN_FN T real(T x) {
  return x;
}
template <real_number T>
KILN_FN T imag(T) {
  return T(0);
}
template <class T>
KILN_FN complex<T> conj(const complex<T>& z) {
  return {z.re, -z.im};
}
template <real_number T>
KILN_FN T conj(T x) {
  return x;
}
template <class T>
KILN_FN T abs(const complex<T>& z) {
  return hypot(z.re, z.im);
}
template <class T>
KILN_FN T norm(const complex<T>& z) {
  return z.re * z.re + z.im * z.im;
}
template <class T>
KILN_FN T arg(const complex<T>& z) {
  return atan2(z.im, z.re);
}
template <real_number T>
KILN_FN float_of<T> arg(T x) {
  return atan2(float_of<T>(0), static_cast<float_of<T>>(x));
}
template <real_number R, real_number A>
KILN_FN complex<float_of<R, A>> polar(R radius, A angle) {
  using T = float_of<R, A>;
  return {static_cast<T>(radius) * cos(static_cast<T>(angle)), static_cast<T>(radius) * sin(static_cast<T>(angle))};
}
template <class T>
KILN_FN bool isnan(const complex<T>& z) {
  return isnan(z.re) || isnan(z.im);
}
template <class T>
KILN_FN bool isinf(const complex<T>& z) {
  return isinf(z.re) || isinf(z.im);
}
template <class T>
KILN_FN bool isfinite(const complex<T>& z) {
  return isfinite(z.re) && isfinite(z.im);
}
template <class T>
KILN_FN complex<T> proj(const complex<T>& z) {
  return isinf(z) ? complex<T>(T(INFINITY), copysign(T(0), z.im)) : z;
}

template <class T>
KILN_FN complex<T> exp(const complex<T>& z) {
  const T e = exp(z.re);
  return {e * cos(z.im), z.im == 0 ? z.im : e * sin(z.im)};
}
template <class T>
KILN_FN complex<T> log(const complex<T>& z) {
  if constexpr (same<T, float>) {
    const double square = static_cast<double>(z.re) * z.re + static_cast<double>(z.im) * z.im;
    return {static_cast<float>(0.5 * log(square)), arg(z)};
  } else {
    const T x = abs(z.re), y = abs(z.im);
    const T big = max(x, y), small = min(x, y);
    // Near the unit circle the logarithm of the modulus would lose all its digits.
    const bool near = big > T(0.5) && big < T(1.5) && small < T(1.5);
    return {near ? T(0.5) * log1p((big - 1) * (big + 1) + small * small) : log(abs(z)), arg(z)};
  }
}
template <class T>
KILN_FN complex<T> log2(const complex<T>& z) {
  return log(z) * T(1.4426950408889634074);
}
template <class T>
KILN_FN complex<T> log10(const complex<T>& z) {
  return log(z) * T(0.43429448190325182765);
}
template <class T>
KILN_FN complex<T> sqrt(const complex<T>& z) {
  if (z.re == 0 && z.im == 0) {
    return {T(0), z.im};
  }
  if (isinf(z.im)) {
    return {T(INFINITY), z.im};
  }
  // Scaled, so that the sum below does not overflow, nor lose bits to subnormals.
  const T size = max(abs(z.re), abs(z.im));
  const T huge = sizeof(T) == 4 ? T(0x1p125f) : T(0x1p1021), tiny = sizeof(T) == 4 ? T(0x1p-100f) : T(0x1p-900);
  const T down = size > huge ? T(0.0625) : size < tiny ? (sizeof(T) == 4 ? T(0x1p60f) : T(0x1p200)) : T(1);
  const T up = size > huge ? T(4) : size < tiny ? (sizeof(T) == 4 ? T(0x1p-30f) : T(0x1p-100)) : T(1);
  const T x = z.re * down, y = z.im * down;
  const T t = sqrt((abs(x) + hypot(x, y)) * T(0.5));
  const T other = y / (2 * t);
  return x >= 0 ? complex<T>(t * up, other * up) : complex<T>(abs(other) * up, copysign(t, y) * up);
}

template <class A, class B>
KILN_FN complex<component<A, B>> pow(const complex<A>& z, const complex<B>& w) {
  using T = component<A, B>;
  if (z.re == 0 && z.im == 0) {
    return w.re == 0 && w.im == 0 ? complex<T>(T(1)) : complex<T>(T(0));
  }
  return exp(complex<T>(w) * log(complex<T>(z)));
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> pow(const complex<A>& z, B w) {
  using T = component<A, B>;
  if constexpr (integer<B>) {
    // By squaring: exact where the products are.
    uint64 n = w < 0 ? 0 - static_cast<uint64>(w) : static_cast<uint64>(w);
    complex<T> power(T(1)), square(z);
    for (; n != 0; n >>= 1) {
      if (n & 1) {
        power = power * square;
      }
      square = square * square;
    }
    return w < 0 ? T(1) / power : power;
  } else {
    return pow(z, complex<T>(w));
  }
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> pow(B x, const complex<A>& w) {
  using T = component<A, B>;
  return pow(complex<T>(x), w);
}

template <class T>
KILN_FN complex<T> sinh(const complex<T>& z) {
  return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
template <class T>
KILN_FN complex<T> cosh(const complex<T>& z) {
  return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
template <class T>
KILN_FN complex<T> tanh(const complex<T>& z) {
  if (abs(z.re) > (sizeof(T) == 4 ? T(11) : T(22))) {
    return {copysign(T(1), z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * abs(z.re))};
  }
  const T t = tan(z.im), beta = 1 + t * t, s = sinh(z.re), rho = sqrt(1 + s * s);
  const T scale = 1 + beta * s * s;
  return {beta * rho * s / scale, t / scale};
}
// i * z, by which the circular functions come from the hyperbolic ones.
template <class T>
KILN_FN complex<T> turned(const complex<T>& z) {
  return {-z.im, z.re};
}
template <class T>
KILN_FN complex<T> turned_back(const complex<T>& z) {
  return {z.im, -z.re};
}
template <class T>
KILN_FN complex<T> sin(const complex<T>& z) {
  return turned_back(sinh(turned(z)));
}
template <class T>
KILN_FN complex<T> cos(const complex<T>& z) {
  return cosh(turned(z));
}
template <class T>
KILN_FN complex<T> tan(const complex<T>& z) {
  return turned_back(tanh(turned(z)));
}
template <class T>
KILN_FN complex<T> asin(const complex<T>& z) {
  const complex<T> a = sqrt(T(1) - z), b = sqrt(T(1) + z);
  return {atan2(z.re, (a * b).re), asinh((conj(a) * b).im)};
}
template <class T>
KILN_FN complex<T> acos(const complex<T>& z) {
  const complex<T> a = sqrt(T(1) - z), b = sqrt(T(1) + z);
  return {2 * atan2(a.re, b.re), asinh((conj(b) * a).im)};
}
template <class T>
KILN_FN complex<T> acosh(const complex<T>& z) {
  const complex<T> a = sqrt(z - T(1)), b = sqrt(z + T(1));
  return {asinh((conj(a) * b).re), 2 * atan2(a.im, b.re)};
}
template <class T>
KILN_FN complex<T> atanh(const complex<T>& z) {
  const T x = abs(z.re), q = 1 - x;  // log1p of a positive number loses nothing
  return {copysign(T(0.25) * log1p(4 * x / (q * q + z.im * z.im)), z.re), T(0.5) * atan2(2 * z.im, q * (1 + x) - z.im * z.im)};
}
template <class T>
KILN_FN complex<T> asinh(const complex<T>& z) {
  return turned_back(asin(turned(z)));
}
template <class T>
KILN_FN complex<T> atan(const complex<T>& z) {
  return turned_back(atanh(turned(z)));
}

}  // namespace kiln
