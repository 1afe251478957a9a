// cvt between all pairs of types: the value against the definition of rounding, specials against PTX's own words.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "emulator/exact_reference.hpp"

namespace em = kiln::emulator;
using em::BFloat16;
using em::Half;
using em::Rounding;
using namespace reference;

namespace {

template <class T>
Term integer_term(T x) {
  const bool negative = x < 0;
  const Int128 wide = +x;
  return {negative, static_cast<Wide>(negative ? -wide : wide), 0};
}

// x rounded to an integer, by its bits alone: any finite number of a format, clamped to ±2^100.
template <class T>
Int128 to_integer(T x, Rounding mode) {
  const Term t = value(x);
  Int128 size = 0;
  bool half = false;
  bool rest = false;
  if (t.significand != 0 && t.exponent >= 0) {
    size = t.exponent > 64 ? Int128{1} << 100 : static_cast<Int128>(t.significand << t.exponent);
  } else if (t.exponent < -60) {
    rest = t.significand != 0;
  } else {
    const int cut = -t.exponent;
    size = static_cast<Int128>(t.significand >> cut);
    half = cut > 0 && (t.significand >> (cut - 1) & 1U) != 0;
    rest = cut > 1 && (t.significand & ((Wide{1} << (cut - 1)) - 1)) != 0;
  }
  bool up = false;
  if (mode == Rounding::nearest_even) up = half && (rest || size % 2 != 0);
  if (mode == Rounding::nearest_away) up = half;
  if (mode == Rounding::down) up = t.negative && (half || rest);
  if (mode == Rounding::up) up = !t.negative && (half || rest);
  size += up ? 1 : 0;
  return t.negative ? -size : size;
}

template <class To>
To clamp(Int128 x) {
  constexpr Int128 low = +std::numeric_limits<To>::min();
  constexpr Int128 high = +std::numeric_limits<To>::max();
  return static_cast<To>(x < low ? low : x > high ? high : x);
}

template <class To, class From>
int wrong_integer(From a, Rounding mode) {
  const To result = em::convert<To>(a, {.rounding = mode});
  if (nan(a)) {
    const bool zero = !std::is_same_v<From, double> && sizeof(To) < 8;
    return result != (zero ? To{0} : static_cast<To>(Wide{1} << (8 * sizeof(To) - 1)));
  }
  if (!finite(a)) return result != (bits(a) >= kSign<From> ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max());
  return result != clamp<To>(to_integer(a, mode));
}
template <class From>
int wrong_integers(From a) {
  int wrong = 0;
  for (const Rounding mode : kModes) {
    wrong += wrong_integer<std::int8_t>(a, mode) + wrong_integer<std::uint8_t>(a, mode);
    wrong += wrong_integer<std::int16_t>(a, mode) + wrong_integer<std::uint16_t>(a, mode);
    wrong += wrong_integer<std::int32_t>(a, mode) + wrong_integer<std::uint32_t>(a, mode);
    wrong += wrong_integer<std::int64_t>(a, mode) + wrong_integer<std::uint64_t>(a, mode);
  }
  return wrong;
}

// Near the ends of all integer types, too.
template <class T>
T draw_for_integers(Patterns& draw) {
  const T x = draw.any<T>();
  if (draw.next() % 2 != 0) return x;
  const std::uint64_t bias = (std::uint64_t{1} << (Shape<T>::exponent - 1)) - 1;
  const std::uint64_t exponent = std::min<std::uint64_t>(bias - 2 + draw.next() % 70, 2 * bias);
  const std::uint64_t one = std::uint64_t{1} << Shape<T>::fraction;
  const std::uint64_t fraction = draw.next() % 3 == 0 ? 0 : draw.next() % one;
  return make<T>((bits(x) & kSign<T>)+exponent * one + fraction - draw.next() % 2);
}

}  // namespace

