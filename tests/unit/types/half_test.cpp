// float16 and bfloat16 on all bit patterns and on every point where rounding turns.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "kiln/half.hpp"

using kiln::bfloat16;
using kiln::float16;

namespace {

// The value by the definition of the format.
double decode(unsigned bits, int exponent_bits, int fraction_bits) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1U << fraction_bits), exponent - bias - fraction_bits);
}

// Counts instead of CHECKs inside: doctest takes a microsecond for each.
template <class Half>
void check_all(int exponent_bits, int fraction_bits) {
  int wrong_value = 0;
  int wrong_back = 0;
  int wrong_nan = 0;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const auto h = Half::from_bits(static_cast<std::uint16_t>(bits));
    const float f = h;
    const double expected = decode(bits, exponent_bits, fraction_bits);
    if (std::isnan(expected)) {
      const bool sign = (bits & 0x8000U) != 0;
      wrong_nan += !std::isnan(f) || std::signbit(f) != sign || !std::isnan(static_cast<float>(Half(f))) ||
                   std::signbit(static_cast<float>(Half(f))) != sign ||
                   !std::isnan(static_cast<float>(Half(static_cast<double>(f))));
      continue;
    }
    wrong_value += static_cast<double>(f) != expected || std::signbit(f) != std::signbit(expected);
    wrong_back += Half(f).bits != bits || Half(expected).bits != bits;
  }
  CHECK(wrong_value == 0);
  CHECK(wrong_back == 0);
  CHECK(wrong_nan == 0);

  // Between every two neighbours (the last finite one and what would follow it included): the middle goes to the even one,
  // the next double to either side goes to that side; and so with floats.
  int wrong_double = 0;
  int wrong_float = 0;
  const unsigned infinity = ((1U << exponent_bits) - 1) << fraction_bits;
  for (unsigned low = 0; low < infinity; ++low) {
    const double a = decode(low, exponent_bits, fraction_bits);
    const double below = low == 0 ? 0 : decode(low - 1, exponent_bits, fraction_bits);
    const double b = low + 1 == infinity ? a + (a - below) : decode(low + 1, exponent_bits, fraction_bits);
    const double middle = (a + b) / 2;
    const unsigned even = low + (low & 1U);
    for (const double sign : {1.0, -1.0}) {
      const unsigned s = sign < 0 ? 0x8000U : 0;
      wrong_double += Half(sign * middle).bits != (s | even);
      wrong_double += Half(sign * std::nextafter(middle, INFINITY)).bits != (s | (low + 1));
      wrong_double += Half(sign * std::nextafter(middle, 0.0)).bits != (s | low);
      const auto f = static_cast<float>(middle);
      wrong_float += static_cast<double>(f) != middle;  // exact in float
      wrong_float += Half(static_cast<float>(sign) * f).bits != (s | even);
      wrong_float += Half(static_cast<float>(sign) * std::nextafter(f, INFINITY)).bits != (s | (low + 1));
      wrong_float += Half(static_cast<float>(sign) * std::nextafter(f, 0.0F)).bits != (s | low);
    }
  }
  CHECK(wrong_double == 0);
  CHECK(wrong_float == 0);
  CHECK(Half(std::numeric_limits<double>::max()).bits == infinity);
  CHECK(Half(-INFINITY).bits == (infinity | 0x8000U));
  CHECK(Half(std::numeric_limits<double>::denorm_min()).bits == 0);
  CHECK(Half(-std::numeric_limits<double>::denorm_min()).bits == 0x8000U);
  CHECK(Half(3).bits == Half(3.0F).bits);
}

}  // namespace

TEST_CASE("float16: all patterns, all halfway points") {
  check_all<float16>(5, 10);
}
TEST_CASE("bfloat16: all patterns, all halfway points") {
  check_all<bfloat16>(8, 7);
}

TEST_CASE("known values") {
  CHECK(float16(1.0F).bits == 0x3c00);
  CHECK(float16(65504.0F).bits == 0x7bff);
  CHECK(float16(65519.99).bits == 0x7bff);
  CHECK(float16(65520.0).bits == 0x7c00);
  CHECK(float16(0x1p-24).bits == 1);
  CHECK(bfloat16(1.0F).bits == 0x3f80);
  CHECK(bfloat16(-0.1).bits == 0xbdcd);
  // Through float this rounds twice, and up: 1 + 2^-11 + 2^-40 is above the middle only as a double.
  CHECK(float16(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
  CHECK(float16(1 + 0x1p-11 - 0x1p-40).bits == 0x3c00);
}
