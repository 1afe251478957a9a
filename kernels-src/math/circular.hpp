// sin, cos and tan of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_circular.hpp"
#endif
#if KILN_LANES
#include "kiln/math/circular_lanes_cpu.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_circular.hpp"
#endif

namespace kiln {
namespace circular {

// libmvec's may be a neighbour of 1 that is beyond it, of which acos is NaN.
template <class T>
KILN_FN T within_1(T y) {
  if constexpr (KILN_SINES_BEYOND_1) {
    return y > 1 ? T(1) : y < -1 ? T(-1) : y;
  } else {
    return y;
  }
}
KILN_FN float sine(float x) {
  return within_1(KILN_LIBM(sinf)(x));
}
KILN_FN double sine(double x) {
  return within_1(KILN_LIBM(sin)(x));
}
KILN_FN float cosine(float x) {
  return within_1(KILN_LIBM(cosf)(x));
}
KILN_FN double cosine(double x) {
  return within_1(KILN_LIBM(cos)(x));
}

}  // namespace circular

KILN_FUNCTION_1(sin, KILN_SAME(sinf, KILN_APPROXIMATE(sinf, KILN_OF_LANES(sine_of_lanes, circular::sine))),
                KILN_SAME(sin, KILN_OF_LANES(sine_of_lanes, circular::sine)))
KILN_FUNCTION_1(cos, KILN_SAME(cosf, KILN_APPROXIMATE(cosf, KILN_OF_LANES(cosine_of_lanes, circular::cosine))),
                KILN_SAME(cos, KILN_OF_LANES(cosine_of_lanes, circular::cosine)))
KILN_FUNCTION_1(tan, KILN_SAME(tanf, KILN_APPROXIMATE(tanf, KILN_OF_LANES(tangent_of_lanes, KILN_LIBM(tanf)))),
                KILN_SAME(tan, KILN_OF_LANES(tangent_of_lanes, KILN_LIBM(tan))))
template <real_number T, class R>
KILN_FN void sincos(T x, R* sine, R* cosine) {
#if KILN_SINCOS
  float_of<T> s, c;
  if constexpr (same<float_of<T>, float>) {
    KILN_LIBM(sincosf)(static_cast<float>(x), &s, &c);
  } else {
    KILN_LIBM(sincos)(static_cast<double>(x), &s, &c);
  }
  *sine = s;
  *cosine = c;
#else
  *sine = sin(x);
  *cosine = cos(x);
#endif
}

}  // namespace kiln
