// The rarer exponentials, logarithms and roots of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math.hpp"

namespace kiln {

KILN_LIBM_1(cbrt)
KILN_LIBM_1(exp2)
KILN_LIBM_1(expm1)
KILN_LIBM_1(log2)
KILN_LIBM_1(log10)
KILN_LIBM_1(log1p)

}  // namespace kiln
