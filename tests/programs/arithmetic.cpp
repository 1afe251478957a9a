#include "arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace programs {
namespace {

/// The nearest number of a half, the even one of two.
Value half(Type type, long double number) {
  const int bits = type == Type::f16 ? 11 : 8;
  const int least_unit = type == Type::f16 ? -24 : -133;
  const double most = type == Type::f16 ? 65504 : 0x1.FEp127;
  if (!std::isfinite(number) || number == 0) return {.real = static_cast<double>(number)};
  const int unit = std::max(std::ilogb(number) + 1 - bits, least_unit);
  const auto nearest = static_cast<double>(std::ldexp(std::nearbyint(std::ldexp(number, -unit)), unit));
  return {.real = std::fabs(nearest) > most ? std::copysign(HUGE_VAL, nearest) : nearest};
}

}  // namespace

Value integer(Type type, std::uint64_t number) {
  switch (type) {
    case Type::boolean:
      return {.integer = number != 0 ? 1 : 0};
    case Type::i8:
      return {.integer = static_cast<std::int8_t>(number)};
    case Type::u8:
      return {.integer = static_cast<std::uint8_t>(number)};
    case Type::i16:
      return {.integer = static_cast<std::int16_t>(number)};
    case Type::u16:
      return {.integer = static_cast<std::uint16_t>(number)};
    case Type::i32:
      return {.integer = static_cast<std::int32_t>(number)};
    case Type::u32:
      return {.integer = static_cast<std::uint32_t>(number)};
    default:
      return {.integer = static_cast<std::int64_t>(number)};
  }
}
Value real(Type type, double number) {
  return {.real = type == Type::f32 ? static_cast<double>(static_cast<float>(number)) : number};
}

Value assigned(Type to, Type from, const Value& value) {
  if (is_half(to)) return half(to, is_floating(from) ? value.real : static_cast<long double>(value.integer));
  if (!is_floating(to)) return integer(to, static_cast<std::uint64_t>(value.integer));
  if (is_floating(from)) return real(to, value.real);
  return {.real =
              to == Type::f32 ? static_cast<double>(static_cast<float>(value.integer)) : static_cast<double>(value.integer)};
}

int bits_of(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8:
      return 8;
    case Type::i16:
    case Type::u16:
      return 16;
    case Type::i64:
      return 64;
    default:
      return 32;
  }
}

Value stored(Type type, const Value& value) {
  return assigned(type, type, value);
}

Value initial(const Variable& array, std::size_t at) {
  const std::int64_t number = array.initial.integer + static_cast<std::int64_t>(at);
  return is_floating(array.type) ? real(array.type, static_cast<double>(number))
                                 : integer(array.type, static_cast<std::uint64_t>(number));
}

Value cast(Type to, Type from, Value value) {
  if (is_floating(to)) {
    if (is_floating(from)) return real(to, value.real);
    return {.real =
                to == Type::f32 ? static_cast<double>(static_cast<float>(value.integer)) : static_cast<double>(value.integer)};
  }
  if (!is_floating(from)) return integer(to, static_cast<std::uint64_t>(value.integer));
  if (to == Type::boolean) return {.integer = value.real != 0 ? 1 : 0};
  constexpr double kMost = 1e9;
  const bool fits = value.real > -kMost && value.real < kMost;
  return integer(to, fits ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value.real)) : 7);
}

Value floating(const Expression& e, double a, double b) {
  // In float alone: float32's operations are rounded once.
  const bool single = e.type == Type::f32;
  const auto x = static_cast<float>(a);
  const auto y = static_cast<float>(b);
  switch (e.op) {
    case Op::add:
      return real(e.type, single ? x + y : a + b);
    case Op::subtract:
      return real(e.type, single ? x - y : a - b);
    case Op::multiply:
      return real(e.type, single ? x * y : a * b);
    default:
      return real(e.type, single ? x / y : a / b);
  }
}

Value whole(const Expression& e, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  const bool overflows = b == -1;
  const int bits = bits_of(e.type);
  switch (e.op) {
    case Op::add:
      return integer(e.type, x + y);
    case Op::subtract:
      return integer(e.type, x - y);
    case Op::multiply:
      return integer(e.type, x * y);
    case Op::divide:
      return b == 0 ? Value() : integer(e.type, overflows ? 0 - x : static_cast<std::uint64_t>(a / b));
    case Op::remainder:
      return b == 0 || overflows ? Value() : integer(e.type, static_cast<std::uint64_t>(a % b));
    case Op::checked_divide:
      return b == 0 ? Value{.integer = a} : integer(e.type, overflows ? 0 - x : static_cast<std::uint64_t>(a / b));
    case Op::checked_remainder:
      return b == 0 ? Value{.integer = a} : overflows ? Value() : integer(e.type, static_cast<std::uint64_t>(a % b));
    case Op::bit_and:
      return integer(e.type, x & y);
    case Op::bit_or:
      return integer(e.type, x | y);
    case Op::bit_xor:
      return integer(e.type, x ^ y);
    case Op::shift_left:
      return integer(e.type, x << (b & (bits - 1)));
    case Op::shift_right:
      return integer(e.type, static_cast<std::uint64_t>(a >> (b & (bits - 1))));
    case Op::small_add:
      return integer(e.type, (x & 1023) + (y & 1023));
    default:
      return integer(e.type, (x & 1023) * (y & 1023));
  }
}

bool compares(Op op, Type type, const Value& a, const Value& b) {
  const bool floating = is_floating(type);
  switch (op) {
    case Op::less:
      return floating ? a.real < b.real : a.integer < b.integer;
    case Op::less_equal:
      return floating ? a.real <= b.real : a.integer <= b.integer;
    case Op::equal:
      return floating ? a.real == b.real : a.integer == b.integer;
    default:
      return floating ? a.real != b.real : a.integer != b.integer;
  }
}

}  // namespace programs
