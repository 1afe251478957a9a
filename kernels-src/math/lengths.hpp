// norm of a real number, as std::norm has it, and of an array of numbers, as CUDA and HIP have it, with its reciprocal.
#pragma once
#include "kiln/math/math.hpp"

namespace kiln {

template <real_number T>
KILN_FN float_of<T> norm(T x) {
  const auto y = static_cast<float_of<T>>(x);
  return y * y;
}
// The root of the sum of squares, which neither overflows nor underflows on the way.
template <one_of<float, double> T>
KILN_FN T norm(int count, const T* x) {
  T largest = 0, sum = 0;
  for (int i = 0; i < count; ++i) largest = largest < fabs(x[i]) ? fabs(x[i]) : largest;
  const bool plain = largest > 0 && isfinite(largest);
  for (int i = 0; i < count; ++i) {
    const T part = plain ? x[i] / largest : x[i];
    sum += part * part;
  }
  return isinf(largest) ? largest : plain ? largest * sqrt(sum) : sum;
}
template <one_of<float, double> T>
KILN_FN T rnorm(int count, const T* x) {
  return 1 / norm(count, x);
}

}  // namespace kiln
