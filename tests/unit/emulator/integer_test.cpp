// Integer and bit instructions: in 128 bits, or bit by bit as the PTX ISA's own semantics write them.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/exact_reference.hpp"

namespace em = kiln::emulator;
using reference::Patterns;

namespace {

__extension__ typedef __int128 Int128;

template <class T>
T wrapped(Int128 x) {
  return static_cast<T>(static_cast<std::uint64_t>(x));
}
template <class T>
T clamped(Int128 x) {
  constexpr Int128 low = std::numeric_limits<T>::min();
  constexpr Int128 high = std::numeric_limits<T>::max();
  return static_cast<T>(x < low ? low : x > high ? high : x);
}
// Of all lengths, and edges.
template <class T>
T draw(Patterns& patterns) {
  const std::uint64_t random = patterns.next();
  switch (random % 8) {
    case 0:
      return static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(random >> 8 & 1U));
    case 1:
      return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(random >> 8 & 1U));
    case 2:
      return static_cast<T>(static_cast<T>(random >> 8 & 3U) - 1);
    default:
      return static_cast<T>(patterns.next() >> (random >> 8) % 64);
  }
}
std::uint32_t amount(Patterns& patterns) {
  const std::uint64_t random = patterns.next();
  return static_cast<std::uint32_t>((random & 1U) != 0 ? random >> 8 & 0x7fU : random >> 8);
}

template <class T>
int wrong_arithmetic(Patterns& patterns) {
  const T a = draw<T>(patterns);
  const T b = draw<T>(patterns);
  const T c = draw<T>(patterns);
  const Int128 x = a;
  const Int128 y = b;
  const Int128 z = c;
  constexpr int width = 8 * sizeof(T);
  // Products of unsigned 64 bits lie beyond Int128: its bits are right all the same, but the upper half is a logical shift's.
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(x) * static_cast<Wide>(y);
  const T high = static_cast<T>(product >> width);
  int wrong = 0;
  wrong += em::add(a, b) != wrapped<T>(x + y);
  wrong += em::sub(a, b) != wrapped<T>(x - y);
  wrong += em::add_sat(a, b) != clamped<T>(x + y);
  wrong += em::sub_sat(a, b) != clamped<T>(x - y);
  wrong += em::mul_lo(a, b) != static_cast<T>(product);
  wrong += em::mul_hi(a, b) != high;
  wrong += em::mad_lo(a, b, c) != static_cast<T>(product + static_cast<Wide>(z));
  wrong += em::mad_hi(a, b, c) != wrapped<T>(Int128{high} + z);
  wrong += em::mad_hi_sat(a, b, c) != clamped<T>(Int128{high} + z);
  wrong += em::sad(a, b, c) != wrapped<T>(z + (x < y ? y - x : x - y));
  wrong += em::div(a, b) != (b == 0 ? static_cast<T>(-1) : wrapped<T>(x / (y == 0 ? 1 : y)));
  wrong += em::rem(a, b) != (b == 0 ? static_cast<T>(-1) : wrapped<T>(x % (y == 0 ? 1 : y)));
  wrong += em::min(a, b) != (x < y ? a : b) || em::max(a, b) != (x < y ? b : a);
  if constexpr (sizeof(T) < 8) {
    using Double = em::Wide<T>;
    static_assert(sizeof(Double) == 2 * sizeof(T));
    wrong += em::mul_wide(a, b) != static_cast<Double>(x * y);
    const auto wide = draw<Double>(patterns);
    wrong += em::mad_wide(a, b, wide) != wrapped<Double>(x * y + wide);
  }
  if constexpr (std::is_signed_v<T>) {
    wrong += em::neg(a) != wrapped<T>(-x) || em::abs(a) != wrapped<T>(x < 0 ? -x : x) || em::relu(a) != (a < 0 ? 0 : a);
  }
  using em::Comparison;
  const bool expected[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  for (unsigned i = 0; i < 6; ++i) wrong += em::compare(static_cast<Comparison>(i), a, b) != expected[i];
  const auto u = static_cast<std::make_unsigned_t<T>>(a);
  const auto v = static_cast<std::make_unsigned_t<T>>(b);
  wrong += em::compare(Comparison::lo, a, b) != (u < v) || em::compare(Comparison::ls, a, b) != (u <= v);
  wrong += em::compare(Comparison::hi, a, b) != (u > v) || em::compare(Comparison::hs, a, b) != (u >= v);
  return wrong;
}

}  // namespace

