// What kiln's own functions are made of that CUDA and HIP have beside C's, for CPUs and where Clang compiles for a GPU.
#pragma once
#include "kiln/math/own_polynomial.hpp"

KILN_PRECISE_BEGIN
namespace kiln::own {

// c0 + c1 x + c2 x^2 + …, fused where there is an instruction for it.
template <class... C>
KILN_FN double horner(double x, double c, C... rest) {
  if constexpr (sizeof...(C) == 0) {
    return c;
  } else if constexpr (KILN_FUSED) {
    return fused(horner(x, rest...), x, c);
  } else {
    return horner(x, rest...) * x + c;
  }
}

}  // namespace kiln::own
KILN_PRECISE_END

#define KILN_OWN_SINGLE(name)                                \
  KILN_FN float name##f(float x) {                           \
    return static_cast<float>(name(static_cast<double>(x))); \
  }
