// complex64 and complex128: arithmetic by the plain formulas (C's Annex G multiplication keeps loops from being vectorized);
// division scales, so that it neither overflows nor underflows early. Mixed operands convert as C++'s reals do; integers and
// halves take the complex operand's precision.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <class T>
struct complex;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;
template <class T>
concept complex_like = is_complex<T>;

template <class T>
struct KILN_COMPLEX_ALIGN(T) complex {
  using value_type = T;
  T re, im;
  complex() = default;
  template <real_number U>
  KILN_FN complex(U real) : re(static_cast<T>(real)), im(0) {}
  template <real_number U, real_number V>
  KILN_FN complex(U real, V imaginary) : re(static_cast<T>(real)), im(static_cast<T>(imaginary)) {}
  template <class U>
    requires(!same<T, U>)
  KILN_FN complex(const complex<U>& z) : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}
#if !KILN_COMPLEX_TRIVIAL
  KILN_FN complex(const complex& z) : re(z.re), im(z.im) {}
  KILN_FN complex& operator=(const complex& z) {
    re = z.re;
    im = z.im;
    return *this;
  }
#endif
  KILN_FN T real() const { return re; }
  KILN_FN T imag() const { return im; }
  KILN_FN void real(T x) { re = x; }
  KILN_FN void imag(T x) { im = x; }
  KILN_FN complex operator+() const { return *this; }
  KILN_FN complex operator-() const { return {-re, -im}; }
  KILN_FN explicit operator bool() const { return re != 0 || im != 0; }
  template <class U>
  KILN_FN complex& operator+=(const U& z) {
    return *this = complex(*this + z);
  }
  template <class U>
  KILN_FN complex& operator-=(const U& z) {
    return *this = complex(*this - z);
  }
  template <class U>
  KILN_FN complex& operator*=(const U& z) {
    return *this = complex(*this * z);
  }
  template <class U>
  KILN_FN complex& operator/=(const U& z) {
    return *this = complex(*this / z);
  }
};

using complex64 = complex<float>;
using complex128 = complex<double>;

// The component of what complex<A> and B make together.
template <class A, class B>
struct wider {
  using type = A;
};
template <>
struct wider<float, double> {
  using type = double;
};
template <class A, class B>
using component = typename wider<A, B>::type;

template <class A, class B>
KILN_FN complex<component<A, B>> operator+(const complex<A>& a, const complex<B>& b) {
  using T = component<A, B>;
  return {T(a.re) + T(b.re), T(a.im) + T(b.im)};
}
template <class A, class B>
KILN_FN complex<component<A, B>> operator-(const complex<A>& a, const complex<B>& b) {
  using T = component<A, B>;
  return {T(a.re) - T(b.re), T(a.im) - T(b.im)};
}
template <class A, class B>
KILN_FN complex<component<A, B>> operator*(const complex<A>& a, const complex<B>& b) {
  using T = component<A, B>;
  return {T(a.re) * T(b.re) - T(a.im) * T(b.im), T(a.re) * T(b.im) + T(a.im) * T(b.re)};
}
// Smith's method (Comm. ACM 5, 1962), with selections in place of branches.
template <class A, class B>
KILN_FN complex<component<A, B>> operator/(const complex<A>& a, const complex<B>& b) {
  using T = component<A, B>;
  const T ar = a.re, ai = a.im, br = b.re, bi = b.im;
  const bool real = (br < 0 ? -br : br) >= (bi < 0 ? -bi : bi);
  const T big = real ? br : bi;
  const T ratio = big == 0 ? T(0) : (real ? bi : br) / big;
  const T scale = big + (real ? bi : br) * ratio;
  const T re = real ? ar + ai * ratio : ar * ratio + ai;
  const T im = real ? ai - ar * ratio : ai * ratio - ar;
  return {re / scale, im / scale};
}
template <class A, class B>
KILN_FN bool operator==(const complex<A>& a, const complex<B>& b) {
  return a.re == b.re && a.im == b.im;
}

template <class A, real_number B>
KILN_FN complex<component<A, B>> operator+(const complex<A>& a, B b) {
  using T = component<A, B>;
  return {T(a.re) + T(b), T(a.im)};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator+(B b, const complex<A>& a) {
  return a + b;
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator-(const complex<A>& a, B b) {
  using T = component<A, B>;
  return {T(a.re) - T(b), T(a.im)};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator-(B b, const complex<A>& a) {
  using T = component<A, B>;
  return {T(b) - T(a.re), -T(a.im)};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator*(const complex<A>& a, B b) {
  using T = component<A, B>;
  return {T(a.re) * T(b), T(a.im) * T(b)};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator*(B b, const complex<A>& a) {
  return a * b;
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator/(const complex<A>& a, B b) {
  using T = component<A, B>;
  return {T(a.re) / T(b), T(a.im) / T(b)};
}
template <class A, real_number B>
KILN_FN complex<component<A, B>> operator/(B b, const complex<A>& a) {
  return complex<component<A, B>>(b) / a;
}
template <class A, real_number B>
KILN_FN bool operator==(const complex<A>& a, B b) {
  return a.re == b && a.im == 0;
}

// NumPy's order: by the real parts, then by the imaginary ones; false where a NaN decides.
template <class T>
KILN_FN auto real_part(const T& z) {
  if constexpr (is_complex<T>) {
    return z.re;
  } else {
    return z;
  }
}
template <class T>
KILN_FN auto imaginary_part(const T& z) {
  if constexpr (is_complex<T>) {
    return z.im;
  } else {
    return T(0);
  }
}
template <class A, class B>
concept ordered_as_complex =
    (is_complex<A> && is_complex<B>) || (is_complex<A> && real_number<B>) || (real_number<A> && is_complex<B>);
#define KILN_COMPLEX_ORDER(name, strict)                             \
  template <class A, class B>                                        \
    requires ordered_as_complex<A, B>                                \
  KILN_FN bool operator name(const A& a, const B& b) {               \
    const auto x = real_part(a);                                     \
    const auto u = imaginary_part(a);                                \
    const auto y = real_part(b);                                     \
    const auto v = imaginary_part(b);                                \
    return (x strict y && u == u && v == v) || (x == y && u name v); \
  }
KILN_COMPLEX_ORDER(<, <)
KILN_COMPLEX_ORDER(<=, <)
KILN_COMPLEX_ORDER(>, >)
KILN_COMPLEX_ORDER(>=, >)
#undef KILN_COMPLEX_ORDER

}  // namespace kiln