TEST_CASE("PTX: integer arithmetic") {
  int wrong = 0;
  Patterns patterns(31);
  for (int i = 0; i < 100000; ++i) {
    wrong += wrong_arithmetic<std::int16_t>(patterns) + wrong_arithmetic<std::uint16_t>(patterns);
    wrong += wrong_arithmetic<std::int32_t>(patterns) + wrong_arithmetic<std::uint32_t>(patterns);
    wrong += wrong_arithmetic<std::int64_t>(patterns) + wrong_arithmetic<std::uint64_t>(patterns);
  }
  CHECK(wrong == 0);
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min();
  CHECK(em::div(kLeast, -1) == kLeast);
  CHECK(em::rem(kLeast, -1) == 0);
  CHECK(em::div(7U, 0U) == 0xffffffffU);
  CHECK(em::rem(7U, 0U) == 0xffffffffU);
  CHECK(em::div(-7, 2) == -3);
  CHECK(em::rem(-7, 2) == -1);
  CHECK(em::abs(kLeast) == kLeast);
  CHECK(em::add_sat(kLeast, -1) == kLeast);
}

TEST_CASE("PTX: mul24 and mad24") {
  int wrong = 0;
  Patterns patterns(32);
  for (int i = 0; i < 100000; ++i) {
    const auto a = draw<std::uint32_t>(patterns);
    const auto b = draw<std::uint32_t>(patterns);
    const auto c = draw<std::uint32_t>(patterns);
    const std::uint64_t product = std::uint64_t{a % 0x1000000U} * (b % 0x1000000U);
    wrong += em::mul24_lo(a, b) != static_cast<std::uint32_t>(product);
    wrong += em::mul24_hi(a, b) != static_cast<std::uint32_t>(product >> 16);
    wrong += em::mad24_lo(a, b, c) != static_cast<std::uint32_t>(product + c);
    wrong += em::mad24_hi(a, b, c) != static_cast<std::uint32_t>((product >> 16) + c);
    const auto low = [](std::uint32_t x) {
      const auto bits = static_cast<std::int64_t>(x % 0x1000000U);
      return bits >= 0x800000 ? bits - 0x1000000 : bits;
    };
    const std::int64_t signed_product = low(a) * low(b);
    const auto high = static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(signed_product) >> 16));
    const auto sa = static_cast<std::int32_t>(a);
    const auto sb = static_cast<std::int32_t>(b);
    const auto sc = static_cast<std::int32_t>(c);
    wrong += em::mul24_lo(sa, sb) != static_cast<std::int32_t>(signed_product);
    wrong += em::mul24_hi(sa, sb) != high;
    wrong += em::mad24_hi_sat(sa, sb, sc) != clamped<std::int32_t>(Int128{high} + sc);
  }
  CHECK(wrong == 0);
}

namespace {
template <class T>
int wrong_carry(Patterns& patterns) {
  __extension__ typedef unsigned __int128 Wide;
  const auto a = draw<T>(patterns);
  const auto b = draw<T>(patterns);
  const bool carry = patterns.next() % 2 != 0;
  const Wide sum = Wide{a} + b + (carry ? 1U : 0U);
  const auto added = em::add_carry(a, b, carry);
  const Int128 difference = Int128{a} - b - (carry ? 1 : 0);
  const auto subtracted = em::sub_borrow(a, b, carry);
  return (added.value != static_cast<T>(sum)) + (added.carry != (sum >> (8 * sizeof(T)) != 0)) +
         (subtracted.value != wrapped<T>(difference)) + (subtracted.carry != (difference < 0));
}
}  // namespace

TEST_CASE("PTX: carries and borrows") {
  int wrong = 0;
  Patterns patterns(33);
  for (int i = 0; i < 200000; ++i) wrong += wrong_carry<std::uint32_t>(patterns) + wrong_carry<std::uint64_t>(patterns);
  CHECK(wrong == 0);
  // 128 bits by mad.lo.cc and madc.hi.
  const std::uint64_t a = 0xfedcba9876543210U;
  const std::uint64_t b = 0x0123456789abcdefU;
  const auto low = em::add_carry(em::mul_lo(a, b), std::uint64_t{0xf000000000000000U});
  const auto high = em::add_carry(em::mul_hi(a, b), std::uint64_t{5}, low.carry);
  __extension__ typedef unsigned __int128 Wide;
  const Wide expected = Wide{a} * b + (Wide{5} << 64 | 0xf000000000000000U);
  CHECK(low.value == static_cast<std::uint64_t>(expected));
  CHECK(high.value == static_cast<std::uint64_t>(expected >> 64));
}

