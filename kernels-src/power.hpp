// pow of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math.hpp"
#if KILN_OWN_MATH
#include "kiln/power_cpu.hpp"
#endif

namespace kiln {

KILN_FUNCTION_2(pow, KILN_OWN(power_by_logarithm, powf), KILN_OWN_OF_MANY_REGISTERS(power_by_logarithm, pow))

}  // namespace kiln
