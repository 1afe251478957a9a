// The arithmetic of PTX's instructions on single values. PTX ISA 9.0, 9.7. Pure functions: the host's rounding mode is as it
// was.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kiln::emulator {

__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

enum class Rounding : std::uint8_t { nearest_even, zero, down, up };

struct Half {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// The one NaN that instructions on float32 give.
inline constexpr std::uint32_t kCanonicalNan = 0x7FFFFFFFU;

[[nodiscard]] inline float canonical(float x) noexcept {
  return x != x ? std::bit_cast<float>(kCanonicalNan) : x;
}
[[nodiscard]] inline double canonical(double x) noexcept {
  return x;  // float64 keeps what its input was
}

[[nodiscard]] inline float flushed(float x) noexcept {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}
[[nodiscard]] inline double flushed(double x) noexcept {
  return x;
}
[[nodiscard]] inline float saturated(float x) noexcept {
  return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F;
}
[[nodiscard]] inline double saturated(double x) noexcept {
  return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

/// What `compute` gives in that rounding mode. It reads its operands from memory that the compiler may not look through.
template <class Compute>
[[nodiscard]] auto rounded(Rounding rounding, const Compute& compute) noexcept {
  if (rounding == Rounding::nearest_even) return compute();
  const int before = std::fegetround();
  std::fesetround(rounding == Rounding::zero ? FE_TOWARDZERO : rounding == Rounding::down ? FE_DOWNWARD : FE_UPWARD);
  const volatile auto result = compute();
  std::fesetround(before);
  return static_cast<std::remove_cv_t<decltype(compute())>>(result);
}

/// Of add, sub, mul, div, fma, sqrt, rcp.
struct How {
  Rounding rounding = Rounding::nearest_even;
  bool ftz = false;
  bool sat = false;
};

template <class T, class Compute>
[[nodiscard]] T computed(const How& how, const Compute& compute) noexcept {
  T result = canonical(static_cast<T>(rounded(how.rounding, compute)));
  if (how.ftz) result = flushed(result);
  return how.sat ? saturated(result) : result;
}

template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T add(T a, T b, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  const volatile T y = how.ftz ? flushed(b) : b;
  return computed<T>(how, [&] { return x + y; });
}
template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T subtract(T a, T b, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  const volatile T y = how.ftz ? flushed(b) : b;
  return computed<T>(how, [&] { return x - y; });
}
template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T multiply(T a, T b, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  const volatile T y = how.ftz ? flushed(b) : b;
  return computed<T>(how, [&] { return x * y; });
}
template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T divide(T a, T b, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  const volatile T y = how.ftz ? flushed(b) : b;
  return computed<T>(how, [&] { return x / y; });
}
template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T multiply_add(T a, T b, T c, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  const volatile T y = how.ftz ? flushed(b) : b;
  const volatile T z = how.ftz ? flushed(c) : c;
  return computed<T>(how, [&] { return std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z)); });
}
template <class T>
  requires std::is_floating_point_v<T>
[[nodiscard]] T square_root(T a, const How& how = {}) noexcept {
  const volatile T x = how.ftz ? flushed(a) : a;
  return computed<T>(how, [&] { return std::sqrt(static_cast<T>(x)); });
}

// Formats of 16 bits: rounded once, from the exact value.
/// A double to a format of 16 bits with so many bits of mantissa.
[[nodiscard]] std::uint16_t narrowed(double x, int mantissa_bits, Rounding rounding) noexcept;
/// a * b + c as a double whose last bit is set where it is not exact, so that one more rounding is right.
[[nodiscard]] double odd_multiply_add(double a, double b, double c) noexcept;

[[nodiscard]] double widened(Half x) noexcept;
[[nodiscard]] inline double widened(BFloat16 x) noexcept {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16U);
}
template <class T>
[[nodiscard]] T narrow(double x, Rounding rounding = Rounding::nearest_even) noexcept {
  constexpr int kMantissa = std::is_same_v<T, Half> ? 10 : 7;
  return {narrowed(x, kMantissa, rounding)};
}
[[nodiscard]] inline Half add(Half a, Half b) noexcept {
  return narrow<Half>(widened(a) + widened(b));
}
[[nodiscard]] inline BFloat16 add(BFloat16 a, BFloat16 b) noexcept {
  return narrow<BFloat16>(odd_multiply_add(widened(a), 1.0, widened(b)));
}
template <class T>
  requires(!std::is_arithmetic_v<T>)
[[nodiscard]] T multiply_add(T a, T b, T c) noexcept {
  return narrow<T>(odd_multiply_add(widened(a), widened(b), widened(c)));
}

