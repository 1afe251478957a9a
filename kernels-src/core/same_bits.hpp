// The functions of <cmath> that are instructions, where functions have the same bits on every device; the others are those of
// math/libm_*.hpp. portable.hpp includes it for the CPU and for the vendors' compilers; clang_gpu.hpp has them for the others.
#pragma once

#if KILN_RARELY_IN_LANES
// y, or what `rare` gives for x where its size is not below the limit. The vectorizer takes it for as many lanes as a loop has
// (lib/clang/passes/vector_math.cpp).
extern "C" __attribute__((const, nothrow, nomerge)) double kiln_rarely_double(double y, double x, double limit,
                                                                              double (*rare)(double));
#endif

namespace kiln::libm {

KILN_FN float sqrtf(float x) {
  return KILN_EXACT_SQRTF(x);
}
KILN_FN double sqrt(double x) {
  return KILN_EXACT_SQRT(x);
}
KILN_FN float fmaf(float x, float y, float z) {
  return KILN_FMAF(x, y, z);
}
KILN_FN double fma(double x, double y, double z) {
  return KILN_FMA(x, y, z);
}
#define KILN_INSTRUCTION_1(name)         \
  KILN_FN float name##f(float x) {       \
    return KILN_INSTRUCTION(name##f)(x); \
  }                                      \
  KILN_FN double name(double x) {        \
    return KILN_INSTRUCTION(name)(x);    \
  }
KILN_INSTRUCTION_1(fabs)
KILN_INSTRUCTION_1(floor)
KILN_INSTRUCTION_1(ceil)
KILN_INSTRUCTION_1(trunc)
KILN_INSTRUCTION_1(rint)
KILN_INSTRUCTION_1(nearbyint)
KILN_INSTRUCTION_1(round)
#undef KILN_INSTRUCTION_1
KILN_FN float copysignf(float x, float y) {
  return KILN_INSTRUCTION(copysignf)(x, y);
}
KILN_FN double copysign(double x, double y) {
  return KILN_INSTRUCTION(copysign)(x, y);
}

}  // namespace kiln::libm
