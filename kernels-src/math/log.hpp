// log of <cmath>; see math.hpp for the rules.
#pragma once
#include "kiln/math/math.hpp"
#if KILN_OWN_LIBM
#include "kiln/math/libm_exponential.hpp"
#endif
#if KILN_LANES
#include "kiln/math/logarithm_lanes_cpu.hpp"
#endif
#if KILN_SAME_BITS
#include "kiln/math/same_double.hpp"
#endif

namespace kiln {

// Fused where there is an instruction for it, whatever the user's text may have fused.
KILN_FN float multiply_add(float a, float b, float c) {
  if constexpr (KILN_FUSED) {
    return KILN_LIBM(fmaf)(a, b, c);
  } else {
    return a * b + c;
  }
}
// Cephes' polynomial (S. Moshier), without branches: 2 ulp, and faster than the vector function of glibc.
KILN_FN float log_by_polynomial(float x) {
  const bool small = x < 0x1p-126f;
  const uint32 bits = bit_cast<uint32>(small ? x * 0x1p23f : x);
  // The fraction in [sqrt(1/2), sqrt(2)).
  const int32 shifted = int32(bits - 0x3f3504f3u);
  const float e = static_cast<float>((shifted >> 23) - (small ? 23 : 0));
  const float t = bit_cast<float>(bits - (uint32(shifted) & 0xff800000u)) - 1;
  const float z = t * t;
  float p = 7.0376836292e-2f;
  p = multiply_add(p, t, -1.1514610310e-1f);
  p = multiply_add(p, t, 1.1676998740e-1f);
  p = multiply_add(p, t, -1.2420140846e-1f);
  p = multiply_add(p, t, 1.4249322787e-1f);
  p = multiply_add(p, t, -1.6668057665e-1f);
  p = multiply_add(p, t, 2.0000714765e-1f);
  p = multiply_add(p, t, -2.4999993993e-1f);
  p = multiply_add(p, t, 3.3333331174e-1f);
  const float tail = multiply_add(-0.5f, z, multiply_add(e, -2.12194440e-4f, p * t * z));
  const float y = multiply_add(e, 0.693359375f, t + tail);
  return x > 0 ? (x < INFINITY ? y : x) : x == 0 ? -INFINITY : NAN;
}
KILN_FUNCTION_1(log, KILN_APPROXIMATE(logf, KILN_OF_LANES(logarithm_of_lanes, KILN_LOGF)),
                KILN_SAME(log, KILN_OF_LANES(logarithm_of_lanes, KILN_LIBM(log))))

}  // namespace kiln
