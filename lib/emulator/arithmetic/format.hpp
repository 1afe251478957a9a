// The floating-point formats of PTX and their bits: Half, BFloat16, float, double; rounding modes and modifiers.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "shared/half_bits.hpp"

namespace kiln::emulator {

/// `.f16`, by its bits.
struct Half {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Half, Half) = default;  // of bits
};
/// `.bf16`, by its bits.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) = default;  // of bits
};

/// `.rn .rz .rm .rp`, and `.rni .rzi .rmi .rpi` where the result is an integer. `.rna` (ties away from zero) is for cvt to
/// tf32.
enum class Rounding : std::uint8_t { nearest_even, zero, down, up, nearest_away };

/// What an arithmetic instruction of floats says after its name.
struct Modifiers {
  Rounding rounding = Rounding::nearest_even;
  bool ftz = false;   ///< subnormal operands and results become zeros of their sign
  bool sat = false;   ///< the result is clamped to [+0, 1]; NaN gives +0
  bool relu = false;  ///< a negative result, -0 included, gives +0; NaN stays NaN
};

template <class T>
concept Floating = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, Half> || std::same_as<T, BFloat16>;
/// The types that C++ computes in.
template <class T>
concept Native = std::same_as<T, float> || std::same_as<T, double>;

namespace detail {
template <class BitsType, int kFraction, int kExponent, BitsType kCanonicalNan>
struct FormatOf {
  using Bits = BitsType;
  static constexpr int kFractionBits = kFraction;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kFraction + kExponent));
  static constexpr Bits kInfinity = static_cast<Bits>(((Bits{1} << kExponent) - 1) << kFraction);
  static constexpr Bits kLargest = static_cast<Bits>(kInfinity - 1);
  static constexpr Bits kFirstNormal = static_cast<Bits>(Bits{1} << kFraction);
  static constexpr Bits kQuiet = static_cast<Bits>(Bits{1} << (kFraction - 1));
  static constexpr Bits kNan = kCanonicalNan;
  static constexpr int kMaxExponent = (1 << (kExponent - 1)) - 1;       ///< of the largest finite number
  static constexpr int kMinQuantum = 1 - kMaxExponent - kFractionBits;  ///< the least subnormal is 2^kMinQuantum
};
template <class T>
struct FormatFor;
// NaN: the CUDA C++ Programming Guide names 0x7fffffff and 0xfff8000000000000, the PTX ISA 0x7fff for both 16-bit formats.
template <>
struct FormatFor<float> : FormatOf<std::uint32_t, 23, 8, 0x7fffffffU> {};
template <>
struct FormatFor<double> : FormatOf<std::uint64_t, 52, 11, 0xfff8000000000000U> {};
template <>
struct FormatFor<Half> : FormatOf<std::uint16_t, 10, 5, 0x7fffU> {};
template <>
struct FormatFor<BFloat16> : FormatOf<std::uint16_t, 7, 8, 0x7fffU> {};
}  // namespace detail

template <Floating T>
using Format = detail::FormatFor<T>;

template <Floating T>
[[nodiscard]] constexpr typename Format<T>::Bits to_bits(T x) noexcept {
  return std::bit_cast<typename Format<T>::Bits>(x);
}
template <Floating T>
[[nodiscard]] constexpr T from_bits(typename Format<T>::Bits bits) noexcept {
  return std::bit_cast<T>(bits);
}
/// All bits but the sign.
template <Floating T>
[[nodiscard]] constexpr typename Format<T>::Bits magnitude(T x) noexcept {
  return static_cast<typename Format<T>::Bits>(to_bits(x) & (Format<T>::kSign - 1U));
}
template <Floating T>
[[nodiscard]] constexpr bool is_negative(T x) noexcept {
  return (to_bits(x) & Format<T>::kSign) != 0;
}
template <Floating T>
[[nodiscard]] constexpr bool is_nan(T x) noexcept {
  if constexpr (Native<T>) return x != x;
  return magnitude(x) > Format<T>::kInfinity;
}
template <Floating T>
[[nodiscard]] constexpr bool is_finite(T x) noexcept {
  return magnitude(x) < Format<T>::kInfinity;
}
template <Floating T>
[[nodiscard]] constexpr bool is_zero(T x) noexcept {
  return magnitude(x) == 0;
}
/// Neither normal nor zero, infinity or NaN.
template <Floating T>
[[nodiscard]] constexpr bool is_subnormal(T x) noexcept {
  return magnitude(x) < Format<T>::kFirstNormal && magnitude(x) != 0;
}

/// The NaN that an instruction makes: 0x7fffffff, 0xfff8000000000000, 0x7fff.
template <Floating T>
[[nodiscard]] constexpr T canonical_nan() noexcept {
  return from_bits<T>(Format<T>::kNan);
}
/// Zero of x's sign where x is subnormal.
template <Floating T>
[[nodiscard]] constexpr T flushed(T x) noexcept {
  return magnitude(x) < Format<T>::kFirstNormal
             ? from_bits<T>(static_cast<typename Format<T>::Bits>(to_bits(x) & Format<T>::kSign))
             : x;
}
template <Floating T>
[[nodiscard]] constexpr T flushed(T x, bool ftz) noexcept {
  return ftz ? flushed(x) : x;
}

/// Exact. The payload of a NaN is kept, in the upper bits.
template <Floating T>
[[nodiscard]] inline double widened(T x) noexcept {
  if constexpr (std::same_as<T, Half>) {
    return static_cast<double>(kiln::detail::float_from_half_bits(x.bits));
  } else if constexpr (std::same_as<T, BFloat16>) {
    return static_cast<double>(kiln::detail::float_from_bfloat_bits(x.bits));
  } else {
    return static_cast<double>(x);
  }
}
/// Rounded once, to nearest, ties to even; of a NaN, some NaN.
template <Floating T>
[[nodiscard]] inline T narrowed(double x) noexcept {
  if constexpr (std::same_as<T, Half>) {
    return {kiln::detail::half_bits_from_double(x)};
  } else if constexpr (std::same_as<T, BFloat16>) {
    return {kiln::detail::bfloat_bits_from_double(x)};
  } else {
    return static_cast<T>(x);
  }
}

/// Two values of 16 bits in a register of 32: `.f16x2`, `.bf16x2`, `.u16x2`, `.s16x2`.
template <class T>
  requires(sizeof(T) == 2)
struct Pair {
  T low{};
  T high{};
  [[nodiscard]] static constexpr Pair of(std::uint32_t bits) noexcept { return std::bit_cast<Pair>(bits); }
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return std::bit_cast<std::uint32_t>(*this); }
};
static_assert(std::endian::native == std::endian::little, "Pair::low is the lower half of a register");

/// `function` of the lower halves and of the upper ones: add.f16x2 is `on_pairs<Half>(add, a, b)`.
template <class T, class Function, std::same_as<std::uint32_t>... Operands>
[[nodiscard]] constexpr std::uint32_t on_pairs(Function&& function, Operands... operands) {
  return Pair<T>{function(Pair<T>::of(operands).low...), function(Pair<T>::of(operands).high...)}.bits();
}

}  // namespace kiln::emulator
