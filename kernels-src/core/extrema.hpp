// fmin and fmax whose zeros have the same sign on every device, where functions have the same bits there: -0 is less than 0.
#pragma once

namespace kiln::libm {

#define KILN_EXTREMA(T, suffix)                                                                                \
  KILN_FN T fmin##suffix(T x, T y) {                                                                           \
    return y != y ? x : x != x ? y : x < y ? x : y < x ? y : KILN_LIBM(copysign##suffix)(T(1), x) < 0 ? x : y; \
  }                                                                                                            \
  KILN_FN T fmax##suffix(T x, T y) {                                                                           \
    return y != y ? x : x != x ? y : x > y ? x : y > x ? y : KILN_LIBM(copysign##suffix)(T(1), x) < 0 ? y : x; \
  }
KILN_EXTREMA(float, f)
KILN_EXTREMA(double, )
#undef KILN_EXTREMA

}  // namespace kiln::libm