namespace {
template <class A, class B>
int wrong_dots(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Int128 four = c;
  for (unsigned i = 0; i < 4; ++i) four += Int128{static_cast<A>(a >> (8 * i))} * static_cast<B>(b >> (8 * i));
  int wrong = em::dp4a<A, B>(a, b, c) != wrapped<std::uint32_t>(four);
  using Half = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  for (const bool high : {false, true}) {
    Int128 two = c;
    for (unsigned i = 0; i < 2; ++i)
      two += Int128{static_cast<Half>(a >> (16 * i))} * static_cast<B>(b >> (8 * i + (high ? 16 : 0)));
    wrong += em::dp2a<Half, B>(a, b, c, high) != wrapped<std::uint32_t>(two);
  }
  return wrong;
}
}  // namespace

TEST_CASE("PTX: dp4a and dp2a") {
  int wrong = 0;
  Patterns patterns(34);
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<std::uint32_t>(patterns.next());
    const auto b = static_cast<std::uint32_t>(patterns.next());
    const auto c = draw<std::uint32_t>(patterns);
    wrong += wrong_dots<std::int8_t, std::int8_t>(a, b, c) + wrong_dots<std::uint8_t, std::uint8_t>(a, b, c);
    wrong += wrong_dots<std::int8_t, std::uint8_t>(a, b, c) + wrong_dots<std::uint8_t, std::int8_t>(a, b, c);
  }
  CHECK(wrong == 0);
}

namespace {
template <class T>
bool bit(T x, std::uint64_t position) {
  return (static_cast<std::uint64_t>(x) >> position & 1U) != 0;
}
// Bit by bit, as the manual's loops.
template <class T>
int wrong_fields(Patterns& patterns) {
  constexpr unsigned width = 8 * sizeof(T);
  constexpr unsigned msb = width - 1;
  const auto a = draw<T>(patterns);
  const auto b = draw<T>(patterns);
  const std::uint32_t p = amount(patterns);
  const std::uint32_t n = amount(patterns);
  const unsigned pos = p & 0xffU;
  const unsigned len = n & 0xffU;
  int wrong = 0;

  const bool fill = std::is_signed_v<T> && len != 0 && bit(a, std::min(pos + len - 1, msb));
  std::uint64_t extracted = 0;
  std::uint64_t inserted = 0;
  for (unsigned i = 0; i <= msb; ++i) {
    extracted |= std::uint64_t{i < len && pos + i <= msb ? bit(a, pos + i) : fill} << i;
    inserted |= std::uint64_t{i >= pos && i < pos + len ? bit(a, i - pos) : bit(b, i)} << i;
  }
  wrong += em::bfe(a, p, n) != static_cast<T>(extracted);
  if constexpr (std::is_unsigned_v<T>) wrong += em::bfi(a, b, p, n) != static_cast<T>(inserted);

  std::uint64_t left = 0;
  std::uint64_t right = 0;
  std::uint64_t turned = 0;
  unsigned ones = 0;
  unsigned zeros = width;
  std::uint32_t found = 0xffffffffU;
  const bool sign = std::is_signed_v<T> && bit(a, msb);
  for (unsigned i = 0; i <= msb; ++i) {
    left |= std::uint64_t{i >= p && bit(a, i - p)} << i;
    right |= std::uint64_t{p <= msb && i + p <= msb ? bit(a, i + p) : sign} << i;
    turned |= std::uint64_t{bit(a, msb - i)} << i;
    ones += bit(a, i) ? 1U : 0U;
    if (bit(a, i)) zeros = msb - i;
    if (bit(a, i) != sign) found = i;
  }
  wrong += em::shl(a, p) != static_cast<T>(left) || em::shr(a, p) != static_cast<T>(right);
  wrong += em::bfind(a) != found || em::bfind_shiftamt(a) != (found == 0xffffffffU ? found : msb - found);
  wrong += em::cnot(a) != (a == 0 ? 1 : 0);
  if constexpr (std::is_unsigned_v<T>) {
    wrong += em::popc(a) != ones || em::clz(a) != zeros || em::brev(a) != static_cast<T>(turned);
  }
  return wrong;
}
}  // namespace

