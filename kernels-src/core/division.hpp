// `/`, `%`, `/=` and `%=` of integers in the user's texts, defined for every pair: by 0 both are 0, MIN / -1 is MIN and its
// remainder 0. For `a / b` the kernel has `a %kiln_by/ b`, for `a /= b` `a %=kiln_by/= b`, of whatever types
// (lib/kiln/kernel/integer_divisions.hpp); in debug mode `kiln_by(7)`, with the column. The operator in front groups as the
// user's own does, and puts an integer aside until its divisor is there. What is no integer passes through to the operator that
// C++ finds.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {
namespace division {

#if KILN_DEBUG
struct tag {
  int column;
  int line;
  const char* file;
};
KILN_CONSTEXPR_FN tag kiln_by_at(int column, int line, const char* file) {
  return {column, line, file};
}
// A macro: Clang has no mangled name for a signature that __builtin_LINE() stands in, as `-> decltype(a / b)` does.
#define kiln_by(column) kiln_by_at(column, __LINE__, __FILE__)
#else
enum tag { kiln_by };
#endif

// Classes have operators of their own.
template <class X>
concept object = is_object<X>;
// Enumerations may have operators of the user's, which C++ is to find.
template <class X>
inline constexpr bool is_enumeration = __is_enum(X);
template <class X>
inline constexpr bool is_enumeration<X&> = is_enumeration<X>;
// The list of integers is long: numbers that are none are asked for first.
template <class X>
concept integral = !is_object<X> && !is_enumeration<X> && requires(X x) {
  requires !one_of<decltype(+x), float, double>;
  requires integer<decltype(+x)> || is_wide_integer<decltype(+x)>;
};
// An element of a view that stands for its value (view.hpp).
template <class X>
concept element = object<X> && requires(X&& x) { x.kiln_now(); };

}  // namespace division
}  // namespace kiln
KILN_PRECISE_BEGIN
namespace kiln {
namespace division {

// a / b or a % b in the type T that C++ computes them in, of an X and a Y.
template <bool Rest, class X, class Y, class T>
KILN_CONSTEXPR_FN T divided(T a, T b) {
  // C++ divides 0 / 1 for a / 0, and MIN / 1 for MIN / -1, which a dividend narrower than T is not. Chosen before the division,
  // and alike for quotient and remainder, which one instruction has. What hardly happens is a branch, which costs a chain of
  // divisions nothing; in vectors it is a selection, too.
  constexpr bool is_signed = T(-1) < T(0);
  const bool least = is_signed && sizeof(X) == sizeof(T) && a == T(T(1) << (sizeof(T) * 8 - 1));
  a = b == 0 ? T(0) : a;
  if (__builtin_expect(least && b == T(-1), false)) {
    b = T(1);
  } else {
    b = b == 0 ? T(1) : b;
  }
  if constexpr (KILN_FLOATING_QUOTIENTS && sizeof(X) <= 2 && sizeof(Y) <= 2) {
    // Of types of up to 16 bits, on CPUs and AMD's GPUs, by a floating division, which is exact: vectors have it, and none for
    // integers.
    const T quotient = static_cast<T>(static_cast<float>(a) / static_cast<float>(b));
    return Rest ? a - quotient * b : quotient;
  } else if constexpr (is_wide_integer<T>) {
    return Rest ? wide_rest(a, b) : wide_quotient(a, b);
  } else {
    // Numbers of which the compiler knows nothing, where it would make something wrong of that (portable.hpp); constants stay.
    if constexpr (is_signed && sizeof(T) == sizeof(int)) {
      KILN_UNKNOWN_DIVIDEND(a);
    }
    if constexpr (is_signed) {
      KILN_UNKNOWN_DIVISOR(b);
    }
    return Rest ? a % b : a / b;
  }
}

}  // namespace division
}  // namespace kiln
KILN_PRECISE_END
namespace kiln {
namespace division {

template <class X>
struct dividend {
  X x;
  tag by;
};
// No templates, which take compilers longer: most divisions are of these.
KILN_CONSTEXPR_FN float operator%(float x, tag) {
  return x;
}
KILN_CONSTEXPR_FN double operator%(double x, tag) {
  return x;
}
template <class X>
  requires(!is_object<X>)
KILN_CONSTEXPR_FN auto operator%(X x, tag by) {
  if constexpr (integral<X>) {
    return dividend<X>{x, by};
  } else {
    return x;
  }
}
template <object X>
KILN_CONSTEXPR_FN decltype(auto) operator%(X&& x, tag by) {
  if constexpr (element<X>) {
    return +static_cast<X&&>(x) % by;
  } else {
    return static_cast<X&&>(x);
  }
}

#if KILN_DEBUG
#define KILN_CHECK_DIVISOR(T, a, b, op)                                           \
  if (b == 0 && !__builtin_is_constant_evaluated()) {                             \
    debug::divided_by_zero(int64(T(a.x)), op, a.by.line, a.by.column, a.by.file); \
  }
#else
#define KILN_CHECK_DIVISOR(T, a, b, op)
#endif
#define KILN_DIVISION(op, rest)                                        \
  template <class X, class Y>                                          \
    requires(!is_object<Y>)                                            \
  KILN_CONSTEXPR_FN auto operator op(dividend<X> a, Y b) {             \
    using T = decltype(a.x op b);                                      \
    if constexpr (integral<Y>) {                                       \
      KILN_CHECK_DIVISOR(T, a, b, #op[0])                              \
      return divided<rest, X, Y, T>(a.x, b);                           \
    } else {                                                           \
      return a.x op b;                                                 \
    }                                                                  \
  }                                                                    \
  template <class X, object Y>                                         \
  KILN_CONSTEXPR_FN decltype(auto) operator op(dividend<X> a, Y&& b) { \
    if constexpr (element<Y>) {                                        \
      return a op + static_cast<Y&&>(b);                               \
    } else {                                                           \
      return a.x op static_cast<Y&&>(b);                               \
    }                                                                  \
  }
KILN_DIVISION(/, false)
KILN_DIVISION(%, true)
#undef KILN_DIVISION

}  // namespace division
#if KILN_DEBUG
using division::kiln_by_at;
#else
using division::kiln_by;
#endif
}  // namespace kiln
