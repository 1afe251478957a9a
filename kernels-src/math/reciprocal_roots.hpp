// rcbrt, and lengths of vectors with their reciprocals, which CUDA and HIP have beside C's functions; see math.hpp for the
// rules.
#pragma once
#include "kiln/math/exponential.hpp"
#include "kiln/math/hypot.hpp"

#if KILN_OWN_SPECIAL
namespace kiln::own {

KILN_FN double rcbrt(double x) {
  return 1 / cbrt(x);
}
KILN_FN float rcbrtf(float x) {
  return static_cast<float>(1 / cbrt(static_cast<double>(x)));
}

}  // namespace kiln::own
#endif

namespace kiln {

KILN_SPECIAL_1(rcbrt)
template <real_number A, real_number B>
KILN_FN float_of<A, B> rhypot(A x, B y) {
  return 1 / hypot(x, y);
}
template <real_number A, real_number B, real_number C>
KILN_FN float_of<A, B, C> norm3d(A x, B y, C z) {
  using F = float_of<A, B, C>;
  return hypot(hypot(static_cast<F>(x), static_cast<F>(y)), static_cast<F>(z));
}
template <real_number A, real_number B, real_number C, real_number D>
KILN_FN float_of<A, B, C, D> norm4d(A x, B y, C z, D t) {
  using F = float_of<A, B, C, D>;
  return hypot(hypot(static_cast<F>(x), static_cast<F>(y)), hypot(static_cast<F>(z), static_cast<F>(t)));
}
template <real_number A, real_number B, real_number C>
KILN_FN float_of<A, B, C> rnorm3d(A x, B y, C z) {
  return 1 / norm3d(x, y, z);
}
template <real_number A, real_number B, real_number C, real_number D>
KILN_FN float_of<A, B, C, D> rnorm4d(A x, B y, C z, D t) {
  return 1 / norm4d(x, y, z, t);
}

}  // namespace kiln
