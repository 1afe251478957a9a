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
template <class X>
concept plain = !object<X>;
// Enumerations may have operators of the user's, which C++ is to find.
template <class X>
inline constexpr bool is_enumeration = __is_enum(X);
template <class X>
inline constexpr bool is_enumeration<X&> = is_enumeration<X>;
// The list of integers is long: numbers that are none are asked for first.
template <class X>
concept integral = plain<X> && !is_enumeration<X> && requires(X x) {
  requires !one_of<decltype(+x), float, double>;
  requires integer<decltype(+x)> || is_wide_integer<decltype(+x)>;
};
// An element of a view that stands for its value (view.hpp).
template <class X>
concept element = object<X> && requires(X&& x) { x.kiln_now(); };

// What C++ divides instead: 0 / 1 for a / 0, and MIN / 1 for MIN / -1, which a dividend narrower than T is not. Chosen before
// the division, and alike for quotient and remainder, which one instruction has. What hardly happens is a branch, which costs a
// chain of divisions nothing; in vectors it is a selection, too.
template <class T>
KILN_CONSTEXPR_FN T above(T a, T b) {
  return b == 0 ? T(0) : a;
}
template <class X, class T>
KILN_CONSTEXPR_FN T below(T a, T b) {
  constexpr bool overflows = sizeof(X) == sizeof(T) && T(-1) < T(0);
  const bool least = overflows && a == T(T(1) << (sizeof(T) * 8 - 1));
  if (__builtin_expect(least && b == T(-1), false)) return T(1);
  return b == 0 ? T(1) : b;
}

}  // namespace division
}  // namespace kiln
KILN_PRECISE_BEGIN
namespace kiln {
namespace division {

// A signed divisor of which the compiler knows nothing, where it would make something wrong of that (portable.hpp); constants
// stay.
template <class T>
KILN_CONSTEXPR_FN T unknown(T b) {
  if constexpr (T(-1) < T(0)) {
    KILN_UNKNOWN_DIVISOR(b);
  }
  return b;
}

template <class T>
KILN_CONSTEXPR_FN T unknown_dividend(T a) {
  if constexpr (sizeof(T) == sizeof(int) && T(-1) < T(0)) {
    KILN_UNKNOWN_DIVIDEND(a);
  }
  return a;
}

// Of types of up to 16 bits, on CPUs and AMD's GPUs, by a floating division, which is exact: vectors have it, and none for
// integers.
template <bool Narrow, class T>
KILN_CONSTEXPR_FN T quotient(T a, T b) {
  if constexpr (Narrow && KILN_FLOATING_QUOTIENTS) {
    return static_cast<T>(static_cast<float>(a) / static_cast<float>(b));
  } else if constexpr (is_wide_integer<T>) {
    return wide_quotient(a, b);
  } else {
    return unknown_dividend(a) / unknown(b);
  }
}
template <bool Narrow, class T>
KILN_CONSTEXPR_FN T rest(T a, T b) {
  if constexpr (Narrow && KILN_FLOATING_QUOTIENTS) {
    return a - quotient<Narrow>(a, b) * b;
  } else if constexpr (is_wide_integer<T>) {
    return wide_rest(a, b);
  } else {
    return unknown_dividend(a) % unknown(b);
  }
}

}  // namespace division
}  // namespace kiln
KILN_PRECISE_END
namespace kiln {
namespace division {

template <class T>
KILN_CONSTEXPR_FN void check_divisor(T a, T b, [[maybe_unused]] const tag& by, [[maybe_unused]] char op) {
#if KILN_DEBUG
  if (b == 0 && !__builtin_is_constant_evaluated()) debug::divided_by_zero(int64(a), op, by.line, by.column, by.file);
#endif
}

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
template <plain X>
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

#define KILN_DIVISION(op, divisor, defined)                                                           \
  template <class X, plain Y>                                                                         \
  KILN_CONSTEXPR_FN auto operator op(dividend<X> a, Y b) {                                            \
    using T = decltype(a.x op b);                                                                     \
    if constexpr (integral<Y>) {                                                                      \
      check_divisor<T>(a.x, b, a.by, #op[0]);                                                         \
      return defined < sizeof(X) <= 2 && sizeof(Y) <= 2, T > (above<T>(a.x, b), below<X, T>(a.x, b)); \
    } else {                                                                                          \
      return a.x op b;                                                                                \
    }                                                                                                 \
  }                                                                                                   \
  template <class X, object Y>                                                                        \
  KILN_CONSTEXPR_FN decltype(auto) operator op(dividend<X> a, Y&& b) {                                \
    if constexpr (element<Y>) {                                                                       \
      return a op + static_cast<Y&&>(b);                                                              \
    } else {                                                                                          \
      return a.x op static_cast<Y&&>(b);                                                              \
    }                                                                                                 \
  }                                                                                                   \
  template <class Y>                                                                                  \
  struct divisor {                                                                                    \
    Y y;                                                                                              \
    tag by;                                                                                           \
  };                                                                                                  \
  template <plain Y>                                                                                  \
  KILN_CONSTEXPR_FN divisor<Y> operator op##=(tag by, Y y) {                                          \
    return {y, by};                                                                                   \
  }                                                                                                   \
  template <object Y>                                                                                 \
  KILN_CONSTEXPR_FN divisor<Y&&> operator op##=(tag by, Y && y) {                                     \
    return {static_cast<Y&&>(y), by};                                                                 \
  }                                                                                                   \
  template <class X, class Y>                                                                         \
  KILN_CONSTEXPR_FN decltype(auto) operator%=(X&& x, divisor<Y> by) {                                 \
    if constexpr (element<X>) {                                                                       \
      return x = x.kiln_now() % by.by op static_cast<Y&&>(by.y);                                      \
    } else if constexpr (integral<X> && !is_enumeration<Y>) {                                         \
      return x = x % by.by op static_cast<Y&&>(by.y);                                                 \
    } else {                                                                                          \
      return static_cast<X&&>(x) op## = static_cast<Y&&>(by.y);                                       \
    }                                                                                                 \
  }
KILN_DIVISION(/, slash, quotient)
KILN_DIVISION(%, percent, rest)
#undef KILN_DIVISION

}  // namespace division
#if KILN_DEBUG
using division::kiln_by_at;
#else
using division::kiln_by;
#endif
}  // namespace kiln
