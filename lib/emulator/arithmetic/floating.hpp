// Arithmetic of .f16, .bf16, .f32 and .f64 (PTX ISA 8.5, 9.7.3, 9.7.4), one value at a time: Half, BFloat16, float, double.
//
// 1. Every result is rounded once. nearest_even is computed in the host's arithmetic: the host is to have the floating-point
//    environment that threads start in (nearest, no flushing), and its sticky exception flags may be raised. All other modes
//    are computed in integers (exact.hpp): the host's mode does not matter there. They are ten to thirty times slower.
// 2. A NaN that an instruction makes, and every NaN of float, Half and BFloat16, is canonical_nan (the manual: unspecified). A
//    double keeps the payload of the first operand that is NaN, quieted (9.7.3).
// 3. `ftz` flushes operands, and results that are subnormal after rounding. PTX has no ftz and sat of double.
// 4. What includes this is compiled with -ffp-contract=off: a mul and an add stay two roundings.
#pragma once

#include <cmath>

#include "emulator/arithmetic/exact.hpp"
#include "emulator/arithmetic/format.hpp"

namespace kiln::emulator {

namespace detail {

/// a + b in double, its last bit set where the sum is not exact: rounding that once more is rounding the exact sum.
/// S. Boldo, G. Melquiond: "When double rounding is odd".
[[nodiscard]] inline double sum_to_odd(double a, double b) noexcept {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const std::uint64_t bits = to_bits(sum);
  if ((bits & 1U) != 0 || !(error > 0 || error < 0)) return sum;  // NaN where the sum is infinite
  return from_bits<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

template <Floating T, std::same_as<T>... Operands>
[[nodiscard]] constexpr T nan_of(Operands... operands) noexcept {
  if constexpr (std::same_as<T, double>) {
    for (const double x : {operands...}) {
      if (is_nan(x)) return from_bits<double>(to_bits(x) | Format<double>::kQuiet);
    }
  }
  return canonical_nan<T>();
}

}  // namespace detail

/// Clamps to [+0, 1]; NaN and -0 give +0.
template <Floating T>
[[nodiscard]] constexpr T saturated(T x) noexcept {
  constexpr auto kOne =
      static_cast<typename Format<T>::Bits>(typename Format<T>::Bits{Format<T>::kMaxExponent} << Format<T>::kFractionBits);
  if (is_nan(x) || is_negative(x)) return T{};
  return to_bits(x) > kOne ? from_bits<T>(kOne) : x;
}
/// +0 of a negative number and of -0; the canonical NaN of a NaN.
template <Floating T>
[[nodiscard]] constexpr T relu(T x) noexcept {
  if (is_nan(x)) return canonical_nan<T>();
  return is_negative(x) ? T{} : x;
}

namespace detail {
template <Floating T, std::same_as<T>... Operands>
[[nodiscard]] constexpr T finished(T result, Modifiers m, Operands... operands) noexcept {
  if (is_nan(result)) [[unlikely]]
    return m.sat ? T{} : nan_of<T>(operands...);
  if (m.ftz) result = flushed(result);
  if (m.sat) result = saturated(result);
  if (m.relu) result = relu(result);
  return result;
}
}  // namespace detail

/// 9.7.3.3, 9.7.4.1.
template <Floating T>
[[nodiscard]] inline T add(T a, T b, Modifiers m = {}) noexcept {
  a = flushed(a, m.ftz);
  b = flushed(b, m.ftz);
  if (m.rounding != Rounding::nearest_even) [[unlikely]]
    return detail::finished(exact::sum(a, b, m.rounding), m, a, b);
  if constexpr (Native<T>) {
    return detail::finished(a + b, m, a, b);
  } else {
    return detail::finished(narrowed<T>(detail::sum_to_odd(widened(a), widened(b))), m, a, b);
  }
}
/// The sign bit inverted, of a NaN too (the manual: unspecified). `ftz`: a subnormal gives a zero. 9.7.3.10, 9.7.4.5.
template <Floating T>
[[nodiscard]] constexpr T neg(T a, bool ftz = false) noexcept {
  return from_bits<T>(static_cast<typename Format<T>::Bits>(to_bits(flushed(a, ftz)) ^ Format<T>::kSign));
}
/// The sign bit cleared, of a NaN too. 9.7.3.9, 9.7.4.6.
template <Floating T>
[[nodiscard]] constexpr T abs(T a, bool ftz = false) noexcept {
  return from_bits<T>(magnitude(flushed(a, ftz)));
}
/// 9.7.3.4, 9.7.4.2.
template <Floating T>
[[nodiscard]] inline T sub(T a, T b, Modifiers m = {}) noexcept {
  return add(a, is_nan(b) ? b : neg(b), m);
}
/// 9.7.3.5, 9.7.4.3.
template <Floating T>
[[nodiscard]] inline T mul(T a, T b, Modifiers m = {}) noexcept {
  a = flushed(a, m.ftz);
  b = flushed(b, m.ftz);
  if (m.rounding != Rounding::nearest_even) [[unlikely]]
    return detail::finished(exact::product(a, b, m.rounding), m, a, b);
  if constexpr (Native<T>) {
    return detail::finished(a * b, m, a, b);
  } else {
    return detail::finished(narrowed<T>(widened(a) * widened(b)), m, a, b);  // exact as double
  }
}
/// a * b + c, rounded once; mad.f32 and mad.f64 are the same. 9.7.3.6, 9.7.3.7, 9.7.4.4.
template <Floating T>
[[nodiscard]] inline T fma(T a, T b, T c, Modifiers m = {}) noexcept {
  a = flushed(a, m.ftz);
  b = flushed(b, m.ftz);
  c = flushed(c, m.ftz);
  if (m.rounding != Rounding::nearest_even) [[unlikely]] {
    return detail::finished(exact::product_sum(a, b, c, m.rounding), m, a, b, c);
  }
  if constexpr (Native<T>) {
    return detail::finished(std::fma(a, b, c), m, a, b, c);
  } else {
    return detail::finished(narrowed<T>(detail::sum_to_odd(widened(a) * widened(b), widened(c))), m, a, b, c);
  }
}
/// div.rnd. 9.7.3.8.
template <Native T>
[[nodiscard]] inline T div(T a, T b, Modifiers m = {}) noexcept {
  a = flushed(a, m.ftz);
  b = flushed(b, m.ftz);
  return detail::finished(m.rounding == Rounding::nearest_even ? a / b : exact::quotient(a, b, m.rounding), m, a, b);
}
/// rcp.rnd. 9.7.3.13.
template <Native T>
[[nodiscard]] inline T rcp(T a, Modifiers m = {}) noexcept {
  return div(T{1}, a, m);
}
/// sqrt.rnd. 9.7.3.15.
template <Native T>
[[nodiscard]] inline T sqrt(T a, Modifiers m = {}) noexcept {
  a = flushed(a, m.ftz);
  return detail::finished(m.rounding == Rounding::nearest_even ? std::sqrt(a) : exact::root(a, m.rounding), m, a);
}
/// The magnitude of `value` with the sign of `sign`: copysign.f32 d, sign, value. 9.7.3.2.
template <Floating T>
[[nodiscard]] constexpr T copysign(T sign, T value) noexcept {
  return from_bits<T>(static_cast<typename Format<T>::Bits>(magnitude(value) | (to_bits(sign) & Format<T>::kSign)));
}

}  // namespace kiln::emulator