TEST_CASE("PTX: cvt from floats to integers") {
  int wrong = 0;
  for (unsigned i = 0; i < 0x10000U; ++i) wrong += wrong_integers(make<Half>(i)) + wrong_integers(make<BFloat16>(i));
  CHECK(wrong == 0);
  wrong = 0;
  Patterns draw(21);
  for (int i = 0; i < 60000; ++i) {
    wrong += wrong_integers(draw_for_integers<float>(draw));
    wrong += wrong_integers(draw_for_integers<double>(draw));
  }
  CHECK(wrong == 0);
  CHECK(em::convert<std::int32_t>(2.5F) == 2);
  CHECK(em::convert<std::int32_t>(-2.5F, {.rounding = Rounding::down}) == -3);
  CHECK(em::convert<std::int32_t>(3e9F) == std::numeric_limits<std::int32_t>::max());
  CHECK(em::convert<std::uint8_t>(-1.0F) == 0);
  CHECK(em::convert<std::int32_t>(NAN) == 0);
  CHECK(em::convert<std::int64_t>(NAN) == std::numeric_limits<std::int64_t>::min());
  CHECK(em::convert<std::uint32_t>(static_cast<double>(NAN)) == 0x80000000U);
  // A subnormal is above zero, or flushed to it; a double's never is.
  CHECK(em::convert<std::int32_t>(0x1p-140F, {.rounding = Rounding::up}) == 1);
  CHECK(em::convert<std::int32_t>(0x1p-140F, {.rounding = Rounding::up, .ftz = true}) == 0);
  CHECK(em::convert<std::int32_t>(0x1p-1060, {.rounding = Rounding::up, .ftz = true}) == 1);
}

namespace {
template <class To, class From>
int wrong_float(From a) {
  int wrong = 0;
  for (const Rounding mode : kModes) {
    const To result = em::convert<To>(a, {.rounding = mode});
    if constexpr (std::is_integral_v<From>) {
      wrong += !is_rounding(result, mode, false, [&](Term t) { return sign_of_sum({integer_term(a), -t}); });
    } else if (nan(a)) {
      if constexpr (sizeof(To) == 8) {
        const int shift = 52 - Shape<From>::fraction;
        const std::uint64_t payload = (bits(a) & ((std::uint64_t{1} << Shape<From>::fraction) - 1)) << shift;
        wrong += bits(result) != ((bits(a) >= kSign<From> ? 0xfff8000000000000U : 0x7ff8000000000000U) | payload);
      } else {
        wrong += bits(result) != (sizeof(To) == 4 ? 0x7fffffffU : 0x7fffU);
      }
    } else if (!finite(a)) {
      wrong += bits(result) != (kInfinity<To> | (bits(a) >= kSign<From> ? kSign<To> : 0));
    } else {
      const bool negative = bits(a) >= kSign<From>;
      wrong += !is_rounding(result, mode, negative, [&](Term t) { return sign_of_sum({value(a), -t}); });
    }
  }
  return wrong;
}
template <class From>
int wrong_floats(From a) {
  return wrong_float<Half>(a) + wrong_float<BFloat16>(a) + wrong_float<float>(a) + wrong_float<double>(a);
}
// Ties of the narrower formats.
template <class T>
T draw_for_narrow(Patterns& draw) {
  const T x = draw.any<T>();
  const std::uint64_t cut = std::uint64_t{1} << (Shape<T>::fraction - draw.next() % 14);
  return draw.next() % 2 != 0 ? x : make<T>((bits(x) & ~(cut - 1)) + draw.next() % 3 - 1);
}
template <class T>
T draw_integer(Patterns& draw) {
  // Of all lengths, with ties: few bits and a last one.
  const std::uint64_t random = draw.next() >> draw.next() % 64;
  const std::uint64_t few = draw.next() % 2 != 0 ? random : random & (~std::uint64_t{0} << draw.next() % 60);
  return static_cast<T>(draw.next() % 2 != 0 ? few : few + draw.next() % 3 - 1);
}
}  // namespace

TEST_CASE("PTX: cvt from floats to floats, rounded once") {
  int wrong = 0;
  for (unsigned i = 0; i < 0x10000U; ++i) wrong += wrong_floats(make<Half>(i)) + wrong_floats(make<BFloat16>(i));
  CHECK(wrong == 0);
  wrong = 0;
  Patterns draw(22);
  for (int i = 0; i < 30000; ++i)
    wrong += wrong_floats(draw_for_narrow<float>(draw)) + wrong_floats(draw_for_narrow<double>(draw));
  CHECK(wrong == 0);
}

