// What a correctly rounded result is, by definition: the exact value lies between the result and its neighbours as the rounding
// mode says. Values are sums of signed integers times powers of two, compared in as many bits as they need.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstdint>
#include <initializer_list>

#include "emulator/arithmetic.hpp"

namespace reference {

using kiln::emulator::BFloat16;
using kiln::emulator::Half;
using kiln::emulator::Rounding;

using Int128 = kiln::emulator::detail::Int128;
using Wide = kiln::emulator::detail::UInt128;

inline constexpr std::array kModes{Rounding::nearest_even, Rounding::zero, Rounding::down, Rounding::up,
                                   Rounding::nearest_away};

struct Term {
  bool negative;
  Wide significand;
  int exponent;
};
inline Term operator-(Term x) {
  return {!x.negative, x.significand, x.exponent};
}
// Their significands have 128 bits together.
inline Term operator*(Term x, Term y) {
  return {x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent};
}

// -1, 0 or 1. In two's complement, in limbs of 64 bits.
inline int sign_of_sum(std::initializer_list<Term> terms) {
  int low = INT_MAX;
  int high = INT_MIN;
  for (const Term& t : terms) {
    if (t.significand == 0) continue;
    low = std::min(low, t.exponent);
    high = std::max(high, t.exponent);
  }
  if (low == INT_MAX) return 0;
  std::array<std::uint64_t, 96> limbs;
  const std::size_t count = static_cast<std::size_t>(high - low) / 64 + 4;
  if (count > limbs.size()) __builtin_trap();
  std::fill_n(limbs.begin(), count, 0);
  for (const Term& t : terms) {
    if (t.significand == 0) continue;
    const auto shift = static_cast<unsigned>(t.exponent - low);
    const unsigned within = shift % 64;
    const std::array<std::uint64_t, 3> parts{
        static_cast<std::uint64_t>(t.significand << within),
        static_cast<std::uint64_t>(t.significand << within >> 64),
        within == 0 ? 0 : static_cast<std::uint64_t>(t.significand >> 64 >> (64 - within)),
    };
    std::uint64_t carry = 0;
    for (std::size_t i = shift / 64, part = 0; i < count; ++i, ++part) {
      const std::uint64_t addend = part < 3 ? parts[part] : 0;
      if (part >= 3 && carry == 0) break;
      const Wide sum = t.negative ? Wide{limbs[i]} - addend - carry : Wide{limbs[i]} + addend + carry;
      limbs[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64) & 1U;
    }
  }
  if (limbs[count - 1] >> 63 != 0) return -1;
  return std::any_of(limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(count), [](auto limb) { return limb != 0; })
             ? 1
             : 0;
}

template <class T>
struct Shape;
template <>
struct Shape<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction = 23, exponent = 8;
};
template <>
struct Shape<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction = 52, exponent = 11;
};
template <>
struct Shape<Half> {
  using Bits = std::uint16_t;
  static constexpr int fraction = 10, exponent = 5;
};
template <>
struct Shape<BFloat16> {
  using Bits = std::uint16_t;
  static constexpr int fraction = 7, exponent = 8;
};
template <class T>
using Bits = typename Shape<T>::Bits;
template <class T>
std::uint64_t bits(T x) {
  return std::bit_cast<Bits<T>>(x);
}
template <class T>
T make(std::uint64_t pattern) {
  return std::bit_cast<T>(static_cast<Bits<T>>(pattern));
}
template <class T>
inline constexpr std::uint64_t kSign = std::uint64_t{1} << (Shape<T>::fraction + Shape<T>::exponent);
template <class T>
inline constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << Shape<T>::exponent) - 1) << Shape<T>::fraction;
template <class T>
bool finite(T x) {
  return (bits(x) & (kSign<T> - 1)) < kInfinity<T>;
}
template <class T>
bool nan(T x) {
  return (bits(x) & (kSign<T> - 1)) > kInfinity<T>;
}
template <class T>
bool subnormal(T x) {
  const std::uint64_t size = bits(x) & (kSign<T> - 1);
  return size != 0 && size >> Shape<T>::fraction == 0;
}

