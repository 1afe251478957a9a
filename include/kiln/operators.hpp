// C++'s operators on arrays: 2 * x + 1, x < y, x += y. Each calls the ufunc of kiln::math that NumPy's operator stands for. `/`
// is divide, `%` is remainder with the divisor's sign, `~` is invert.
//
// Comparisons return arrays of bool: (a == b).all() tests whether all elements are equal. `&&`, `||` and `!` are C++'s, for
// arrays of one element (Array::operator bool).
#pragma once

#include <concepts>
#include <utility>

#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/math.hpp"

namespace kiln {

namespace detail {

/// Two operands: one is an array, the other an array or a C++ scalar, which is weak as in a call.
template <class A, class B>
concept array_operands =
    (std::derived_from<A, Array> && (std::derived_from<B, Array> || Element<B>)) || (Element<A> && std::derived_from<B, Array>);

}  // namespace detail

/// @name Operators that return a fresh array
///
/// The result and the exceptions are those of the ufunc's call.
/// @{
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator+(const A& a, const B& b) {
  return math::add(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator-(const A& a, const B& b) {
  return math::subtract(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator*(const A& a, const B& b) {
  return math::multiply(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator/(const A& a, const B& b) {
  return math::divide(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator%(const A& a, const B& b) {
  return math::remainder(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator&(const A& a, const B& b) {
  return math::bitwise_and(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator|(const A& a, const B& b) {
  return math::bitwise_or(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator^(const A& a, const B& b) {
  return math::bitwise_xor(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator<<(const A& a, const B& b) {
  return math::left_shift(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator>>(const A& a, const B& b) {
  return math::right_shift(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator==(const A& a, const B& b) {
  return math::equal(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator!=(const A& a, const B& b) {
  return math::not_equal(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator<(const A& a, const B& b) {
  return math::less(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator<=(const A& a, const B& b) {
  return math::less_equal(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator>(const A& a, const B& b) {
  return math::greater(a, b);
}
template <class A, class B>
  requires detail::array_operands<A, B>
[[nodiscard]] Array operator>=(const A& a, const B& b) {
  return math::greater_equal(a, b);
}
[[nodiscard]] inline Array operator-(const Array& a) {
  return math::negative(a);
}
[[nodiscard]] inline Array operator+(const Array& a) {
  return math::positive(a);
}
[[nodiscard]] inline Array operator~(const Array& a) {
  return math::invert(a);
}
/// @}

/// @name Operators in place
///
/// Writes the elements of `a`, also through a view, and returns `a`. `b` broadcasts to a's shape; the result is cast to a's
/// dtype by same_kind.
/// @{
inline Array operator+=(const Array& a, const Arg& b) {
  math::add(a, b, {.out = a});
  return a;
}
inline Array operator-=(const Array& a, const Arg& b) {
  math::subtract(a, b, {.out = a});
  return a;
}
inline Array operator*=(const Array& a, const Arg& b) {
  math::multiply(a, b, {.out = a});
  return a;
}
inline Array operator/=(const Array& a, const Arg& b) {
  math::divide(a, b, {.out = a});
  return a;
}
inline Array operator%=(const Array& a, const Arg& b) {
  math::remainder(a, b, {.out = a});
  return a;
}
inline Array operator&=(const Array& a, const Arg& b) {
  math::bitwise_and(a, b, {.out = a});
  return a;
}
inline Array operator|=(const Array& a, const Arg& b) {
  math::bitwise_or(a, b, {.out = a});
  return a;
}
inline Array operator^=(const Array& a, const Arg& b) {
  math::bitwise_xor(a, b, {.out = a});
  return a;
}
inline Array operator<<=(const Array& a, const Arg& b) {
  math::left_shift(a, b, {.out = a});
  return a;
}
inline Array operator>>=(const Array& a, const Arg& b) {
  math::right_shift(a, b, {.out = a});
  return a;
}
/// @}

}  // namespace kiln
