// Values as text that is read back to the same bits.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "kiln/half.hpp"
#include "types/value_text.hpp"

using namespace kiln;

namespace {

template <class T>
std::string text(T value) {
  return value_text(dtype_of<T>, &value);
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void check_round_trip(T value) {
  CAPTURE(text(value));
  T back{};
  CHECK(read_value(text(value), dtype_of<T>, &back));
  CHECK(same_bits(value, back));
}

template <class T, class Bits>
void check_random_bits() {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto bits = static_cast<Bits>(random());
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    check_round_trip(value);
  }
}

template <class T>
bool reads(const char* given) {
  T value{};
  return read_value(given, dtype_of<T>, &value);
}

}  // namespace

TEST_CASE("values as text: what they look like") {
  CHECK(text(true) == "true");
  CHECK(text(std::int8_t{-5}) == "-5");
  CHECK(text(std::uint8_t{200}) == "200");
  CHECK(text(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(text(0.1F) == "0.1");
  CHECK(text(0.1) == "0.1");
  CHECK(text(float16(0.1)) == "0.099975586");
  CHECK(text(-0.0F) == "-0");
  CHECK(text(1e300) == "1e+300");
  CHECK(text(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(text(std::complex<float>(0.5F, -2)) == "(0.5,-2)");
  const std::uint32_t bits = 0xffc12345;
  float nan = 0;
  std::memcpy(&nan, &bits, sizeof nan);
  CHECK(text(nan) == "nan(0xffc12345)");
  CHECK(text(std::complex<float>(nan, 1)) == "(nan(0xffc12345),1)");
}

TEST_CASE("values as text: any bits come back") {
  for (const bool value : {true, false}) check_round_trip(value);
  check_random_bits<std::int8_t, std::uint8_t>();
  check_random_bits<std::uint16_t, std::uint16_t>();
  check_random_bits<std::int32_t, std::uint32_t>();
  check_random_bits<std::int64_t, std::uint64_t>();
  check_random_bits<std::uint64_t, std::uint64_t>();
  check_random_bits<float, std::uint32_t>();
  check_random_bits<double, std::uint64_t>();
  check_random_bits<std::complex<float>, std::uint64_t>();
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    float16 a{};
    bfloat16 b{};
    const std::string one = text(float16::from_bits(half));
    const std::string other = text(bfloat16::from_bits(half));
    const bool both = read_value(one, DType::float16, &a) && read_value(other, DType::bfloat16, &b);
    if (both && a.bits == half && b.bits == half) continue;
    FAIL_CHECK(one, " and ", other, " of ", bits);
  }
  check_round_trip(std::numeric_limits<double>::denorm_min());
  check_round_trip(std::numeric_limits<float>::max());
}

TEST_CASE("values as text: what is none of the dtype") {
  CHECK_FALSE(reads<bool>("1"));
  CHECK_FALSE(reads<std::int8_t>("128"));
  CHECK_FALSE(reads<std::int32_t>("1.5"));
  CHECK_FALSE(reads<std::int32_t>(""));
  CHECK_FALSE(reads<std::uint8_t>("-1"));
  CHECK_FALSE(reads<float>("1e60"));
  CHECK_FALSE(reads<float>("nan(0x3f800000)"));
  CHECK_FALSE(reads<float>("nan"));
  CHECK_FALSE(reads<float>("0.5 "));
  CHECK_FALSE(reads<float16>("1e6"));
  CHECK_FALSE(reads<std::complex<double>>("(1)"));
  CHECK_FALSE(reads<std::complex<double>>("1,2"));
}