TEST_CASE("PTX: shifts, bit fields and counts") {
  int wrong = 0;
  Patterns patterns(35);
  for (int i = 0; i < 20000; ++i) {
    wrong += wrong_fields<std::int16_t>(patterns) + wrong_fields<std::uint16_t>(patterns);
    wrong += wrong_fields<std::int32_t>(patterns) + wrong_fields<std::uint32_t>(patterns);
    wrong += wrong_fields<std::int64_t>(patterns) + wrong_fields<std::uint64_t>(patterns);
  }
  CHECK(wrong == 0);
  CHECK(em::shl(1, 32) == 0);
  CHECK(em::shr(-8, 77) == -1);
  CHECK(em::bfe(-1, 40, 4) == -1);
  CHECK(em::bfe(0x80U, 7, 1) == 1);
}

TEST_CASE("PTX: funnel shifts, szext and bmsk") {
  int wrong = 0;
  Patterns patterns(36);
  for (int i = 0; i < 100000; ++i) {
    const auto a = draw<std::uint32_t>(patterns);
    const auto b = draw<std::uint32_t>(patterns);
    const std::uint32_t n = amount(patterns);
    const std::uint32_t m = amount(patterns);
    for (const em::Amount mode : {em::Amount::wrap, em::Amount::clamp}) {
      const bool clamp = mode == em::Amount::clamp;
      const std::uint32_t k = clamp ? std::min(n, 32U) : n & 31U;
      // Words of 32 bits, as the manual writes it; a shift by 32 gives 0.
      const auto up = [](std::uint32_t x, std::uint32_t by) { return by == 32 ? 0 : x << by; };
      const auto down = [](std::uint32_t x, std::uint32_t by) { return by == 32 ? 0 : x >> by; };
      wrong += em::shf_l(a, b, n, mode) != (up(b, k) | down(a, 32 - k));
      wrong += em::shf_r(a, b, n, mode) != (up(b, 32 - k) | down(a, k));

      // szext and bmsk, from the manual's semantics.
      const std::uint32_t w = n & 31U;
      const bool too_large = n >= 32 && clamp;
      const std::uint32_t mask = too_large ? 0U : ~0U << w;
      const bool sign = w != 0 && !too_large && bit(a, (w - 1) & 31U);
      wrong += em::szext(a, n, mode) != (a & ~mask);
      wrong += em::szext(static_cast<std::int32_t>(a), n, mode) != static_cast<std::int32_t>((a & ~mask) | (sign ? mask : 0U));

      std::uint32_t mask0 = ~0U << w;
      const std::uint32_t b1 = m & 31U;
      const std::uint32_t sum = w + b1;
      std::uint32_t mask1 = sum < 32 ? ~0U << sum : 0U;
      if (clamp && n >= 32) mask0 = 0;
      if (sum >= 32 || (clamp && (n >= 32 || m >= 32))) {
        mask1 = 0;
      } else if (b1 == 0) {
        mask1 = ~0U;
      }
      wrong += em::bmsk(n, m, mode) != (mask0 & ~mask1);
    }
  }
  CHECK(wrong == 0);
  CHECK(em::bmsk(1, 2, em::Amount::wrap) == 6);
  CHECK(em::szext(0xffffffffU, 0, em::Amount::wrap) == 0);
}

TEST_CASE("PTX: fns") {
  int wrong = 0;
  Patterns patterns(37);
  for (int i = 0; i < 100000; ++i) {
    const auto mask = static_cast<std::uint32_t>(patterns.next() & patterns.next());
    const auto base = static_cast<std::uint32_t>(patterns.next() % 32);
    const auto offset = static_cast<std::int32_t>(patterns.next() % 21) - 10;
    std::uint32_t expected = 0xffffffffU;
    if (offset == 0) {
      if (bit(mask, base)) expected = base;
    } else {
      int pos = static_cast<int>(base);
      int count = (offset < 0 ? -offset : offset) - 1;
      while (pos >= 0 && pos < 32) {
        if (bit(mask, static_cast<std::uint64_t>(pos))) {
          if (count == 0) {
            expected = static_cast<std::uint32_t>(pos);
            break;
          }
          --count;
        }
        pos += offset > 0 ? 1 : -1;
      }
    }
    wrong += em::fns(mask, base, offset) != expected;
  }
  CHECK(wrong == 0);
  CHECK(em::fns(0xaaaaaaaaU, 3, 1) == 3);
  CHECK(em::fns(0xaaaaaaaaU, 3, -1) == 3);
  CHECK(em::fns(0xaaaaaaaaU, 3, 2) == 5);
  CHECK(em::fns(0xaaaaaaaaU, 3, 0) == 3);
  CHECK(em::fns(0xffffffffU, 0, std::numeric_limits<std::int32_t>::min()) == 0xffffffffU);
}

