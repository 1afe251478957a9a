// <cupy/xsf/config.h>: what the special functions in CuPy's folder xsf take from a standard library. CuPy's own file wants
// libcu++.
#pragma once

#define XSF_HOST_DEVICE
#define XSF_ASSERT(condition)

namespace xsf {

using std::abs;
using std::copysign;
using std::cos;
using std::exp;
using std::imag;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::real;
using std::signbit;
using std::sin;
using std::sqrt;

template <typename T>
struct remove_complex {
  using type = T;
};
template <typename T>
struct remove_complex<std::complex<T>> {
  using type = T;
};
template <typename T>
using remove_complex_t = typename remove_complex<T>::type;

template <typename T>
struct complex_type {
  using type = std::complex<T>;
};
template <typename T>
using complex_type_t = typename complex_type<T>::type;
template <typename T>
using complex = complex_type_t<T>;

}  // namespace xsf
