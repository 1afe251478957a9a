// min and max as CUDA has them: of a NaN and a number the number. Names of the user's namespace hide kiln's. Halves find both,
// and the constraint decides.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {
template <class T>
concept number_of_cuda = real_number<T> && true;

// Of a half and another number it is the half's, which C++ cannot tell where each converts to the other.
template <class A, class B>
KILN_FN auto common_of(A a, B b) {
  if constexpr (half_like<A> && !half_like<B>) {
    return a;
  } else if constexpr (half_like<B> && !half_like<A>) {
    return b;
  } else {
    return true ? a : b;
  }
}
}  // namespace kiln

namespace kiln::user {

template <number_of_cuda A, number_of_cuda B>
KILN_FN auto min(A a, B b) {
  using T = decltype(common_of(a, b));
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return y < x || x != x ? y : x;
}
template <number_of_cuda A, number_of_cuda B>
KILN_FN auto max(A a, B b) {
  using T = decltype(common_of(a, b));
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return x < y || x != x ? y : x;
}

}  // namespace kiln::user
