// NumPy's arithmetic and order of complex numbers, where the operators of complex.hpp have none or another.
#pragma once
#include "kiln/math/complex_parts.hpp"
#include "kiln/math/rounding.hpp"

namespace kiln {

// The real part as a product: nothing cancels, and no infinities meet.
template <class T>
KILN_FN complex<T> square(const complex<T>& z) {
  // Of equal sizes the difference of their squares is 0, though their sum may be infinite, and no negative one.
  const T difference = z.re - z.im, sum = z.re + z.im;
  const T re = difference == 0 || sum == 0 ? T(0) : difference * sum + T(0);
  return {re, z.re * z.im + z.re * z.im};
}
// NumPy's quotient: Smith's, and by 0 each component by 0.
template <class T>
KILN_FN complex<T> true_divide(const complex<T>& a, const complex<T>& b) {
  const complex<T> q = a / b;
  const bool zero = b.re == 0 && b.im == 0;
  return {zero ? a.re / fabs(b.re) : q.re, zero ? a.im / fabs(b.re) : q.im};
}
template <class T>
KILN_FN complex<T> reciprocal(const complex<T>& z) {
  const bool real = fabs(z.re) >= fabs(z.im);
  const T ratio = (real ? z.im : z.re) / (real ? z.re : z.im);
  const T scale = real ? z.re + z.im * ratio : z.re * ratio + z.im;
  return {(real ? T(1) : ratio) / scale, (real ? -ratio : T(-1)) / scale};
}
template <class T>
KILN_FN complex<T> rint(const complex<T>& z) {
  return {rint(z.re), rint(z.im)};
}

template <class T>
KILN_FN bool equal_to(const complex<T>& a, const complex<T>& b) {
  return a == b;
}
template <class T>
KILN_FN bool less_than(const complex<T>& a, const complex<T>& b) {
  return a < b;
}
template <class T>
KILN_FN bool less_or_equal(const complex<T>& a, const complex<T>& b) {
  return a <= b;
}
// As std::min and std::max: the first argument where neither is smaller.
template <class T>
KILN_FN complex<T> min(const complex<T>& a, const complex<T>& b) {
  const bool second = b < a;
  return {second ? b.re : a.re, second ? b.im : a.im};
}
template <class T>
KILN_FN complex<T> max(const complex<T>& a, const complex<T>& b) {
  const bool second = a < b;
  return {second ? b.re : a.re, second ? b.im : a.im};
}
template <class T>
KILN_FN complex<T> maximum(const complex<T>& a, const complex<T>& b) {
  const bool first = less_or_equal(b, a) || isnan(a);
  return {first ? a.re : b.re, first ? a.im : b.im};
}
template <class T>
KILN_FN complex<T> minimum(const complex<T>& a, const complex<T>& b) {
  const bool first = less_or_equal(a, b) || isnan(a);
  return {first ? a.re : b.re, first ? a.im : b.im};
}
template <class T>
KILN_FN complex<T> maximum_number(const complex<T>& a, const complex<T>& b) {
  const bool first = less_or_equal(b, a) || isnan(b);
  return {first ? a.re : b.re, first ? a.im : b.im};
}
template <class T>
KILN_FN complex<T> minimum_number(const complex<T>& a, const complex<T>& b) {
  const bool first = less_or_equal(a, b) || isnan(b);
  return {first ? a.re : b.re, first ? a.im : b.im};
}
// The number of modulus 1 in the same direction; 0 of 0, NaN where there is no one direction.
template <class T>
KILN_FN complex<T> sign(const complex<T>& z) {
  // Scaled, as the size of a large number would be infinite.
  constexpr T large = sizeof(T) == 4 ? T(0x1p126) : T(0x1p1022);
  const T scale = fabs(z.re) > large || fabs(z.im) > large ? T(0.25) : T(1);
  const complex<T> near(z.re * scale, z.im * scale);
  const T r = abs(near);
  const bool x = isinf(z.re), y = isinf(z.im);
  const T re = x ? copysign(T(1), z.re) : r == 0 || y ? T(0) : near.re / r;
  const T im = y ? copysign(T(1), z.im) : r == 0 || x ? T(0) : near.im / r;
  const bool none = r != r || (x && y);
  return {none ? T(NAN) : re, none ? T(NAN) : im};
}

}  // namespace kiln