TEST_CASE("PTX: cvt from integers to floats") {
  int wrong = 0;
  for (int i = -0x8000; i < 0x8000; ++i) {
    wrong += wrong_floats(static_cast<std::int16_t>(i)) + wrong_floats(static_cast<std::uint16_t>(i));
    if (i % 256 == 0)
      wrong += wrong_floats(static_cast<std::int8_t>(i / 256)) + wrong_floats(static_cast<std::uint8_t>(i / 256));
  }
  CHECK(wrong == 0);
  wrong = 0;
  Patterns draw(23);
  for (int i = 0; i < 20000; ++i) {
    wrong += wrong_floats(draw_integer<std::int32_t>(draw)) + wrong_floats(draw_integer<std::uint32_t>(draw));
    wrong += wrong_floats(draw_integer<std::int64_t>(draw)) + wrong_floats(draw_integer<std::uint64_t>(draw));
  }
  CHECK(wrong == 0);
  CHECK(bits(em::convert<Half>(std::uint32_t{65520})) == 0x7c00U);
  CHECK(bits(em::convert<Half>(std::uint32_t{100000}, {.rounding = Rounding::zero})) == 0x7bffU);
  CHECK(em::convert<float>(std::int32_t{-3}, {.sat = true}) == 0);
  CHECK(em::convert<float>(std::int32_t{3}, {.sat = true}) == 1);
}

namespace {
template <class To, class From>
int wrong_integer_pair(std::uint64_t pattern) {
  const auto a = static_cast<From>(pattern);
  return (em::convert<To>(a) != static_cast<To>(a)) + (em::convert<To>(a, {.sat = true}) != clamp<To>(Int128{a}));
}
template <class From>
int wrong_integer_row(std::uint64_t pattern) {
  return wrong_integer_pair<std::int8_t, From>(pattern) + wrong_integer_pair<std::uint8_t, From>(pattern) +
         wrong_integer_pair<std::int16_t, From>(pattern) + wrong_integer_pair<std::uint16_t, From>(pattern) +
         wrong_integer_pair<std::int32_t, From>(pattern) + wrong_integer_pair<std::uint32_t, From>(pattern) +
         wrong_integer_pair<std::int64_t, From>(pattern) + wrong_integer_pair<std::uint64_t, From>(pattern);
}
}  // namespace

TEST_CASE("PTX: cvt from integers to integers wraps, or clamps") {
  int wrong = 0;
  Patterns draw(24);
  for (int i = 0; i < 100000; ++i) {
    const auto pattern = draw_integer<std::uint64_t>(draw);
    wrong += wrong_integer_row<std::int8_t>(pattern) + wrong_integer_row<std::uint8_t>(pattern);
    wrong += wrong_integer_row<std::int16_t>(pattern) + wrong_integer_row<std::uint16_t>(pattern);
    wrong += wrong_integer_row<std::int32_t>(pattern) + wrong_integer_row<std::uint32_t>(pattern);
    wrong += wrong_integer_row<std::int64_t>(pattern) + wrong_integer_row<std::uint64_t>(pattern);
  }
  CHECK(wrong == 0);
  CHECK(em::convert<std::int8_t>(std::int32_t{0x1ff}) == -1);
  CHECK(em::convert<std::int8_t>(std::int32_t{0x1ff}, {.sat = true}) == 127);
  CHECK(em::convert<std::uint32_t>(std::int32_t{-5}, {.sat = true}) == 0);
  CHECK(em::convert<std::int64_t>(std::int8_t{-5}) == -5);
}

namespace {
template <class T>
int wrong_integral(T a) {
  int wrong = 0;
  for (const Rounding mode : kModes) {
    const T result = em::convert<T>(a, {.rounding = mode, .integral = true});
    if (nan(a)) {
      wrong += !nan(result);
    } else if (!finite(a) || value(a).exponent >= 0) {
      wrong += bits(result) != bits(a);
    } else {
      // The integer is exact in a's format, and keeps the sign: -0.25 gives -0.
      const Int128 expected = to_integer(a, mode);
      wrong += !is_rounding(result, mode, bits(a) >= kSign<T>, [&](Term t) {
        return sign_of_sum({Term{expected < 0, static_cast<Wide>(expected < 0 ? -expected : expected), 0}, -t});
      });
    }
  }
  return wrong;
}
}  // namespace

TEST_CASE("PTX: cvt to an integer in the same float") {
  int wrong = 0;
  for (unsigned i = 0; i < 0x10000U; ++i) wrong += wrong_integral(make<Half>(i)) + wrong_integral(make<BFloat16>(i));
  CHECK(wrong == 0);
  wrong = 0;
  Patterns draw(25);
  for (int i = 0; i < 60000; ++i)
    wrong += wrong_integral(draw_for_integers<float>(draw)) + wrong_integral(draw_for_integers<double>(draw));
  CHECK(wrong == 0);
  CHECK(em::convert<float>(2.5F, {.integral = true}) == 2);
  CHECK(bits(em::convert<float>(-0.25F, {.rounding = Rounding::up, .integral = true})) == 0x80000000U);
  CHECK(em::convert<float>(0x1p-140F, {.rounding = Rounding::up, .integral = true, .ftz = true}) == 0);
  CHECK(em::convert<float>(1.75F, {.integral = true, .sat = true}) == 1);
  CHECK(bits(em::convert<float>(NAN, {.integral = true})) == 0x7fffffffU);
}

