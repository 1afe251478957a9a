// The functions of <complex> that look at a number's parts, its size and its class.
#pragma once
#include "kiln/core/complex.hpp"
#include "kiln/math/hypot.hpp"

namespace kiln {

template <class T>
KILN_FN T real(const complex<T>& z) {
  return z.re;
}
template <class T>
KILN_FN T imag(const complex<T>& z) {
  return z.im;
}
template <class T>
KILN_FN complex<T> conj(const complex<T>& z) {
  return {z.re, -z.im};
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

}  // namespace kiln
