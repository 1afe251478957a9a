// hypot of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_hypot.hpp"
#endif
#if KILN_LANES
#include "kiln/math/hypot_lanes_cpu.hpp"
#endif

namespace kiln {

// The square of a float is exact in double, and nothing overflows: as good as libm's, and it vectorizes.
KILN_FN float hypot_by_double(float x, float y) {
  const float r = static_cast<float>(KILN_LIBM(sqrt)(static_cast<double>(x) * x + static_cast<double>(y) * y));
  const bool infinite = KILN_LIBM(fabsf)(x) == INFINITY || KILN_LIBM(fabsf)(y) == INFINITY;
  return infinite ? INFINITY : r;
}
KILN_FUNCTION_2(hypot, KILN_OF_LANES(hypot_of_lanes, KILN_HYPOTF), KILN_OF_LANES(hypot_of_lanes, KILN_LIBM(hypot)))

}  // namespace kiln
