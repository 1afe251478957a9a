#include "source/literal.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "types/convert.hpp"

namespace kiln::codegen {
namespace {

template <class T>
T value_of(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
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
  if (dtype == DType::bool_) return value_of<bool>(value) ? "true" : "false";
  const auto real = [&](DType part, std::size_t offset) {
    const char* const bytes = static_cast<const char*>(value) + offset;
    if (part == DType::float64) return text_of(value_of<double>(bytes));
    float single = 0;
    convert_scalar(part, bytes, DType::float32, &single);
    return text_of(single);
  };
  if (kind(dtype) == Kind::floating) return real(dtype, 0);
  if (kind(dtype) == Kind::complex) {
    const std::size_t size = itemsize(dtype) / 2;
    const DType part = size == sizeof(float) ? DType::float32 : DType::float64;
    return fmt::format("::kiln::{}({}, {})", name(dtype), real(part, 0), real(part, size));
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
