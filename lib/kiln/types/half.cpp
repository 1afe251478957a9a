// The conversions of kiln/half.hpp.
#include "kiln/half.hpp"

#include <cstdint>

#include "shared/half_bits.hpp"
#include "types/convert.hpp"

namespace kiln {

namespace {

/// In the default floating-point environment.
template <class To, class From>
To converted(DType to, DType from, From value) noexcept {
  To result;
  convert_scalar(from, &value, to, &result);
  return result;
}

}  // namespace

float16::float16(float value) noexcept : bits(converted<std::uint16_t>(DType::float16, DType::float32, value)) {}
float16::float16(double value) noexcept : bits(converted<std::uint16_t>(DType::float16, DType::float64, value)) {}
float16::operator float() const noexcept {
  return converted<float>(DType::float32, DType::float16, bits);
}

// From float with operations of integers alone.
bfloat16::bfloat16(float value) noexcept : bits(detail::bfloat_bits_from_float(value)) {}
bfloat16::bfloat16(double value) noexcept : bits(converted<std::uint16_t>(DType::bfloat16, DType::float64, value)) {}
bfloat16::operator float() const noexcept {
  return detail::float_from_bfloat_bits(bits);
}

}  // namespace kiln
