// exp of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_exponential.hpp"
#endif
#if KILN_LANES
#include "kiln/math/exponential_lanes_cpu.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_single.hpp"
#endif

namespace kiln {

KILN_FUNCTION_1(exp, KILN_SAME(expf, KILN_APPROXIMATE(expf, KILN_OF_LANES(exponential_of_lanes, KILN_LIBM(expf)))),
                KILN_OF_LANES(exponential_of_lanes, KILN_LIBM(exp)))

}  // namespace kiln
