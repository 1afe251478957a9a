// Values as C++ text: the bits that a call with the same scalar would give its kernel.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "shared/c_locale.hpp"
#include "source/literal.hpp"
#include "types/convert.hpp"

using namespace kiln;

namespace {

template <class T>
struct Constant {
  T value;
};
template <class T>
Constant<T> constant(T value) {
  return {value};
}

template <class T>
std::string literal(const Constant<T>& from, DType dtype) {
  alignas(16) std::array<unsigned char, 16> bytes{};
  convert_scalar(dtype_of<T>, &from.value, dtype, bytes.data());
  return codegen::literal(dtype, bytes.data());
}

}  // namespace

TEST_CASE("integers") {
  CHECK(literal(constant(true), DType::bool_) == "true");
  CHECK(literal(constant(-5), DType::int8) == "::kiln::int8(-5ll)");
  CHECK(literal(constant(true), DType::uint16) == "::kiln::uint16(1ull)");
  CHECK(literal(constant(std::numeric_limits<std::int64_t>::min()), DType::int64) ==
        "::kiln::int64(-9223372036854775807ll - 1)");
  CHECK(literal(constant(std::numeric_limits<std::uint64_t>::max()), DType::uint64) ==
        "::kiln::uint64(18446744073709551615ull)");
}

TEST_CASE("floating numbers, rounded to the dtype once") {
  CHECK(literal(constant(4), DType::float32) == "0x1p+2f");
  CHECK(literal(constant(0.1), DType::float64) == "0x1.999999999999ap-4");
  CHECK(literal(constant(0.1), DType::float32) == "0x1.99999ap-4f");
  CHECK(literal(constant(0.1), DType::float16) == "0x1.998p-4f");
  CHECK(literal(constant(0.1), DType::bfloat16) == "0x1.9ap-4f");
  CHECK(literal(constant(-0.0), DType::float64) == "-0x0p+0");
  CHECK(literal(constant((1LL << 53) + 1), DType::float64) == "0x1p+53");
  const base::CLocale locale;  // for stod
  CHECK(std::stod(literal(constant(5e-324), DType::float64)) == 5e-324);
}

TEST_CASE("infinities and NaNs, by their bits") {
  CHECK(literal(constant(INFINITY), DType::float32) == "::kiln::bit_cast<::kiln::float32>(0x7f800000u)");
  CHECK(literal(constant(70000), DType::float16) == "::kiln::bit_cast<::kiln::float32>(0x7f800000u)");
  CHECK(literal(constant(-static_cast<double>(INFINITY)), DType::float64) ==
        "::kiln::bit_cast<::kiln::float64>(0xfff0000000000000ull)");
  float payload = 0;
  const std::uint32_t bits = 0x7fc12345;
  std::memcpy(&payload, &bits, sizeof payload);
  CHECK(literal(constant(payload), DType::float32) == "::kiln::bit_cast<::kiln::float32>(0x7fc12345u)");
}

TEST_CASE("complex numbers") {
  CHECK(literal(constant(std::complex<double>(0.5, -2)), DType::complex128) == "::kiln::complex128(0x1p-1, -0x1p+1)");
  CHECK(literal(constant(std::complex<double>(0.1, -0.0)), DType::complex64) == "::kiln::complex64(0x1.99999ap-4f, -0x0p+0f)");
  CHECK(literal(constant(3), DType::complex64) == "::kiln::complex64(0x1.8p+1f, 0x0p+0f)");
}
