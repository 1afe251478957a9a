// Sines and cosines of multiples of pi, which CUDA and HIP have beside C's functions; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#include "kiln/math/rounding.hpp"
#if KILN_OWN_SPECIAL
#include "kiln/math/horner.hpp"
#include "kiln/math/random.hpp"

KILN_PRECISE_BEGIN
namespace kiln::own {

// x = quarters / 2 + rest, all of it exact: the angle pi x in quarters of a turn.
struct half_turns {
  double rest;
  uint32 quarters;
};
KILN_FN half_turns split_half_turns(double x) {
  const double within = x - 2 * rint(0.5 * x), n = rint(2 * within);
  return {within - 0.5 * n, uint32(int32(n == n ? n : 0))};
}
KILN_FN double cospi(double x) {
  const half_turns of = split_half_turns(x);
  return cosine_beside(of.rest * pi, of.quarters) + 0.0;  // never -0
}
KILN_FN double sinpi(double x) {
  const half_turns of = split_half_turns(x);
  const double y = cosine_beside(of.rest * pi, of.quarters - 1);
  return y == 0 ? copysign(0.0, x) : y;
}
KILN_OWN_SINGLE(cospi)
KILN_OWN_SINGLE(sinpi)

}  // namespace kiln::own
KILN_PRECISE_END
#endif

namespace kiln {

KILN_SPECIAL_1(sinpi)
KILN_SPECIAL_1(cospi)
template <real_number T, class R>
KILN_FN void sincospi(T x, R* sine, R* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}

}  // namespace kiln