TEST_CASE("PTX: cvt's ftz, sat, relu and satfinite") {
  // ftz is of .f32 alone.
  CHECK(em::convert<double>(0x1p-140F, {.ftz = true}) == 0);
  CHECK(em::convert<double>(0x1p-140F) == 0x1p-140);
  CHECK(bits(em::convert<float>(-0x1p-140, {.ftz = true})) == 0x80000000U);
  CHECK(em::convert<float>(make<Half>(1), {.ftz = true}) == 0x1p-24F);
  CHECK(bits(em::convert<Half>(0x1p-24F, {.ftz = true})) == 1);
  CHECK(bits(em::convert<float>(make<BFloat16>(1), {.ftz = true})) == 0);

  CHECK(bits(em::convert<float>(static_cast<double>(NAN), {.sat = true})) == 0);
  CHECK(em::convert<float>(1.5F, {.sat = true}) == 1);
  CHECK(bits(em::convert<float>(-0.0F, {.sat = true})) == 0);
  CHECK(em::convert<double>(-2.0F, {.sat = true}) == 0);

  CHECK(bits(em::convert<Half>(-2.0F, {.relu = true})) == 0);
  CHECK(bits(em::convert<Half>(-0.0F, {.relu = true})) == 0);
  CHECK(bits(em::convert<Half>(NAN, {.relu = true})) == 0x7fffU);
  CHECK(bits(em::convert<BFloat16>(2.0F, {.relu = true})) == 0x4000U);

  CHECK(bits(em::convert<Half>(1e6F, {.satfinite = true})) == 0x7bffU);
  CHECK(bits(em::convert<Half>(-INFINITY, {.satfinite = true})) == 0xfbffU);
  CHECK(bits(em::convert<Half>(NAN, {.satfinite = true})) == 0x7fffU);
  CHECK(bits(em::convert<BFloat16>(std::numeric_limits<float>::max(), {.satfinite = true})) == 0x7f7fU);
  CHECK(bits(em::convert<BFloat16>(std::numeric_limits<float>::max())) == 0x7f80U);
  CHECK(bits(em::convert<Half>(-INFINITY, {.relu = true, .satfinite = true})) == 0);

  CHECK(em::convert_pair<Half>(1.0F, -2.0F) == 0x3c00c000U);
  CHECK(em::convert_pair<Half>(1.0F, -2.0F, {.relu = true}) == 0x3c000000U);
  CHECK(em::convert_pair<BFloat16>(1.0F, 3e38F, {.satfinite = true}) == 0x3f807f62U);
}

TEST_CASE("PTX: cvt to tf32") {
  Patterns draw(26);
  int wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto a = draw_for_narrow<float>(draw);
    const auto size = static_cast<std::uint32_t>(bits(a) & 0x7fffffffU);
    for (const Rounding mode : {Rounding::nearest_away, Rounding::nearest_even, Rounding::zero}) {
      const auto result = static_cast<std::uint32_t>(bits(em::convert_to_tf32(a, {.rounding = mode})));
      if (nan(a)) {
        wrong += result != 0x7fffffffU;
        continue;
      }
      // By the distances to both neighbours; the subnormal step is that of the least normal numbers.
      const std::uint32_t below = size & ~0x1fffU;
      const std::uint32_t rest = size - below;
      bool up = rest > 0x1000U || (rest == 0x1000U && (mode == Rounding::nearest_away || (below & 0x2000U) != 0));
      if (mode == Rounding::zero) up = false;
      wrong += result != ((below + (up ? 0x2000U : 0U)) | (bits(a) & 0x80000000U));
    }
  }
  CHECK(wrong == 0);
  CHECK(em::convert_to_tf32(1 + 0x1p-11F) == 1 + 0x1p-10F);
  CHECK(em::convert_to_tf32(1 + 0x1p-11F, {.rounding = Rounding::nearest_even}) == 1);
  CHECK(em::convert_to_tf32(-1 - 0x1p-11F, {.rounding = Rounding::nearest_away, .relu = true}) == 0);
  CHECK(bits(em::convert_to_tf32(std::numeric_limits<float>::max())) == 0x7f800000U);
  CHECK(bits(em::convert_to_tf32(-INFINITY, {.rounding = Rounding::nearest_away, .satfinite = true})) == 0xff7fe000U);
}
