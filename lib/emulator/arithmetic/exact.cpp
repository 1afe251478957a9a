#include "emulator/arithmetic/exact.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::emulator::exact {

namespace {

int width_of(Wide x) noexcept {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

// x / 2^count, its last bit set where ones are cut.
Wide shifted_right(Wide x, int count) noexcept {
  if (count >= 128) return x != 0 ? 1 : 0;
  const Wide kept = x >> count;
  return kept << count == x ? kept : kept | 1;
}

// So that the highest one is bit 125: two such numbers have a sum of 127 bits. Products of doubles have 106 bits; 20 lie below.
Number normalized(Number x) noexcept {
  const int shift = 126 - width_of(x.significand);
  return {x.negative, x.exponent - shift, x.significand << shift};
}

// Where one is cut, the exponents differ by 20 or more, and the sum keeps 124 bits: the cut bits lie far below those that
// count.
Number sum_of(Number x, Number y, Rounding rounding) noexcept {
  if (x.significand == 0 && y.significand == 0) {
    return {x.negative == y.negative ? x.negative : rounding == Rounding::down, 0, 0};
  }
  if (x.significand == 0) return y;
  if (y.significand == 0) return x;
  x = normalized(x);
  y = normalized(y);
  if (x.exponent < y.exponent) std::swap(x, y);
  const Wide aligned = shifted_right(y.significand, x.exponent - y.exponent);
  if (x.negative == y.negative) return {x.negative, x.exponent, x.significand + aligned};
  if (x.significand == aligned) return {rounding == Rounding::down, 0, 0};
  if (x.significand > aligned) return {x.negative, x.exponent, x.significand - aligned};
  return {y.negative, x.exponent, aligned - x.significand};
}

Number product_of(Number x, Number y) noexcept {
  return {x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
}

bool is_increment(Rounding rounding, bool negative, bool odd, bool half, bool rest) noexcept {
  switch (rounding) {
    case Rounding::nearest_even:
      return half && (rest || odd);
    case Rounding::nearest_away:
      return half;
    case Rounding::down:
      return negative && (half || rest);
    case Rounding::up:
      return !negative && (half || rest);
    case Rounding::zero:
      break;
  }
  return false;
}

template <Floating T>
T overflowed(bool negative, Rounding rounding) noexcept {
  using F = Format<T>;
  const bool away = is_increment(rounding, negative, true, true, true);
  return from_bits<T>(static_cast<typename F::Bits>((away ? F::kInfinity : F::kLargest) | (negative ? F::kSign : 0U)));
}

// The host's own, for operands whose result no rounding mode changes.
template <Floating T>
T host_product(T a, T b) noexcept {
  return narrowed<T>(widened(a) * widened(b));
}

}  // namespace

template <Floating T>
T rounded(Number x, Rounding rounding) noexcept {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const auto sign = static_cast<Bits>(x.negative ? F::kSign : 0U);
  if (x.significand == 0) return from_bits<T>(sign);
  const int width = width_of(x.significand);
  const int top = x.exponent + width - 1;
  if (top > F::kMaxExponent) return overflowed<T>(x.negative, rounding);
  const int quantum = std::max(top - F::kFractionBits, F::kMinQuantum);
  const int cut = quantum - x.exponent;
  std::uint64_t kept = 0;
  if (cut <= 0) {
    kept = static_cast<std::uint64_t>(x.significand << -cut);
  } else {
    bool half = false;
    bool rest = true;
    if (cut <= width) {
      const Wide middle = Wide{1} << (cut - 1);
      kept = cut == 128 ? 0 : static_cast<std::uint64_t>(x.significand >> cut);
      half = (x.significand & middle) != 0;
      rest = (x.significand & (middle - 1)) != 0;
    }
    if (is_increment(rounding, x.negative, (kept & 1U) != 0, half, rest)) ++kept;
  }
  // The first bit of a normal number adds 1 to the exponent, and so does a carry: from the largest number to infinity, too.
  const std::uint64_t bits = (static_cast<std::uint64_t>(quantum - F::kMinQuantum) << F::kFractionBits) + kept;
  return from_bits<T>(static_cast<Bits>(bits | sign));
}

template <Floating T>
T sum(T a, T b, Rounding rounding) noexcept {
  if (!is_finite(a) || !is_finite(b)) return narrowed<T>(widened(a) + widened(b));
  return rounded<T>(sum_of(number(a), number(b), rounding), rounding);
}

template <Floating T>
T product(T a, T b, Rounding rounding) noexcept {
  if (!is_finite(a) || !is_finite(b)) return host_product(a, b);
  return rounded<T>(product_of(number(a), number(b)), rounding);
}

template <Floating T>
T product_sum(T a, T b, T c, Rounding rounding) noexcept {
  if (!is_finite(a) || !is_finite(b)) return narrowed<T>(widened(a) * widened(b) + widened(c));
  if (!is_finite(c)) return c;
  return rounded<T>(sum_of(product_of(number(a), number(b)), number(c), rounding), rounding);
}

template <Native T>
T quotient(T a, T b, Rounding rounding) noexcept {
  if (!is_finite(a) || !is_finite(b) || is_zero(b)) return a / b;
  Number x = number(a);
  Number y = number(b);
  if (x.significand == 0) return rounded<T>({x.negative != y.negative, 0, 0}, rounding);
  // 65 bits or 66 of the quotient, and one for the rest.
  x = normalized(x);
  const int shift = 61 - width_of(y.significand);
  y = {y.negative, y.exponent - shift, y.significand << shift};
  const Wide integral = x.significand / y.significand;
  const bool rest = integral * y.significand != x.significand;
  return rounded<T>({x.negative != y.negative, x.exponent - y.exponent - 1, integral << 1 | (rest ? 1U : 0U)}, rounding);
}

template <Native T>
T root(T a, Rounding rounding) noexcept {
  if (!is_finite(a) || is_zero(a) || is_negative(a)) return std::sqrt(a);
  Number x = number(a);
  int shift = 112 - width_of(x.significand);
  if (((x.exponent - shift) & 1) != 0) --shift;
  x.exponent -= shift;
  x.significand <<= shift;
  // 56 bits of the root. A double's root is off by a few units.
  auto integral = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x.significand)));
  while (Wide{integral} * integral > x.significand) --integral;
  while (Wide{integral + 1} * (integral + 1) <= x.significand) ++integral;
  const bool rest = Wide{integral} * integral != x.significand;
  return rounded<T>({false, x.exponent / 2 - 1, Wide{integral} << 1 | (rest ? 1U : 0U)}, rounding);
}

template float rounded<float>(Number, Rounding) noexcept;
template double rounded<double>(Number, Rounding) noexcept;
template Half rounded<Half>(Number, Rounding) noexcept;
template BFloat16 rounded<BFloat16>(Number, Rounding) noexcept;
template float sum(float, float, Rounding) noexcept;
template double sum(double, double, Rounding) noexcept;
template Half sum(Half, Half, Rounding) noexcept;
template BFloat16 sum(BFloat16, BFloat16, Rounding) noexcept;
template float product(float, float, Rounding) noexcept;
template double product(double, double, Rounding) noexcept;
template Half product(Half, Half, Rounding) noexcept;
template BFloat16 product(BFloat16, BFloat16, Rounding) noexcept;
template float product_sum(float, float, float, Rounding) noexcept;
template double product_sum(double, double, double, Rounding) noexcept;
template Half product_sum(Half, Half, Half, Rounding) noexcept;
template BFloat16 product_sum(BFloat16, BFloat16, BFloat16, Rounding) noexcept;
template float quotient(float, float, Rounding) noexcept;
template double quotient(double, double, Rounding) noexcept;
template float root(float, Rounding) noexcept;
template double root(double, Rounding) noexcept;

}  // namespace kiln::emulator::exact
