// a to the power of b, of integers and of floating numbers.
#pragma once
#include "kiln/math/integers.hpp"
#include "kiln/math/power.hpp"

namespace kiln {

template <real_number T>
KILN_FN T power(T a, T b) {
  if constexpr (integer<T>) {
    return integer_power(a, b);
  } else {
    return pow(a, b);
  }
}

}  // namespace kiln
