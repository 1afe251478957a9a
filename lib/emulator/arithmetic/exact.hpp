// Sums, products, quotients and roots rounded once in any mode, in integers: nothing here looks at the host's rounding mode.
// It is the slow path; floating.hpp computes the nearest in the host's arithmetic.
#pragma once

#include <cstdint>

#include "emulator/arithmetic/format.hpp"

namespace kiln::emulator::exact {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): __extension__ takes no using

/// ±significand · 2^exponent. Where lower bits were cut, the last bit is 1 and lies below every bit that rounding keeps or
/// asks.
struct Number {
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;
};

/// The value of a finite number.
template <Floating T>
[[nodiscard]] constexpr Number number(T x) noexcept {
  using F = Format<T>;
  const auto biased = static_cast<int>(magnitude(x) >> F::kFractionBits);
  const Wide fraction = magnitude(x) & (F::kFirstNormal - 1U);
  if (biased == 0) return {is_negative(x), F::kMinQuantum, fraction};
  return {is_negative(x), F::kMinQuantum + biased - 1, fraction | F::kFirstNormal};
}

/// The neighbour that `rounding` chooses; infinity or the largest number beyond the range. Zero keeps its sign.
template <Floating T>
[[nodiscard]] T rounded(Number x, Rounding rounding) noexcept;

/// a + b, a - b, a * b, a * b + c, a / b and the root of a as IEEE 754 wants them, special operands included, but that the
/// bits of a NaN are any. Quotient and root: float and double alone.
template <Floating T>
[[nodiscard]] T sum(T a, T b, Rounding rounding) noexcept;
template <Floating T>
[[nodiscard]] T product(T a, T b, Rounding rounding) noexcept;
template <Floating T>
[[nodiscard]] T product_sum(T a, T b, T c, Rounding rounding) noexcept;
template <Native T>
[[nodiscard]] T quotient(T a, T b, Rounding rounding) noexcept;
template <Native T>
[[nodiscard]] T root(T a, Rounding rounding) noexcept;

}  // namespace kiln::emulator::exact
