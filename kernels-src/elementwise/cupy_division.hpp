// CuPy's division that rounds down, as its kernels call it.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/math/integers.hpp"
#include "kiln/math/math.hpp"

namespace kiln {

template <real_number A, real_number B>
KILN_FN auto _floor_divide(A a, B b) {
  if constexpr (integer<A> && integer<B>) {
    using T = decltype(A() + B());
    return floor_divide(static_cast<T>(a), static_cast<T>(b));
  } else if constexpr (same<A, double> || same<B, double>) {
    return floor(static_cast<double>(a) / static_cast<double>(b));
  } else {
    return floor(static_cast<float>(a) / static_cast<float>(b));
  }
}

}  // namespace kiln
