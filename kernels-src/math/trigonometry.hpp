// Inverse circular and hyperbolic functions of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_trigonometry.hpp"
#endif
#if KILN_OWN_MATH
#include "kiln/math/own_trigonometry.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_double.hpp"
#include "kiln/math/same_single.hpp"
#endif

namespace kiln {

KILN_FUNCTION_1(asin, KILN_SAME(asinf, KILN_OWN(asin_by_root, asinf)), KILN_SAME(asin, KILN_OWN(asin_by_root, asin)))
KILN_FUNCTION_1(acos, KILN_SAME(acosf, KILN_OWN(acos_by_root, acosf)), KILN_OWN(acos_by_root, acos))
KILN_FUNCTION_1(atan, KILN_SAME(atanf, KILN_OWN(atan_by_polynomial, atanf)),
                KILN_OWN_OF_MANY_REGISTERS(atan_by_polynomial, atan))
KILN_FUNCTION_2(atan2, KILN_SAME(atan2f, KILN_OWN(atan2_by_polynomial, atan2f)),
                KILN_OWN_OF_MANY_REGISTERS(atan2_by_polynomial, atan2))
KILN_FUNCTION_1(sinh, KILN_SAME(sinhf, KILN_OWN(sinh_by_polynomials, sinhf)),
                KILN_SAME(sinh, KILN_OWN(sinh_by_polynomials, sinh)))
KILN_FUNCTION_1(cosh, KILN_SAME(coshf, KILN_OWN(cosh_by_polynomials, coshf)), KILN_OWN(cosh_by_polynomials, cosh))
KILN_FUNCTION_1(tanh, KILN_SAME(tanhf, KILN_OWN(tanh_by_exponential, tanhf)),
                KILN_SAME(tanh, KILN_OWN(tanh_by_exponential, tanh)))
KILN_FUNCTION_1(asinh, KILN_SAME(asinhf, KILN_LIBM(asinhf)), KILN_SAME(asinh, KILN_LIBM(asinh)))
KILN_FUNCTION_1(acosh, KILN_SAME(acoshf, KILN_OWN(acosh_by_logarithm, acoshf)),
                KILN_SAME(acosh, KILN_OWN(acosh_by_logarithm, acosh)))
KILN_FUNCTION_1(atanh, KILN_SAME(atanhf, KILN_LIBM(atanhf)), KILN_SAME(atanh, KILN_LIBM(atanh)))

// The angle of a real number: 0 or pi; complex_math.hpp has the others.
template <real_number T>
KILN_FN float_of<T> arg(T x) {
  return atan2(float_of<T>(0), static_cast<float_of<T>>(x));
}

}  // namespace kiln
