// The conversions of kiln/half.hpp.
#include "kiln/half.hpp"

#include "types/half_bits.hpp"

namespace kiln {

float16::float16(float value) noexcept : bits(detail::half_bits_from_float(value)) {}
float16::float16(double value) noexcept : bits(detail::half_bits_from_double(value)) {}
float16::operator float() const noexcept {
  return detail::float_from_half_bits(bits);
}

bfloat16::bfloat16(float value) noexcept : bits(detail::bfloat_bits_from_float(value)) {}
bfloat16::bfloat16(double value) noexcept : bits(detail::bfloat_bits_from_double(value)) {}
bfloat16::operator float() const noexcept {
  return detail::float_from_bfloat_bits(bits);
}

}  // namespace kiln
