#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace programs {
namespace {

/// Of a number that the type has.
std::uint16_t half_bits(Type type, double number) {
  if (type == Type::bf16) return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16U);
  const std::uint32_t sign = std::signbit(number) ? 0x8000 : 0;
  const double size = std::fabs(number);
  constexpr double kLeastNormal = 0x1p-14;
  std::uint32_t bits = 0x7E00;  // NaN
  if (std::isinf(size)) {
    bits = 0x7C00;
  } else if (size < kLeastNormal) {
    bits = static_cast<std::uint32_t>(std::ldexp(size, 24));
  } else if (size >= kLeastNormal) {
    const int exponent = std::ilogb(size);
    bits = static_cast<std::uint32_t>(std::ldexp(size, 10 - exponent)) + (static_cast<std::uint32_t>(exponent + 14) << 10U);
  }
  return static_cast<std::uint16_t>(sign | bits);
}

double half_value(Type type, std::uint16_t bits) {
  if (type == Type::bf16) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
  const int exponent = bits >> 10U & 31;
  const int fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000U) != 0 ? -size : size;
}

}  // namespace

kiln::DType dtype(Type type) {
  using kiln::DType;
  constexpr DType kTypes[] = {DType::bool_,  DType::int8,  DType::uint8,   DType::int16,   DType::uint16,  DType::int32,
                              DType::uint32, DType::int64, DType::float32, DType::float64, DType::float16, DType::bfloat16};
  return kTypes[static_cast<int>(type)];
}

void write(Type type, const Value& value, char* to) {
  const auto put = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (type) {
    case Type::boolean:
    case Type::i8:
    case Type::u8:
      return put(static_cast<std::uint8_t>(value.integer));
    case Type::i16:
    case Type::u16:
      return put(static_cast<std::uint16_t>(value.integer));
    case Type::f16:
    case Type::bf16:
      return put(half_bits(type, value.real));
    case Type::i32:
      return put(static_cast<std::int32_t>(value.integer));
    case Type::u32:
      return put(static_cast<std::uint32_t>(value.integer));
    case Type::i64:
      return put(value.integer);
    case Type::f32:
      return put(static_cast<float>(value.real));
    case Type::f64:
      return put(value.real);
  }
}

Value read(Type type, const char* from) {
  const auto get = [&](auto number) {
    std::memcpy(&number, from, sizeof number);
    return number;
  };
  switch (type) {
    case Type::boolean:
    case Type::u8:
      return {.integer = get(std::uint8_t())};
    case Type::i8:
      return {.integer = get(std::int8_t())};
    case Type::i16:
      return {.integer = get(std::int16_t())};
    case Type::u16:
      return {.integer = get(std::uint16_t())};
    case Type::f16:
    case Type::bf16:
      return {.real = half_value(type, get(std::uint16_t()))};
    case Type::i32:
      return {.integer = get(std::int32_t())};
    case Type::u32:
      return {.integer = get(std::uint32_t())};
    case Type::i64:
      return {.integer = get(std::int64_t())};
    case Type::f32:
      return {.real = static_cast<double>(get(float()))};
    default:
      return {.real = get(double())};
  }
}

bool same(Type type, const Value& a, const Value& b) {
  if (!is_floating(type)) return a.integer == b.integer;
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && std::isnan(b.real);
  return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
}

std::string print(Type type, const Value& value) {
  return is_floating(type) ? fmt::format("{} ({:a})", value.real, value.real) : fmt::format("{}", value.integer);
}

Value any_value(Type type, Random& random) {
  const std::uint64_t bits = random();
  const auto kind = static_cast<int>(bits & 15U);
  const bool is_unsigned = type == Type::u8 || type == Type::u16 || type == Type::u32;
  const auto small = static_cast<std::int64_t>(bits >> 8U & 31U) - (is_unsigned ? 0 : 8);
  if (is_floating(type)) {
    constexpr double kSpecial[] = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1e-310,
                                   1e30,
                                   -1e9};
    double real = static_cast<double>(small) / 4;
    if (kind == 0) real = kSpecial[bits >> 16U & 7U];
    if (kind > 10) real = std::ldexp(static_cast<double>(bits >> 11U), -53) * 40 - 20;
    return stored(type, {.real = real});
  }
  std::int64_t number = small;
  const int cut = 64 - bits_of(type);
  if (kind == 0) number = INT64_MIN >> cut;
  if (kind == 1) number = INT64_MAX >> cut;
  if (kind == 2) number = -1;
  if (kind > 12) number = static_cast<std::int64_t>(random());
  if (type == Type::boolean) number &= 1;
  char memory[8] = {};
  write(type, {.integer = number}, memory);  // cut to the type
  return read(type, memory);
}

kiln::Array array(Type type, const std::vector<Value>& values, std::size_t size, std::size_t length) {
  kiln::Array made = kiln::Array::zeros({static_cast<std::int64_t>(std::max(size, length))}, dtype(type));
  const std::size_t bytes = kiln::itemsize(made.dtype());
  for (std::size_t i = 0; i < size; ++i) write(type, values[i], static_cast<char*>(made.data()) + i * bytes);
  return made;
}

}  // namespace programs
