// Conversions between dtypes: ordinary values, ends of ranges, ties, strides.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <initializer_list>
#include <limits>
#include <vector>

#include "types/convert.hpp"

using namespace kiln;

namespace {

template <class To, class From>
To convert(From value) {
  To result{};
  convert_scalar(dtype_of<From>, &value, dtype_of<To>, &result);
  return result;
}

template <class T>
bool fits(T value, DType to) {
  return integer_fits(dtype_of<T>, &value, to);
}

}  // namespace

TEST_CASE("numbers convert as C++ converts them") {
  CHECK(convert<std::int32_t>(2.9) == 2);
  CHECK(convert<std::int32_t>(-2.9) == -2);
  CHECK(convert<std::uint8_t>(std::int32_t{300}) == 44);
  CHECK(convert<std::int8_t>(std::uint8_t{200}) == -56);
  CHECK(convert<double>(std::int64_t{1} << 53) == 0x1p53);
  CHECK(convert<float>(0.1) == 0.1F);
  CHECK(convert<float>(std::complex<double>(1.5, 2)) == 1.5F);
  CHECK(convert<std::complex<float>>(2.5) == std::complex<float>(2.5F, 0));
  CHECK(convert<std::complex<double>>(std::complex<float>(1, -2)) == std::complex<double>(1, -2));
  CHECK(convert<std::int16_t>(std::complex<float>(-7.5F, 9)) == -7);
  CHECK(convert<std::int64_t>(float16(1.75)) == 1);
  CHECK(convert<bfloat16>(float16(1.00390625)).bits == bfloat16(1.00390625).bits);
  CHECK(convert<double>(true) == 1.0);
  CHECK(convert<float16>(true).bits == 0x3c00);
}

TEST_CASE("to bool: whether it differs from 0") {
  CHECK(convert<bool>(0.5));
  CHECK(convert<bool>(NAN));
  CHECK_FALSE(convert<bool>(-0.0));
  CHECK(convert<bool>(std::int64_t{1} << 40));
  CHECK(convert<bool>(std::complex<float>(0, 1)));
  CHECK_FALSE(convert<bool>(std::complex<float>(0, 0)));
  CHECK_FALSE(convert<bool>(float16(-0.0)));
  CHECK(convert<bool>(bfloat16(0.1)));
  const unsigned char two = 2;  // a bool byte that C++ does not know
  int result = 0;
  convert_scalar(DType::bool_, &two, DType::int32, &result);
  CHECK(result == 1);
}

TEST_CASE("out of an integer's range: the nearest end, 0 for NaN") {
  CHECK(convert<std::int32_t>(1e10) == std::numeric_limits<std::int32_t>::max());
  CHECK(convert<std::int32_t>(-1e10) == std::numeric_limits<std::int32_t>::min());
  CHECK(convert<std::int32_t>(2147483647.5) == 2147483647);
  CHECK(convert<std::int32_t>(-2147483648.9) == std::numeric_limits<std::int32_t>::min());
  CHECK(convert<std::int64_t>(0x1p63) == std::numeric_limits<std::int64_t>::max());
  CHECK(convert<std::int64_t>(-0x1p63F) == std::numeric_limits<std::int64_t>::min());
  CHECK(convert<std::uint64_t>(0x1p64) == std::numeric_limits<std::uint64_t>::max());
  CHECK(convert<std::uint64_t>(0x1p63) == std::uint64_t{1} << 63);
  CHECK(convert<std::uint64_t>(-1.0) == 0);
  CHECK(convert<std::uint8_t>(-0.9F) == 0);
  CHECK(convert<std::uint8_t>(255.9F) == 255);
  CHECK(convert<std::uint8_t>(256.0F) == 255);
  CHECK(convert<std::int8_t>(float16(1000.0)) == 127);
  CHECK(convert<std::int64_t>(NAN) == 0);
  CHECK(convert<std::int16_t>(-INFINITY) == -32768);
  CHECK(convert<std::int32_t>(std::complex<double>(NAN, 1)) == 0);
}

