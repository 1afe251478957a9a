// The rarer circular and hyperbolic functions of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math.hpp"

namespace kiln {

KILN_LIBM_1(tan)
KILN_LIBM_1(asin)
KILN_LIBM_1(acos)
KILN_LIBM_1(atan)
KILN_LIBM_2(atan2)
KILN_LIBM_1(sinh)
KILN_LIBM_1(cosh)
KILN_LIBM_1(tanh)
KILN_LIBM_1(asinh)
KILN_LIBM_1(acosh)
KILN_LIBM_1(atanh)

}  // namespace kiln