// By the definition of the format; infinity is the power of two behind the largest number.
template <class T>
Term value_of_bits(std::uint64_t pattern) {
  const std::uint64_t one = std::uint64_t{1} << Shape<T>::fraction;
  const std::uint64_t size = pattern & (kSign<T> - 1);
  const auto field = static_cast<int>(size >> Shape<T>::fraction);
  const std::uint64_t fraction = size & (one - 1);
  const int bias = (1 << (Shape<T>::exponent - 1)) - 1;
  return {(pattern & kSign<T>) != 0, field == 0 ? fraction : fraction + one, std::max(field, 1) - bias - Shape<T>::fraction};
}
template <class T>
Term value(T x) {
  return value_of_bits<T>(bits(x));
}
inline Term middle(Term x, Term y) {
  const int low = std::min(x.exponent, y.exponent);
  return {false, (x.significand << (x.exponent - low)) + (y.significand << (y.exponent - low)), low - 1};
}

// `sign_minus(t)` is the sign of V - t. `negative_zero`: what the sign of an exact zero is to be.
template <class T, class SignMinus>
bool is_rounding(T result, Rounding mode, bool negative_zero, SignMinus sign_minus) {
  const std::uint64_t size = bits(result) & (kSign<T> - 1);
  const bool negative = (bits(result) & kSign<T>) != 0;
  if (size > kInfinity<T>) return false;
  const int sign = sign_minus(Term{false, 0, 0});
  if (sign == 0) return size == 0 && negative == negative_zero;
  if (negative != (sign < 0)) return false;
  const auto compare = [&](Term t) { return sign < 0 ? -sign_minus(-t) : sign_minus(t); };  // of |V| and t
  const Term here = value_of_bits<T>(size);
  const bool infinite = size == kInfinity<T>;
  const Term above = value_of_bits<T>(size + 1);
  if (mode == Rounding::nearest_even || mode == Rounding::nearest_away) {
    const bool takes_upper_tie = mode == Rounding::nearest_even && (size & 1U) == 0;
    const bool takes_lower_tie = mode == Rounding::nearest_away || (size & 1U) == 0;
    if (!infinite) {
      const int upper = compare(middle(here, above));
      if (upper > 0 || (upper == 0 && !takes_upper_tie)) return false;
    }
    if (size == 0) return true;
    const int lower = compare(middle(value_of_bits<T>(size - 1), here));
    return lower > 0 || (lower == 0 && takes_lower_tie);
  }
  const bool away = (mode == Rounding::up && sign > 0) || (mode == Rounding::down && sign < 0);
  if (away) return size > 0 && (infinite || compare(here) <= 0) && compare(value_of_bits<T>(size - 1)) > 0;
  return !infinite && compare(here) >= 0 && (size + 1 == kInfinity<T> || compare(above) < 0);
}

// Patterns that matter: all of them, small differences of exponents, few bits, edges.
class Patterns {
 public:
  explicit Patterns(std::uint64_t seed) : state_(seed) {}
  // splitmix64
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  template <class T>
  T any() {
    const std::uint64_t random = next();
    const std::uint64_t one = std::uint64_t{1} << Shape<T>::fraction;
    const std::uint64_t bias = (std::uint64_t{1} << (Shape<T>::exponent - 1)) - 1;
    const std::uint64_t sign = (random >> 63) != 0 ? kSign<T> : 0;
    const std::uint64_t fraction = random & (one - 1);
    const std::uint64_t near = bias - 4 + (random >> 56 & 7U);
    switch (next() % 10) {
      case 0:  // subnormal
        return make<T>(sign | (fraction >> (next() % Shape<T>::fraction)));
      case 1: {  // an edge, or beside it
        const std::array<std::uint64_t, 6> edges{0, one, bias * one, (bias + 1) * one, kInfinity<T> - 1, kInfinity<T>};
        return make<T>(sign | ((edges[random % 6] + (random >> 8) % 3) % kSign<T>));
      }
      case 2:
      case 3:  // few bits: exact results and ties
        return make<T>(sign | near * one | (fraction & ~(one / 16 - 1)) | (next() & 1U));
      case 4:
      case 5:
      case 6:
        return make<T>(sign | near * one | fraction);
      case 7:  // near the least normal number
        return make<T>(sign | ((random >> 56 & 3U) * one | fraction));
      default:
        return make<T>(random);
    }
  }
  template <class T>
  T any_finite() {
    T x = any<T>();
    while (!finite(x)) x = any<T>();
    return x;
  }

 private:
  std::uint64_t state_;
};

}  // namespace reference
