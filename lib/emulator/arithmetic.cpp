#include "emulator/arithmetic.hpp"

#include <algorithm>

namespace kiln::emulator {

double widened(Half x) noexcept {
  const int exponent = x.bits >> 10U & 31;
  const int mantissa = x.bits & 1023;
  const double sign = (x.bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == 31)
    return std::copysign(mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity(),
                         sign);
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint16_t narrowed(double x, int mantissa_bits, Rounding rounding) noexcept {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned sign = std::signbit(x) ? 0x8000U : 0U;
  const unsigned infinity = ((1U << static_cast<unsigned>(exponent_bits)) - 1U) << static_cast<unsigned>(mantissa_bits);
  if (x != x) return 0x7FFF;
  const double size = std::fabs(x);
  if (std::isinf(size)) return static_cast<std::uint16_t>(sign | infinity);
  if (size == 0) return static_cast<std::uint16_t>(sign);
  // The last bit's weight: subnormal numbers share the least one.
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  const double scaled = std::ldexp(size, mantissa_bits - exponent);  // exact: a power of two, and far from double's own limits
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  bool up = false;
  switch (rounding) {
    case Rounding::nearest_even:
      up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) != 0);
      break;
    case Rounding::zero:
      break;
    case Rounding::down:
      up = rest != 0 && sign != 0;
      break;
    case Rounding::up:
      up = rest != 0 && sign == 0;
      break;
  }
  if (up) whole += 1;
  // whole counts units of the last bit: its carry goes on into the exponent.
  const auto units = static_cast<unsigned>(whole);
  const unsigned one = 1U << static_cast<unsigned>(mantissa_bits);
  const unsigned bits =
      units < one ? units : units + (static_cast<unsigned>(exponent + bias - 1) << static_cast<unsigned>(mantissa_bits));
  if (bits < infinity) return static_cast<std::uint16_t>(sign | bits);
  const bool stays =
      rounding == Rounding::zero || (rounding == Rounding::down && sign == 0) || (rounding == Rounding::up && sign != 0);
  return static_cast<std::uint16_t>(sign | (stays ? infinity - 1 : infinity));
}

double odd_multiply_add(double a, double b, double c) noexcept {
  // Of two factors of 11 bits or fewer the product is exact.
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double of_c = sum - product;
  const double lost = (product - (sum - of_c)) + (c - of_c);
  if (lost == 0) return sum;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1U) != 0) return sum;
  // The neighbour on the side of what was lost has its last bit set.
  return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) noexcept {
  const std::uint64_t bytes = std::uint64_t{b} << 32U | a;
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t choice = selector >> (4 * k) & 15U;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8U * (choice & 7U)) & 255U);
    const std::uint32_t chosen = (choice & 8U) == 0 ? byte : (byte & 128U) != 0 ? 255U : 0U;
    result |= chosen << (8 * k);
  }
  return result;
}

std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector, unsigned mode) noexcept {
  const std::uint32_t s = selector & 3U;
  static constexpr std::uint32_t kTables[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                                  {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                                  {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return permuted(a, b, kTables[mode][s]);
}

}  // namespace kiln::emulator
