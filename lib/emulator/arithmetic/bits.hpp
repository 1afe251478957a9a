// Shifts, bit fields, permutations and logic (PTX ISA 8.5, 9.7.1, 9.7.8): on bits, signed only where PTX's type is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/arithmetic/integer.hpp"

namespace kiln::emulator {

/// `not found`, of bfind and fns.
inline constexpr std::uint32_t kNoBit = 0xffffffffU;

/// Amounts of T's width and more give 0. 9.7.8.8.
template <Integer T>
[[nodiscard]] constexpr T shl(T a, std::uint32_t amount) noexcept {
  return amount >= static_cast<std::uint32_t>(detail::kWidth<T>) ? T{0} : static_cast<T>(detail::word(a) << amount);
}
/// Fills with the sign of a signed T, else with 0; amounts of T's width and more leave the fill. 9.7.8.9.
template <Integer T>
[[nodiscard]] constexpr T shr(T a, std::uint32_t amount) noexcept {
  if (amount >= static_cast<std::uint32_t>(detail::kWidth<T>)) return a < 0 ? static_cast<T>(~T{0}) : T{0};
  return static_cast<T>(a >> amount);
}

/// What becomes of an amount beyond 31.
enum class Amount : std::uint8_t { wrap, clamp };

namespace detail {
[[nodiscard]] constexpr std::uint32_t funnel_amount(std::uint32_t amount, Amount mode) noexcept {
  return mode == Amount::wrap ? amount & 31U : std::min(amount, 32U);
}
}  // namespace detail
/// The upper word of high:low << amount. shf.l d, low, high, amount. 9.7.8.7.
[[nodiscard]] constexpr std::uint32_t shf_l(std::uint32_t low, std::uint32_t high, std::uint32_t amount, Amount mode) noexcept {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both << detail::funnel_amount(amount, mode) >> 32);
}
/// The lower word of high:low >> amount.
[[nodiscard]] constexpr std::uint32_t shf_r(std::uint32_t low, std::uint32_t high, std::uint32_t amount, Amount mode) noexcept {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both >> detail::funnel_amount(amount, mode));
}

template <std::unsigned_integral T>
[[nodiscard]] constexpr std::uint32_t popc(T a) noexcept {
  return static_cast<std::uint32_t>(std::popcount(a));
}
/// T's width of 0.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::uint32_t clz(T a) noexcept {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
/// All bits in reverse order.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T brev(T a) noexcept {
  T reversed = 0;
  for (int i = 0; i < detail::kWidth<T>; ++i, a = shr(a, 1)) reversed = static_cast<T>(shl(reversed, 1) | (a & T{1}));
  return reversed;
}
/// 1 of 0, else 0. 9.7.8.5.
template <Integer T>
[[nodiscard]] constexpr T cnot(T a) noexcept {
  return a == 0 ? T{1} : T{0};
}
/// The position of the highest bit that is not the sign's (signed) or is one (unsigned), or kNoBit. 9.7.1.16.
template <Integer T>
[[nodiscard]] constexpr std::uint32_t bfind(T a) noexcept {
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  return static_cast<std::uint32_t>(std::bit_width(bits)) - 1U;
}
/// How far to shift left that bit to the highest place, or kNoBit.
template <Integer T>
[[nodiscard]] constexpr std::uint32_t bfind_shiftamt(T a) noexcept {
  const std::uint32_t found = bfind(a);
  return found == kNoBit ? kNoBit : static_cast<std::uint32_t>(detail::kWidth<T>) - 1U - found;
}

namespace detail {
/// `count` ones from bit 0 on; any count.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T ones(std::uint32_t count) noexcept {
  return static_cast<T>(~shl(static_cast<T>(~T{0}), count));
}
}  // namespace detail
/// `length` bits from `position` on; both are taken modulo 256. A signed T is filled with the field's highest bit that a has,
/// or a's sign beyond it; a field of no bits is 0. 9.7.1.19.
template <Integer T>
[[nodiscard]] constexpr T bfe(T a, std::uint32_t position, std::uint32_t length) noexcept {
  position &= 0xffU;
  length &= 0xffU;
  constexpr auto kTop = static_cast<std::uint32_t>(detail::kWidth<T> - 1);
  const auto mask = detail::ones<Unsigned<T>>(length);
  const auto field = static_cast<Unsigned<T>>(shr(static_cast<Unsigned<T>>(a), position) & mask);
  bool fill = false;
  if constexpr (std::signed_integral<T>) {
    const std::uint32_t sign = std::min(position + length - 1U, kTop);
    fill = length != 0 && (static_cast<Unsigned<T>>(a) >> sign & 1U) != 0;
  }
  // Bits of the field that lie beyond a are filled too.
  const auto inside = detail::ones<Unsigned<T>>(position > kTop ? 0U : std::min(length, kTop + 1U - position));
  return static_cast<T>(fill ? static_cast<Unsigned<T>>(field | static_cast<Unsigned<T>>(~inside)) : field);
}
/// b with its `length` bits from `position` on replaced by the lowest of a. 9.7.1.20.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T bfi(T a, T b, std::uint32_t position, std::uint32_t length) noexcept {
  position &= 0xffU;
  const T mask = shl(detail::ones<T>(length & 0xffU), position);
  return static_cast<T>((b & static_cast<T>(~mask)) | (shl(a, position) & mask));
}
/// The lowest `width` bits of a, extended as T is signed; 32 bits or more: a (clamp) or as width modulo 32 (wrap). 9.7.1.21.
template <Integer T>
  requires(sizeof(T) == 4)
[[nodiscard]] constexpr T szext(T a, std::uint32_t width, Amount mode) noexcept {
  if (mode == Amount::clamp && width >= 32) return a;
  return bfe(a, 0, width & 31U);
}
/// `width` ones from `position` on. clamp: beyond 31 is out of the word; wrap: both are taken modulo 32. 9.7.1.22.
[[nodiscard]] constexpr std::uint32_t bmsk(std::uint32_t position, std::uint32_t width, Amount mode) noexcept {
  if (mode == Amount::wrap) {
    position &= 31U;
    width &= 31U;
  }
  return shl(detail::ones<std::uint32_t>(width), position);
}
/// The position of the set bit that is the |offset|-th from `base` on, upwards or (negative) downwards; 0 asks for the bit at
/// `base` itself. kNoBit where there is none. 9.7.1.17.
[[nodiscard]] std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t offset) noexcept;

/// The modes of prmt; `index` is the one that has none in PTX.
enum class Permutation : std::uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };
/// Four bytes of the eight of b:a. 9.7.9.7.
[[nodiscard]] std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector, Permutation mode) noexcept;

/// Every bit is the table's at (a's bit, b's, c's), a's the highest of the index. 9.7.8.6.
[[nodiscard]] constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t table) noexcept {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1U) == 0) continue;
    result |= ((i & 4U) != 0 ? a : ~a) & ((i & 2U) != 0 ? b : ~b) & ((i & 1U) != 0 ? c : ~c);
  }
  return result;
}

}  // namespace kiln::emulator
