// `/=` and `%=` of the user's texts: `a %=kiln_by/= b` for `a /= b` (division.hpp).
#pragma once
#include "kiln/core/division.hpp"

namespace kiln {
namespace division {

#define KILN_DIVISION(op, divisor)                                    \
  template <class Y>                                                  \
  struct divisor {                                                    \
    Y y;                                                              \
    tag by;                                                           \
  };                                                                  \
  template <class Y>                                                  \
    requires(!is_object<Y>)                                           \
  KILN_CONSTEXPR_FN divisor<Y> operator op##=(tag by, Y y) {          \
    return {y, by};                                                   \
  }                                                                   \
  template <object Y>                                                 \
  KILN_CONSTEXPR_FN divisor<Y&&> operator op##=(tag by, Y && y) {     \
    return {static_cast<Y&&>(y), by};                                 \
  }                                                                   \
  template <class X, class Y>                                         \
  KILN_CONSTEXPR_FN decltype(auto) operator%=(X&& x, divisor<Y> by) { \
    if constexpr (element<X>) {                                       \
      return x = x.kiln_now() % by.by op static_cast<Y&&>(by.y);      \
    } else if constexpr (integral<X> && !is_enumeration<Y>) {         \
      return x = x % by.by op static_cast<Y&&>(by.y);                 \
    } else {                                                          \
      return static_cast<X&&>(x) op## = static_cast<Y&&>(by.y);       \
    }                                                                 \
  }
KILN_DIVISION(/, slash)
KILN_DIVISION(%, percent)
#undef KILN_DIVISION

}  // namespace division
}  // namespace kiln
