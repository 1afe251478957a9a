// Exponentials, logarithms and roots of <cmath> but exp and log; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_exponential.hpp"
#endif
#if KILN_OWN_MATH
#include "kiln/math/own_exponential.hpp"
#endif
#if KILN_LANES
#include "kiln/math/exponential_lanes_cpu.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_double.hpp"
#include "kiln/math/same_single.hpp"
#endif

namespace kiln {

KILN_FUNCTION_1(cbrt, KILN_LIBM(cbrtf), KILN_OWN(cbrt_by_bits, cbrt))
KILN_FUNCTION_1(exp2, KILN_SAME(exp2f, KILN_APPROXIMATE(exp2f, KILN_OF_LANES(exponential_2_of_lanes, KILN_LIBM(exp2f)))),
                KILN_OF_LANES(exponential_2_of_lanes, KILN_LIBM(exp2)))
KILN_FUNCTION_1(expm1, KILN_SAME(expm1f, KILN_OWN(expm1_by_polynomial, expm1f)),
                KILN_SAME(expm1, KILN_OF_LANES(exponential_less_1_of_lanes, KILN_LIBM(expm1))))
KILN_FUNCTION_1(log2, KILN_SAME(log2f, KILN_APPROXIMATE(log2f, KILN_LIBM(log2f))), KILN_LIBM(log2))
KILN_FUNCTION_1(log10, KILN_SAME(log10f, KILN_APPROXIMATE(log10f, KILN_LIBM(log10f))), KILN_LIBM(log10))
KILN_FUNCTION_1(log1p, KILN_SAME(log1pf, KILN_OWN_OF_MANY_REGISTERS(log1p_by_polynomial, log1pf)),
                KILN_SAME(log1p, KILN_OWN_OF_MANY_REGISTERS(log1p_by_polynomial, log1p)))

}  // namespace kiln