/// min and max: a number beats a NaN, unless `nan` asks for NaN; -0 is less than +0.
template <class T>
[[nodiscard]] T smaller(T a, T b, bool nan = false) noexcept {
  if (a != a || b != b) {
    if (nan || (a != a && b != b)) return canonical(std::numeric_limits<T>::quiet_NaN());
    return a != a ? b : a;
  }
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
[[nodiscard]] T larger(T a, T b, bool nan = false) noexcept {
  if (a != a || b != b) {
    if (nan || (a != a && b != b)) return canonical(std::numeric_limits<T>::quiet_NaN());
    return a != a ? b : a;
  }
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

// .approx: computed in double and rounded, inside the bounds of the manual.
[[nodiscard]] inline float approximate(double exact, bool ftz) noexcept {
  const float result = canonical(static_cast<float>(exact));
  return ftz ? flushed(result) : result;
}
/// The upper half of the bits, as rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give it: subnormal numbers count as zero.
[[nodiscard]] inline double upper_half(double x) noexcept {
  constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000U;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & kUpper);
}
[[nodiscard]] inline double flushed_double(double x) noexcept {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}

/// A number to the nearest integer of its own type, in the direction asked for.
template <class T>
[[nodiscard]] T to_integral(T x, Rounding rounding) noexcept {
  switch (rounding) {
    case Rounding::zero:
      return std::trunc(x);
    case Rounding::down:
      return std::floor(x);
    case Rounding::up:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}
/// Clamped to the range. NaN gives 0 where neither the source has 64 bits nor the result, else the highest bit alone.
template <class Integer, class T>
[[nodiscard]] Integer to_integer(T x, Rounding rounding) noexcept {
  using Limits = std::numeric_limits<Integer>;
  if (x != x) {
    using Unsigned = std::make_unsigned_t<Integer>;
    const bool zero = sizeof(T) != 8 && sizeof(Integer) != 8;
    return zero ? Integer{0} : static_cast<Integer>(Unsigned{1} << (8U * sizeof(Integer) - 1));
  }
  const T whole = to_integral(x, rounding);
  // The bounds are powers of two: exact in every type of floating point.
  const T end = std::ldexp(T{1}, Limits::digits);
  if (whole >= end) return Limits::max();
  if (whole < (std::is_signed_v<Integer> ? -end : T{0})) return Limits::min();
  return static_cast<Integer>(whole);
}

// Integers.
/// All ones for a division by zero, and what it wraps to for the least number by -1.
template <class T>
[[nodiscard]] T quotient(T a, T b) noexcept {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}
template <class T>
[[nodiscard]] T remainder(T a, T b) noexcept {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <class T>
[[nodiscard]] T multiply_high(T a, T b) noexcept {
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<Signed128>(a) * b >> 64U);
    } else {
      return static_cast<T>(static_cast<Unsigned128>(a) * b >> 64U);
    }
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> (8U * sizeof(T)));
  }
}
template <class T>
[[nodiscard]] T shifted_left(T a, std::uint32_t by) noexcept {
  return by >= 8U * sizeof(T) ? T{0} : static_cast<T>(a << by);
}
template <class T>
[[nodiscard]] T shifted_right(T a, std::uint32_t by) noexcept {
  constexpr std::uint32_t kBits = 8U * sizeof(T);
  if (by < kBits) return static_cast<T>(a >> by);
  return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{0};
}
[[nodiscard]] std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) noexcept;
/// prmt's modes but the one without a name: 0 f4e, 1 b4e, 2 rc8, 3 ecl, 4 ecr, 5 rc16.
[[nodiscard]] std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector, unsigned mode) noexcept;
template <class T>
[[nodiscard]] T extracted(T a, std::uint32_t position, std::uint32_t length) noexcept {
  constexpr std::uint32_t kBits = 8U * sizeof(T);
  position &= 0xFFU;
  length &= 0xFFU;
  using Unsigned = std::make_unsigned_t<T>;
  const auto bits = static_cast<Unsigned>(a);
  const std::uint32_t last = std::min(position + length - 1, kBits - 1);
  const bool sign = std::is_signed_v<T> && length != 0 && (static_cast<unsigned>(bits >> last) & 1U) != 0;
  Unsigned result = sign ? static_cast<Unsigned>(~Unsigned{0}) : Unsigned{0};
  for (std::uint32_t k = 0; k < length && k < kBits; ++k) {
    const bool bit = position + k < kBits ? (static_cast<unsigned>(bits >> (position + k)) & 1U) != 0 : sign;
    result = static_cast<Unsigned>(bit ? result | Unsigned{1} << k : result & ~(Unsigned{1} << k));
  }
  return static_cast<T>(result);
}
template <class T>
[[nodiscard]] T inserted(T from, T into, std::uint32_t position, std::uint32_t length) noexcept {
  position &= 0xFFU;
  length &= 0xFFU;
  for (std::uint32_t k = 0; k < length && position + k < 8U * sizeof(T); ++k) {
    const auto bit = static_cast<T>(T{1} << (position + k));
    into = static_cast<T>((static_cast<unsigned>(from >> k) & 1U) != 0 ? into | bit : into & static_cast<T>(~bit));
  }
  return into;
}
[[nodiscard]] inline std::uint32_t looked_up(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned table) noexcept {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1U) != 0) result |= ((k & 4U) != 0 ? a : ~a) & ((k & 2U) != 0 ? b : ~b) & ((k & 1U) != 0 ? c : ~c);
  }
  return result;
}
/// The place of the highest bit that differs from the sign; ~0 where there is none.
template <class T>
[[nodiscard]] std::uint32_t highest_bit(T a) noexcept {
  using Unsigned = std::make_unsigned_t<T>;
  const auto bits = static_cast<Unsigned>(std::is_signed_v<T> && a < 0 ? ~a : a);
  return bits == 0 ? ~0U : 8U * sizeof(T) - 1 - static_cast<std::uint32_t>(std::countl_zero(bits));
}
template <class T>
[[nodiscard]] T reversed_bits(T a) noexcept {
  T result = 0;
  for (unsigned k = 0; k < 8U * sizeof(T); ++k) result = static_cast<T>(result << 1U | (static_cast<unsigned>(a >> k) & 1U));
  return result;
}

}  // namespace kiln::emulator
