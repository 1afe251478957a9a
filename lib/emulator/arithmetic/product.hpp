// Integer multiplication (PTX ISA 8.5, 9.7.1): mul, mad, mul24, mad24, dp4a, dp2a. Results wrap but where a name says `sat`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emulator/arithmetic/integer.hpp"

namespace kiln::emulator {

namespace detail {
template <class T>
struct WideFor;
template <>
struct WideFor<std::int8_t> : std::type_identity<std::int16_t> {};
template <>
struct WideFor<std::uint8_t> : std::type_identity<std::uint16_t> {};
template <>
struct WideFor<std::int16_t> : std::type_identity<std::int32_t> {};
template <>
struct WideFor<std::uint16_t> : std::type_identity<std::uint32_t> {};
template <>
struct WideFor<std::int32_t> : std::type_identity<std::int64_t> {};
template <>
struct WideFor<std::uint32_t> : std::type_identity<std::uint64_t> {};
template <>
struct WideFor<std::int64_t> : std::type_identity<Int128> {};
template <>
struct WideFor<std::uint64_t> : std::type_identity<UInt128> {};

}  // namespace detail

/// Of mul.wide: twice the bits.
template <Integer T>
using Wide = typename detail::WideFor<T>::type;

template <Integer T>
[[nodiscard]] constexpr T mul_lo(T a, T b) noexcept {
  return static_cast<T>(detail::word(a) * detail::word(b));
}
template <Integer T>
[[nodiscard]] constexpr Wide<T> mul_wide(T a, T b) noexcept {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
/// The upper half of the product.
template <Integer T>
[[nodiscard]] constexpr T mul_hi(T a, T b) noexcept {
  return static_cast<T>(mul_wide(a, b) >> detail::kWidth<T>);
}
template <Integer T>
[[nodiscard]] constexpr T mad_lo(T a, T b, T c) noexcept {
  return add(mul_lo(a, b), c);
}
template <Integer T>
[[nodiscard]] constexpr T mad_hi(T a, T b, T c) noexcept {
  return add(mul_hi(a, b), c);
}
/// mad.hi.sat.s32.
template <Integer T>
[[nodiscard]] constexpr T mad_hi_sat(T a, T b, T c) noexcept {
  return add_sat(mul_hi(a, b), c);
}
template <Integer T>
  requires(sizeof(T) < 8)
[[nodiscard]] constexpr Wide<T> mad_wide(T a, T b, Wide<T> c) noexcept {
  return add(mul_wide(a, b), c);
}

namespace detail {
/// The product of the lower 24 bits of both, as T's kind of integer.
template <Integer T>
  requires(sizeof(T) == 4)
[[nodiscard]] constexpr Wide<T> product24(T a, T b) noexcept {
  const auto low = [](T x) { return static_cast<T>(static_cast<T>(word(x) << 8) >> 8); };
  return mul_wide(low(a), low(b));
}
}  // namespace detail
/// Bits 0 to 31 of the 48-bit product. 9.7.1.5.
template <Integer T>
[[nodiscard]] constexpr T mul24_lo(T a, T b) noexcept {
  return static_cast<T>(detail::product24(a, b));
}
/// Bits 16 to 47 of the 48-bit product.
template <Integer T>
[[nodiscard]] constexpr T mul24_hi(T a, T b) noexcept {
  return static_cast<T>(detail::product24(a, b) >> 16);
}
template <Integer T>
[[nodiscard]] constexpr T mad24_lo(T a, T b, T c) noexcept {
  return add(mul24_lo(a, b), c);
}
template <Integer T>
[[nodiscard]] constexpr T mad24_hi(T a, T b, T c) noexcept {
  return add(mul24_hi(a, b), c);
}
/// mad24.hi.sat.s32.
template <Integer T>
[[nodiscard]] constexpr T mad24_hi_sat(T a, T b, T c) noexcept {
  return add_sat(mul24_hi(a, b), c);
}
/// c plus the products of a's and b's four bytes; A and B say how bytes are extended. 9.7.1.23.
template <Integer A, Integer B>
  requires(sizeof(A) == 1 && sizeof(B) == 1)
[[nodiscard]] constexpr std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  for (int i = 0; i < 32; i += 8) {
    c += static_cast<std::uint32_t>(static_cast<A>(a >> i)) * static_cast<std::uint32_t>(static_cast<B>(b >> i));
  }
  return c;
}
/// c plus the products of a's two halves and two bytes of b: the lower ones, or the upper ones (`high`). 9.7.1.24.
template <Integer A, Integer B>
  requires(sizeof(A) == 2 && sizeof(B) == 1)
[[nodiscard]] constexpr std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool high) noexcept {
  if (high) b >>= 16;
  c += static_cast<std::uint32_t>(static_cast<A>(a)) * static_cast<std::uint32_t>(static_cast<B>(b));
  c += static_cast<std::uint32_t>(static_cast<A>(a >> 16)) * static_cast<std::uint32_t>(static_cast<B>(b >> 8));
  return c;
}

}  // namespace kiln::emulator
