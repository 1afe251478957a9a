// Rounding and remainders of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_rounding.hpp"
#endif

namespace kiln {

KILN_LIBM_1(ceil)
KILN_LIBM_1(trunc)
KILN_LIBM_1(round)
KILN_LIBM_1(rint)
KILN_LIBM_1(nearbyint)
KILN_LIBM_2(fmod)
KILN_LIBM_2(remainder)

}  // namespace kiln