TEST_CASE("PTX: lop3 of every table") {
  int wrong = 0;
  Patterns patterns(38);
  for (unsigned table = 0; table < 256; ++table) {
    const auto a = static_cast<std::uint32_t>(patterns.next());
    const auto b = static_cast<std::uint32_t>(patterns.next());
    const auto c = static_cast<std::uint32_t>(patterns.next());
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned index = (bit(a, i) ? 4U : 0U) | (bit(b, i) ? 2U : 0U) | (bit(c, i) ? 1U : 0U);
      expected |= (table >> index & 1U) << i;
    }
    wrong += em::lop3(a, b, c, static_cast<std::uint8_t>(table)) != expected;
  }
  CHECK(wrong == 0);
  // The manual's own: (a & b) | c and a ^ b ^ c are the same functions of 0xf0, 0xcc, 0xaa.
  CHECK(em::lop3(12, 10, 1, (0xf0 & 0xcc) | 0xaa) == ((12 & 10) | 1));
  CHECK(em::lop3(12, 10, 1, 0xf0 ^ 0xcc ^ 0xaa) == (12 ^ 10 ^ 1));
}

TEST_CASE("PTX: prmt") {
  using em::Permutation;
  const std::uint32_t a = 0xb3a29180U;  // bytes 0 to 3: 80 91 a2 b3
  const std::uint32_t b = 0x07060504U;  // bytes 4 to 7: 04 05 06 07
  const std::uint8_t bytes[] = {0x80, 0x91, 0xa2, 0xb3, 0x04, 0x05, 0x06, 0x07};
  int wrong = 0;
  for (std::uint32_t selector = 0; selector < 0x10000U; ++selector) {
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t nibble = selector >> (4 * i) & 0xfU;
      const std::uint32_t byte = bytes[nibble & 7U];
      expected |= (nibble < 8 ? byte : byte >= 0x80U ? 0xffU : 0U) << (8 * i);
    }
    wrong += em::prmt(a, b, selector, Permutation::index) != expected;
  }
  CHECK(wrong == 0);
  // From their names: a window of 4 bytes forwards, and one backwards that wraps from byte 0 to 7; replicated bytes; edges
  // clamped to the left (above) and to the right (below); replicated halves. Bits of the selector above the lowest two do not
  // count.
  for (unsigned n = 0; n < 4; ++n) {
    std::uint32_t f4e = 0;
    std::uint32_t b4e = 0;
    std::uint32_t ecl = 0;
    std::uint32_t ecr = 0;
    for (unsigned i = 0; i < 4; ++i) {
      f4e |= std::uint32_t{bytes[n + i]} << (8 * i);
      b4e |= std::uint32_t{bytes[(n + 8 - i) % 8]} << (8 * i);
      ecl |= std::uint32_t{bytes[std::max(n, i)]} << (8 * i);
      ecr |= std::uint32_t{bytes[std::min(n, i)]} << (8 * i);
    }
    const std::uint32_t selector = n | 0xfffffffcU;
    CHECK(em::prmt(a, b, selector, Permutation::f4e) == f4e);
    CHECK(em::prmt(a, b, selector, Permutation::b4e) == b4e);
    CHECK(em::prmt(a, b, selector, Permutation::rc8) == bytes[n] * 0x01010101U);
    CHECK(em::prmt(a, b, selector, Permutation::ecl) == ecl);
    CHECK(em::prmt(a, b, selector, Permutation::ecr) == ecr);
    CHECK(em::prmt(a, b, selector, Permutation::rc16) == (n % 2 == 0 ? 0x91809180U : 0xb3a2b3a2U));
  }
}
