// Integer arithmetic but multiplication (PTX ISA 8.5, 9.7.1, 9.7.2), by C++ types: std::int16_t to std::uint64_t. Results wrap.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kiln::emulator {

/// The integers of PTX.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

namespace detail {
__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using): __extension__ takes no using
__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using)

template <Integer T>
inline constexpr int kWidth = static_cast<int>(sizeof(T) * 8);
/// All arithmetic that may wrap is done in it: no type below it is promoted to int.
template <Integer T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <Integer T>
[[nodiscard]] constexpr Word<T> word(T x) noexcept {
  return static_cast<Word<T>>(x);
}

template <Integer T, class Wide>
[[nodiscard]] constexpr T clamped(Wide x) noexcept {
  if (x < static_cast<Wide>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (x > static_cast<Wide>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}
}  // namespace detail

template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

template <Integer T>
[[nodiscard]] constexpr T add(T a, T b) noexcept {
  return static_cast<T>(detail::word(a) + detail::word(b));
}
template <Integer T>
[[nodiscard]] constexpr T sub(T a, T b) noexcept {
  return static_cast<T>(detail::word(a) - detail::word(b));
}
/// Clamped to T: add.sat.s32.
template <Integer T>
[[nodiscard]] constexpr T add_sat(T a, T b) noexcept {
  return detail::clamped<T>(static_cast<detail::Int128>(a) + static_cast<detail::Int128>(b));
}
template <Integer T>
[[nodiscard]] constexpr T sub_sat(T a, T b) noexcept {
  return detail::clamped<T>(static_cast<detail::Int128>(a) - static_cast<detail::Int128>(b));
}

/// c + |a - b|. 9.7.1.7.
template <Integer T>
[[nodiscard]] constexpr T sad(T a, T b, T c) noexcept {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

/// Towards zero; the least integer by -1 is itself. By zero: all ones, what the code that ptxas makes gives (9.7.1.8:
/// unspecified).
template <Integer T>
[[nodiscard]] constexpr T div(T a, T b) noexcept {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::signed_integral<T>) {
    if (b == -1) return sub(T{0}, a);
  }
  return static_cast<T>(a / b);
}
/// With the sign of a. By zero: all ones, as div. 9.7.1.9.
template <Integer T>
[[nodiscard]] constexpr T rem(T a, T b) noexcept {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::signed_integral<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// The least integer is its own. 9.7.1.10, 9.7.1.11.
template <std::signed_integral T>
[[nodiscard]] constexpr T neg(T a) noexcept {
  return sub(T{0}, a);
}
template <std::signed_integral T>
[[nodiscard]] constexpr T abs(T a) noexcept {
  return a < 0 ? neg(a) : a;
}
template <Integer T>
[[nodiscard]] constexpr T min(T a, T b) noexcept {
  return b < a ? b : a;
}
template <Integer T>
[[nodiscard]] constexpr T max(T a, T b) noexcept {
  return a < b ? b : a;
}
/// min.relu and max.relu clamp their results: 0 of a negative one.
template <std::signed_integral T>
[[nodiscard]] constexpr T relu(T a) noexcept {
  return a < 0 ? T{0} : a;
}

/// A result and the condition code's carry or borrow.
template <class T>
struct WithCarry {
  T value;
  bool carry;
};
/// add.cc and addc: a + b + carry, and the carry out. madc.lo is add_carry(mul_lo(a, b), c, carry). 9.7.2.
template <std::unsigned_integral T>
[[nodiscard]] constexpr WithCarry<T> add_carry(T a, T b, bool carry = false) noexcept {
  const T partial = add(a, b);
  const T sum = add(partial, static_cast<T>(carry));
  return {sum, partial < a || sum < partial};
}
/// sub.cc and subc: a - (b + borrow), and the borrow out.
template <std::unsigned_integral T>
[[nodiscard]] constexpr WithCarry<T> sub_borrow(T a, T b, bool borrow = false) noexcept {
  const T difference = sub(sub(a, b), static_cast<T>(borrow));
  return {difference, a < b || (a == b && borrow)};
}

}  // namespace kiln::emulator
