#include "source/literal.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "kiln/half.hpp"
#include "types/convert.hpp"

namespace kiln::codegen {
namespace {

template <class T>
T value_of(const void* bytes, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, static_cast<const char*>(bytes) + offset, sizeof value);
  return value;
}

/// "-0x1.8p+1". fmt's "{:a}" has the decimal point of the program's locale.
std::string hexadecimal(double value) {
  std::array<char, 32> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is used is set
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(value), std::chars_format::hex).ptr;
  return (std::signbit(value) ? "-0x" : "0x") + std::string(digits.data(), end);
}

// Infinities and NaNs by their bits: a NaN keeps its payload.
std::string text_of(float value) {
  if (std::isfinite(value)) return hexadecimal(value) + 'f';
  return fmt::format("::kiln::bit_cast<::kiln::float32>({:#x}u)", std::bit_cast<std::uint32_t>(value));
}
std::string text_of(double value) {
  if (std::isfinite(value)) return hexadecimal(value);
  return fmt::format("::kiln::bit_cast<::kiln::float64>({:#x}ull)", std::bit_cast<std::uint64_t>(value));
}

}  // namespace

std::string literal(DType dtype, const void* value) {
  switch (dtype) {
    case DType::bool_:
      return value_of<bool>(value) ? "true" : "false";
    case DType::float16:
      return text_of(static_cast<float>(value_of<float16>(value)));
    case DType::bfloat16:
      return text_of(static_cast<float>(value_of<bfloat16>(value)));
    case DType::float32:
      return text_of(value_of<float>(value));
    case DType::float64:
      return text_of(value_of<double>(value));
    case DType::complex64:
      return fmt::format("::kiln::complex64({}, {})", text_of(value_of<float>(value)), text_of(value_of<float>(value, 4)));
    case DType::complex128:
      return fmt::format("::kiln::complex128({}, {})", text_of(value_of<double>(value)), text_of(value_of<double>(value, 8)));
    default:
      break;
  }
  // The least int64 has no literal of its own: its digits are those of a number one too large.
  const std::string digits = integer_text(dtype, value);
  const bool least = digits == "-9223372036854775808";
  return fmt::format("::kiln::{}({}{})", name(dtype), least ? "-9223372036854775807ll - 1" : digits,
                     least              ? ""
                     : is_signed(dtype) ? "ll"
                                        : "ull");
}

}  // namespace kiln::codegen
