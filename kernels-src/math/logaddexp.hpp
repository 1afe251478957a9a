// Sums of numbers that are given by their logarithms, as NumPy's.
#pragma once
#include "kiln/math/exp.hpp"
#include "kiln/math/exponential.hpp"
#include "kiln/math/floating.hpp"

namespace kiln {

// log(exp(a) + exp(b)) and log2(exp2(a) + exp2(b)), without overflow.
template <one_of<float, double> T>
KILN_FN T logaddexp(T a, T b) {
  const T big = maximum(a, b);
  const T d = a == b ? T(0) : -fabs(a - b);  // equal infinities have no difference
  return a != a || b != b ? a + b : big + log1p(exp(d));
}
template <one_of<float, double> T>
KILN_FN T logaddexp2(T a, T b) {
  const T big = maximum(a, b);
  const T d = a == b ? T(0) : -fabs(a - b);
  return a != a || b != b ? a + b : big + T(1.4426950408889634074) * log1p(exp2(d));
}

}  // namespace kiln
