// pow of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_MATH
#include "kiln/math/own_power.hpp"
#endif
#if KILN_LANES
#include "kiln/math/power_lanes_cpu.hpp"
#endif

namespace kiln {

KILN_FUNCTION_2(pow, KILN_APPROXIMATE(powf, KILN_OF_LANES(power_of_lanes, KILN_OWN(power_of_floats, powf))),
                KILN_OF_LANES(power_of_lanes, KILN_OWN_OF_MANY_REGISTERS(power_of_doubles, pow)))

}  // namespace kiln
