// cuComplex.h: pairs of numbers, and functions of them.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/math/hypot.hpp"

namespace kiln {

#define KILN_CU_COMPLEX(Name, T)             \
  struct alignas(2 * sizeof(T)) Name {       \
    T x, y;                                  \
  };                                         \
  KILN_FN Name make_##Name(T real, T imag) { \
    return {real, imag};                     \
  }
KILN_CU_COMPLEX(cuFloatComplex, float)
KILN_CU_COMPLEX(cuDoubleComplex, double)
#undef KILN_CU_COMPLEX

#define KILN_OF_CU_COMPLEX(Name, T, f)                                         \
  KILN_FN T cuCreal##f(Name z) {                                               \
    return z.x;                                                                \
  }                                                                            \
  KILN_FN T cuCimag##f(Name z) {                                               \
    return z.y;                                                                \
  }                                                                            \
  KILN_FN Name cuConj##f(Name z) {                                             \
    return {z.x, -z.y};                                                        \
  }                                                                            \
  KILN_FN Name cuCadd##f(Name a, Name b) {                                     \
    return {a.x + b.x, a.y + b.y};                                             \
  }                                                                            \
  KILN_FN Name cuCsub##f(Name a, Name b) {                                     \
    return {a.x - b.x, a.y - b.y};                                             \
  }                                                                            \
  KILN_FN Name cuCmul##f(Name a, Name b) {                                     \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                     \
  }                                                                            \
  KILN_FN Name cuCfma##f(Name a, Name b, Name c) {                             \
    return cuCadd##f(cuCmul##f(a, b), c);                                      \
  }                                                                            \
  /* Scaled, so that no product overflows early. */                            \
  KILN_FN Name cuCdiv##f(Name a, Name b) {                                     \
    const T scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));     \
    const Name p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale}; \
    const T of = 1 / (q.x * q.x + q.y * q.y);                                  \
    return {(p.x * q.x + p.y * q.y) * of, (p.y * q.x - p.x * q.y) * of};       \
  }                                                                            \
  KILN_FN T cuCabs##f(Name z) {                                                \
    return hypot(z.x, z.y);                                                    \
  }
KILN_OF_CU_COMPLEX(cuFloatComplex, float, f)
KILN_OF_CU_COMPLEX(cuFloatComplex, float, )  // as CuPy's translation of cuComplex.h has them
KILN_OF_CU_COMPLEX(cuDoubleComplex, double, )
#undef KILN_OF_CU_COMPLEX
using cuComplex = cuFloatComplex;
KILN_FN cuComplex make_cuComplex(float real, float imag) {
  return {real, imag};
}
KILN_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return {z.x, z.y};
}
KILN_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return {static_cast<float>(z.x), static_cast<float>(z.y)};
}

}  // namespace kiln
