// The comparisons of set and setp (PTX ISA 8.5, 9.7.5, 9.7.6). Boolean operators and the forms of the result are the
// executor's.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "emulator/arithmetic/floating.hpp"
#include "emulator/arithmetic/format.hpp"

namespace kiln::emulator {

/// `lo ls hi hs` are lt le gt ge of unsigned integers. From `equ` on, of floats: true where an operand is NaN.
enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };

namespace detail {
/// Of anything that has an order.
template <class T>
[[nodiscard]] constexpr bool ordered(Comparison comparison, T a, T b) noexcept {
  switch (comparison) {
    case Comparison::eq:
    case Comparison::equ:
      return a == b;
    case Comparison::ne:
    case Comparison::neu:
      return a != b;
    case Comparison::lt:
    case Comparison::lo:
    case Comparison::ltu:
      return a < b;
    case Comparison::le:
    case Comparison::ls:
    case Comparison::leu:
      return a <= b;
    case Comparison::gt:
    case Comparison::hi:
    case Comparison::gtu:
      return a > b;
    case Comparison::ge:
    case Comparison::hs:
    case Comparison::geu:
      return a >= b;
    case Comparison::num:
      return true;
    case Comparison::nan:
      break;
  }
  return false;
}
}  // namespace detail

/// Signed or unsigned as T is; `lo ls hi hs` unsigned always.
template <std::integral T>
[[nodiscard]] constexpr bool compare(Comparison comparison, T a, T b) noexcept {
  if (comparison >= Comparison::lo && comparison <= Comparison::hs) {
    using Unsigned = std::make_unsigned_t<T>;
    return detail::ordered(comparison, static_cast<Unsigned>(a), static_cast<Unsigned>(b));
  }
  return detail::ordered(comparison, a, b);
}
/// Zeros of both signs are equal. Where an operand is NaN, `equ` to `geu` and `nan` are true, the others false: `ne` too.
template <Floating T>
[[nodiscard]] inline bool compare(Comparison comparison, T a, T b, bool ftz = false) noexcept {
  if (is_nan(a) || is_nan(b)) return comparison >= Comparison::equ && comparison != Comparison::num;
  using Host = std::conditional_t<std::same_as<T, double>, double, float>;
  return detail::ordered(comparison, static_cast<Host>(widened(flushed(a, ftz))), static_cast<Host>(widened(flushed(b, ftz))));
}

/// What min and max say after their names.
struct MinMaxModifiers {
  bool ftz = false;
  bool nan = false;          ///< `.NaN`: NaN where an operand is one; else NaN only where both are
  bool xorsign_abs = false;  ///< of the magnitudes, with the product's sign; a NaN has none
  bool relu = false;
};

namespace detail {
template <bool kMax, Floating T>
[[nodiscard]] constexpr T chosen(T a, T b, MinMaxModifiers m) noexcept {
  a = flushed(a, m.ftz);
  b = flushed(b, m.ftz);
  const bool negative = is_negative(a) != is_negative(b);
  if (m.xorsign_abs) {
    a = abs(a);
    b = abs(b);
  }
  T result = a;
  if (is_nan(a) || is_nan(b)) {
    result = m.nan || (is_nan(a) && is_nan(b)) ? canonical_nan<T>() : is_nan(a) ? b : a;
  } else {
    // -0 is less than +0, so bits decide, those of negative numbers inverted.
    using Bits = typename Format<T>::Bits;
    const auto order = [](T x) { return static_cast<Bits>(is_negative(x) ? ~to_bits(x) : to_bits(x) | Format<T>::kSign); };
    result = (order(a) < order(b)) != kMax ? a : b;
  }
  if (m.xorsign_abs && negative && !is_nan(result)) result = neg(result);
  return m.relu ? relu(result) : result;
}
}  // namespace detail

/// -0 is less than +0. NaN results are canonical. 9.7.3.11, 9.7.4.7.
template <Floating T>
[[nodiscard]] constexpr T min(T a, T b, MinMaxModifiers m = {}) noexcept {
  return detail::chosen<false>(a, b, m);
}
/// 9.7.3.12, 9.7.4.8.
template <Floating T>
[[nodiscard]] constexpr T max(T a, T b, MinMaxModifiers m = {}) noexcept {
  return detail::chosen<true>(a, b, m);
}

/// testp. 9.7.3.1.
enum class Property : std::uint8_t { finite, infinite, number, not_a_number, normal, subnormal };
/// Zeros are normal.
template <Floating T>
[[nodiscard]] constexpr bool testp(Property property, T a) noexcept {
  switch (property) {
    case Property::finite:
      return is_finite(a);
    case Property::infinite:
      return magnitude(a) == Format<T>::kInfinity;
    case Property::number:
      return !is_nan(a);
    case Property::not_a_number:
      return is_nan(a);
    case Property::normal:
      return is_finite(a) && !is_subnormal(a);
    case Property::subnormal:
      return is_subnormal(a);
  }
  return false;
}

}  // namespace kiln::emulator
