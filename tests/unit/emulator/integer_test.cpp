// Integer instructions against arithmetic in 128 bits.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "emulator/integer_patterns.hpp"

namespace em = kiln::emulator;
using namespace reference;

namespace {

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
