// cvt (PTX ISA 8.5, 9.7.9.21): between std::int8_t to std::uint64_t, Half, BFloat16, float and double.
#pragma once

#include <cmath>
#include <limits>

#include "emulator/arithmetic/exact.hpp"
#include "emulator/arithmetic/floating.hpp"
#include "emulator/arithmetic/integer.hpp"

namespace kiln::emulator {

/// What cvt says after its name.
struct Conversion {
  Rounding rounding = Rounding::nearest_even;  ///< of a result that is not exact; of floats to integers, `.rni` and so on
  bool integral = false;                       ///< float to the same float, rounded to an integer: `cvt.rni.f32.f32`
  bool ftz = false;                            ///< flushes operands and results that are .f32, and no others
  bool sat = false;                            ///< clamps to To's range (integers) or to [+0, 1] (floats: NaN gives +0)
  bool relu = false;                           ///< of Half and BFloat16: +0 of a negative result
  bool satfinite = false;  ///< of Half and BFloat16: the largest number instead of what is larger; NaN stays NaN
};

namespace detail {

/// An integer of a's format, with a's sign.
template <Native T>
[[nodiscard]] inline T rounded_to_integer(T a, Rounding rounding) noexcept {
  switch (rounding) {
    case Rounding::nearest_even:
      return std::nearbyint(a);
    case Rounding::zero:
      return std::trunc(a);
    case Rounding::down:
      return std::floor(a);
    case Rounding::up:
      return std::ceil(a);
    case Rounding::nearest_away:
      return std::round(a);
  }
  return a;
}

template <Integer To, Floating From>
[[nodiscard]] inline To integer_from(From a, Rounding rounding) noexcept {
  if (is_nan(a)) {
    if (!std::same_as<From, double> && sizeof(To) < 8) return 0;
    return static_cast<To>(detail::word(To{1}) << (kWidth<To> - 1));
  }
  // float holds Half and BFloat16, and its own comparisons are faster than double's conversion is.
  using Host = std::conditional_t<std::same_as<From, double>, double, float>;
  const Host x = rounded_to_integer(static_cast<Host>(widened(a)), rounding);
  constexpr auto kLow = static_cast<Host>(std::numeric_limits<To>::min());
  constexpr Host kBeyond = static_cast<Host>(word(To{1}) << (std::numeric_limits<To>::digits - 1)) * 2;  // exact
  if (x < kLow) return std::numeric_limits<To>::min();
  if (x >= kBeyond) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

template <Floating To, Integer From>
[[nodiscard]] inline To float_from(From a, Rounding rounding) noexcept {
  if constexpr (Native<To>) {
    if (rounding == Rounding::nearest_even) return static_cast<To>(a);
  }
  const bool negative = a < 0;
  const auto size = static_cast<std::uint64_t>(negative ? UInt128{0} - static_cast<UInt128>(a) : static_cast<UInt128>(a));
  return exact::rounded<To>({negative, 0, size}, rounding);
}

template <Floating To, Floating From>
[[nodiscard]] inline To nan_from(From a) noexcept {
  if constexpr (std::same_as<To, double>) return nan_of<double>(widened(a));
  return canonical_nan<To>();
}

template <Floating To, Floating From>
[[nodiscard]] inline To float_from(From a, Conversion c) noexcept {
  if (is_nan(a)) return nan_from<To>(a);
  if (c.integral) return narrowed<To>(rounded_to_integer(widened(a), c.rounding));
  if (c.rounding == Rounding::nearest_even || !is_finite(a)) return narrowed<To>(widened(a));
  return exact::rounded<To>(exact::number(a), c.rounding);
}

template <class T>
[[nodiscard]] constexpr T flushed_float(T x, bool ftz) noexcept {
  if constexpr (std::same_as<T, float>) return flushed(x, ftz);
  return x;
}

}  // namespace detail

/// Floats to integers: clamped to To's range, with `sat` or without; NaN gives 0, but of double, and of any float to 64 bits,
/// the highest bit alone. Integers to integers: the lowest bits, or clamped (`sat`). Floats to floats: NaN gives To's canonical
/// one; a double keeps the payload in its upper bits, quieted. Infinity stays infinity, of rounding modes towards zero too.
template <class To, class From>
  requires(Integer<To> || Floating<To>) && (Integer<From> || Floating<From>)
[[nodiscard]] inline To convert(From a, Conversion c = {}) noexcept {
  a = detail::flushed_float(a, c.ftz);
  if constexpr (Integer<To> && Integer<From>) {
    return c.sat ? detail::clamped<To>(static_cast<detail::Int128>(a)) : static_cast<To>(a);
  } else if constexpr (Integer<To>) {
    return detail::integer_from<To>(a, c.rounding);
  } else {
    To result{};
    if constexpr (Integer<From>) {
      result = detail::float_from<To>(a, c.rounding);
    } else {
      result = detail::float_from<To>(a, c);
    }
    result = detail::flushed_float(result, c.ftz);
    if (c.satfinite && magnitude(result) == Format<To>::kInfinity)
      result = copysign(result, from_bits<To>(Format<To>::kLargest));
    if (c.sat) result = saturated(result);
    return c.relu ? relu(result) : result;
  }
}

/// cvt.f16x2.f32 d, high, low and cvt.bf16x2.f32.
template <Floating To>
  requires(sizeof(To) == 2)
[[nodiscard]] inline std::uint32_t convert_pair(float high, float low, Conversion c = {}) noexcept {
  return Pair<To>{convert<To>(low, c), convert<To>(high, c)}.bits();
}

/// cvt.tf32.f32: 10 bits of the fraction stay, in a float whose lower 13 are 0. NaN is canonical, all bits of it. Of `c`:
/// `.rna`, `.rn` or `.rz`, relu, satfinite.
[[nodiscard]] float convert_to_tf32(float a, Conversion c = {.rounding = Rounding::nearest_away}) noexcept;

}  // namespace kiln::emulator
