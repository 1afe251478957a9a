// The comparisons of set and setp (PTX ISA 8.5, 9.7.5, 9.7.6). Boolean operators and the forms of the result are the
// executor's.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

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

}  // namespace kiln::emulator
