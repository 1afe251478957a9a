// Shifts, bit fields, permutations and logic: bit by bit, as the PTX ISA's own semantics write them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/integer_patterns.hpp"

namespace em = kiln::emulator;
using namespace reference;

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