TEST_CASE("to 16 bits: rounded once") {
  CHECK(convert<float16>(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
  CHECK(convert<float16>(std::int32_t{2049}).bits == float16(2048).bits);
  CHECK(convert<float16>(std::int32_t{2051}).bits == float16(2052).bits);
  CHECK(convert<float16>(std::uint16_t{65519}).bits == 0x7bff);
  CHECK(convert<float16>(std::uint16_t{65520}).bits == 0x7c00);
  const std::int64_t tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  CHECK(convert<bfloat16>(tie).bits == bfloat16(0x1p62).bits);
  CHECK(convert<bfloat16>(tie + 1).bits == bfloat16(0x1p62 + 0x1p55).bits);
  CHECK(convert<bfloat16>(tie - 1).bits == bfloat16(0x1p62).bits);
  CHECK(convert<bfloat16>(-tie - 1).bits == bfloat16(-0x1p62 - 0x1p55).bits);
  CHECK(convert<bfloat16>(std::numeric_limits<std::int64_t>::min()).bits == bfloat16(-0x1p63).bits);
  CHECK(convert<bfloat16>(std::numeric_limits<std::uint64_t>::max()).bits == bfloat16(0x1p64).bits);
}

TEST_CASE("all pairs keep small whole numbers, with any strides") {
  for (int f = 0; f < kDTypeCount; ++f) {
    for (int t = 0; t < kDTypeCount; ++t) {
      const auto from = static_cast<DType>(f);
      const auto to = static_cast<DType>(t);
      CAPTURE(name(from));
      CAPTURE(name(to));
      constexpr std::size_t kElements = 7;
      for (const bool packed : {true, false}) {
        const std::size_t from_step = itemsize(from) * (packed ? 1 : 3);
        const std::size_t to_step = itemsize(to) * (packed ? 1 : 2);
        std::vector<double> source(kElements * from_step / 8 + 16);
        std::vector<double> target(kElements * to_step / 8 + 16);
        char* const in = reinterpret_cast<char*>(source.data());
        char* const out = reinterpret_cast<char*>(target.data());
        for (std::size_t i = 0; i < kElements; ++i) {
          const auto value = static_cast<double>(i);
          convert_scalar(DType::float64, &value, from, in + i * from_step);
        }
        // Backwards through the source.
        convert_loop(from, to)(in + (kElements - 1) * from_step, -static_cast<std::ptrdiff_t>(from_step), out,
                               static_cast<std::ptrdiff_t>(to_step), kElements);
        std::vector<double> back(kElements);
        for (std::size_t i = 0; i < kElements; ++i) convert_scalar(to, out + i * to_step, DType::float64, &back[i]);
        for (std::size_t i = 0; i < kElements; ++i) {
          const auto value = static_cast<double>(kElements - 1 - i);
          CHECK(back[i] == (from == DType::bool_ || to == DType::bool_ ? static_cast<double>(value != 0) : value));
        }
      }
    }
  }
}

TEST_CASE("float_fits looks at the whole number, and refuses what has none") {
  const auto fits_float = [](double value, DType to) { return float_fits(DType::float64, &value, to); };
  CHECK(fits_float(127.9, DType::int8));
  CHECK_FALSE(fits_float(128, DType::int8));
  CHECK(fits_float(-128.9, DType::int8));
  CHECK_FALSE(fits_float(-129, DType::int8));
  CHECK(fits_float(-0.9, DType::uint64));
  CHECK_FALSE(fits_float(-1, DType::uint64));
  CHECK(fits_float(18446744073709549568.0, DType::uint64));
  CHECK_FALSE(fits_float(18446744073709551616.0, DType::uint64));
  CHECK(fits_float(-9223372036854775808.0, DType::int64));
  CHECK_FALSE(fits_float(9223372036854775808.0, DType::int64));
  for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) CHECK_FALSE(fits_float(value, DType::int64));
  const float half = 300.5F;
  CHECK(float_fits(DType::float32, &half, DType::int16));
}

TEST_CASE("integer_fits") {
  CHECK(fits(127, DType::int8));
  CHECK_FALSE(fits(128, DType::int8));
  CHECK(fits(-128, DType::int8));
  CHECK_FALSE(fits(-129, DType::int8));
  CHECK_FALSE(fits(-1, DType::uint8));
  CHECK(fits(255, DType::uint8));
  CHECK_FALSE(fits(256, DType::uint8));
  CHECK(fits(std::numeric_limits<std::int64_t>::min(), DType::int64));
  CHECK_FALSE(fits(std::numeric_limits<std::uint64_t>::max(), DType::int64));
  CHECK(fits(std::numeric_limits<std::uint64_t>::max(), DType::uint64));
  CHECK_FALSE(fits(std::int64_t{-1}, DType::uint64));
  CHECK(fits(std::int64_t{4294967295}, DType::uint32));
  CHECK_FALSE(fits(std::int64_t{4294967296}, DType::uint32));
  CHECK(fits(true, DType::int8));
  CHECK(fits(1, DType::bool_));
  CHECK_FALSE(fits(2, DType::bool_));
  CHECK(fits(std::int64_t{1} << 62, DType::float16));
  CHECK(fits(-5, DType::complex64));
}
