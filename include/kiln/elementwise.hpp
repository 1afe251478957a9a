// Functions over arrays by the names of <cmath> and <complex>: sqrt(a), pow(a, 2). They are found without a namespace, as
// kiln::sqrt, and beside std::sqrt. Each is the ufunc of kiln::math of that name, or of NumPy's: asin is kiln::math::arcsin.
//
// They also take symbolic values, inside kiln::fuse(). Options of a call, as .out, are those of kiln::math's functions.
#pragma once

#include <concepts>

#include "kiln/array.hpp"
#include "kiln/expr.hpp"
#include "kiln/math.hpp"
#include "kiln/operators.hpp"

namespace kiln {

namespace detail {
/// An array or a symbolic value.
template <class T>
concept Operand = std::derived_from<T, Array> || std::same_as<T, Expr>;
/// Two operands of a function: one is an array or symbolic, the other may be a C++ scalar.
template <class A, class B>
concept operands = array_operands<A, B> || symbolic<A, B>;
}  // namespace detail

/// @name Functions of one argument
///
/// The result and the exceptions are those of the ufunc's call.
/// @{
template <detail::Operand A>
[[nodiscard]] auto abs(const A& a) {
  return math::absolute(a);
}
template <detail::Operand A>
[[nodiscard]] auto fabs(const A& a) {
  return math::fabs(a);
}
template <detail::Operand A>
[[nodiscard]] auto sqrt(const A& a) {
  return math::sqrt(a);
}
template <detail::Operand A>
[[nodiscard]] auto cbrt(const A& a) {
  return math::cbrt(a);
}
template <detail::Operand A>
[[nodiscard]] auto exp(const A& a) {
  return math::exp(a);
}
template <detail::Operand A>
[[nodiscard]] auto exp2(const A& a) {
  return math::exp2(a);
}
template <detail::Operand A>
[[nodiscard]] auto expm1(const A& a) {
  return math::expm1(a);
}
template <detail::Operand A>
[[nodiscard]] auto log(const A& a) {
  return math::log(a);
}
template <detail::Operand A>
[[nodiscard]] auto log2(const A& a) {
  return math::log2(a);
}
template <detail::Operand A>
[[nodiscard]] auto log10(const A& a) {
  return math::log10(a);
}
template <detail::Operand A>
[[nodiscard]] auto log1p(const A& a) {
  return math::log1p(a);
}
template <detail::Operand A>
[[nodiscard]] auto sin(const A& a) {
  return math::sin(a);
}
template <detail::Operand A>
[[nodiscard]] auto cos(const A& a) {
  return math::cos(a);
}
template <detail::Operand A>
[[nodiscard]] auto tan(const A& a) {
  return math::tan(a);
}
template <detail::Operand A>
[[nodiscard]] auto asin(const A& a) {
  return math::arcsin(a);
}
template <detail::Operand A>
[[nodiscard]] auto acos(const A& a) {
  return math::arccos(a);
}
template <detail::Operand A>
[[nodiscard]] auto atan(const A& a) {
  return math::arctan(a);
}
template <detail::Operand A>
[[nodiscard]] auto sinh(const A& a) {
  return math::sinh(a);
}
template <detail::Operand A>
[[nodiscard]] auto cosh(const A& a) {
  return math::cosh(a);
}
template <detail::Operand A>
[[nodiscard]] auto tanh(const A& a) {
  return math::tanh(a);
}
template <detail::Operand A>
[[nodiscard]] auto asinh(const A& a) {
  return math::arcsinh(a);
}
template <detail::Operand A>
[[nodiscard]] auto acosh(const A& a) {
  return math::arccosh(a);
}
template <detail::Operand A>
[[nodiscard]] auto atanh(const A& a) {
  return math::arctanh(a);
}
template <detail::Operand A>
[[nodiscard]] auto floor(const A& a) {
  return math::floor(a);
}
template <detail::Operand A>
[[nodiscard]] auto ceil(const A& a) {
  return math::ceil(a);
}
template <detail::Operand A>
[[nodiscard]] auto trunc(const A& a) {
  return math::trunc(a);
}
template <detail::Operand A>
[[nodiscard]] auto rint(const A& a) {
  return math::rint(a);
}
template <detail::Operand A>
[[nodiscard]] auto isnan(const A& a) {
  return math::isnan(a);
}
template <detail::Operand A>
[[nodiscard]] auto isinf(const A& a) {
  return math::isinf(a);
}
template <detail::Operand A>
[[nodiscard]] auto isfinite(const A& a) {
  return math::isfinite(a);
}
template <detail::Operand A>
[[nodiscard]] auto signbit(const A& a) {
  return math::signbit(a);
}
template <detail::Operand A>
[[nodiscard]] auto real(const A& a) {
  return math::real(a);
}
template <detail::Operand A>
[[nodiscard]] auto imag(const A& a) {
  return math::imag(a);
}
template <detail::Operand A>
[[nodiscard]] auto conj(const A& a) {
  return math::conjugate(a);
}
template <detail::Operand A>
[[nodiscard]] auto arg(const A& a) {
  return math::angle(a);
}
/// @}

/// @name Functions of two arguments: two arrays, or one and a scalar
/// @{
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto pow(const A& a, const B& b) {
  return math::power(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto hypot(const A& a, const B& b) {
  return math::hypot(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto atan2(const A& a, const B& b) {
  return math::arctan2(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto fmod(const A& a, const B& b) {
  return math::fmod(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto fmin(const A& a, const B& b) {
  return math::fmin(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto fmax(const A& a, const B& b) {
  return math::fmax(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto copysign(const A& a, const B& b) {
  return math::copysign(a, b);
}
template <class A, class B>
  requires detail::operands<A, B>
[[nodiscard]] auto nextafter(const A& a, const B& b) {
  return math::nextafter(a, b);
}
/// @}

}  // namespace kiln
