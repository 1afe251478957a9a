// min and max as CUDA has them: of a NaN and a number the number. Names of the user's namespace hide kiln's.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::user {

template <real_number A, real_number B>
KILN_FN auto min(A a, B b) {
  using T = decltype(true ? a : b);
  const T x = a, y = b;
  return y < x || x != x ? y : x;
}
template <real_number A, real_number B>
KILN_FN auto max(A a, B b) {
  using T = decltype(true ? a : b);
  const T x = a, y = b;
  return x < y || x != x ? y : x;
}

}  // namespace kiln::user
