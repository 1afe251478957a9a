// sin, cos and tan of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math.hpp"
#if KILN_LANES
#include "kiln/circular_lanes_cpu.hpp"
#endif

namespace kiln {

KILN_FUNCTION_1(sin, KILN_OF_LANES(sine_of_lanes, KILN_LIBM(sinf)), KILN_OF_LANES(sine_of_lanes, KILN_LIBM(sin)))
KILN_FUNCTION_1(cos, KILN_OF_LANES(cosine_of_lanes, KILN_LIBM(cosf)), KILN_OF_LANES(cosine_of_lanes, KILN_LIBM(cos)))
KILN_FUNCTION_1(tan, KILN_OF_LANES(tangent_of_lanes, KILN_LIBM(tanf)), KILN_OF_LANES(tangent_of_lanes, KILN_LIBM(tan)))
template <real_number T, class R>
KILN_FN void sincos(T x, R* sine, R* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

}  // namespace kiln
