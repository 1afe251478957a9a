// pow of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math.hpp"
#if KILN_OWN_MATH
#include "kiln/power_cpu.hpp"
#endif
#if KILN_OWN_MATH && defined(__AVX512DQ__) && KILN_VECTOR_BITS == 512
#include "kiln/power_lanes_cpu.hpp"
#define KILN_OF_LANES(lanes, single) ::kiln::lanes
#else
#define KILN_OF_LANES(lanes, single) single
#endif

namespace kiln {

KILN_FUNCTION_2(pow, KILN_OF_LANES(power_of_float_lanes, KILN_OWN(power_of_floats, powf)),
                KILN_OF_LANES(power_of_double_lanes, KILN_OWN_OF_MANY_REGISTERS(power_of_doubles, pow)))

}  // namespace kiln
