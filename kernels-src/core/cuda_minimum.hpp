// min and max as CUDA has them: of a NaN and a number the number. Names of the user's namespace hide kiln's. Halves find both,
// and the constraint decides.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {
template <class T>
concept number_of_cuda = real_number<T> && true;
}  // namespace kiln

namespace kiln::user {

template <number_of_cuda A, number_of_cuda B>
KILN_FN auto min(A a, B b) {
  using T = decltype(true ? a : b);
  const T x = a, y = b;
  return y < x || x != x ? y : x;
}
template <number_of_cuda A, number_of_cuda B>
KILN_FN auto max(A a, B b) {
  using T = decltype(true ? a : b);
  const T x = a, y = b;
  return x < y || x != x ? y : x;
}

}  // namespace kiln::user
