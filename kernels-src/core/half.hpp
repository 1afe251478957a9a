// float16 (IEEE binary16) and bfloat16: storage types. Arithmetic on them is float32's and gives float; a result is rounded
// once, to nearest even, where it is stored in a half. float16(0.1) rounds once, too, not through float.
#pragma once
#include "kiln/core/types.hpp"

#define KILN_HALVES 1

KILN_PRECISE_BEGIN
namespace kiln {

KILN_FN uint16 half_from_float(float x) {
  const uint32 u = bit_cast<uint32>(x);
  const uint32 sign = (u >> 16) & 0x8000u;
  const uint32 a = u & 0x7fffffffu;
  if (a > 0x7f800000u) {
    return uint16(sign | 0x7e00u | ((a >> 13) & 0x3ffu));
  }
  if (a >= 0x477ff000u) {  // 65520 and more
    return uint16(sign | 0x7c00u);
  }
  if (a < 0x38800000u) {  // subnormal or zero: adding 0.5 leaves the rounded bits in the lowest places
    return uint16(sign | (bit_cast<uint32>(bit_cast<float>(a) + 0.5f) - 0x3f000000u));
  }
  const uint32 r = a - 0x38000000u;
  return uint16(sign | ((r + 0xfffu + ((r >> 13) & 1u)) >> 13));
}

KILN_FN float float_from_half(uint16 h) {
  const uint32 sign = uint32(h & 0x8000u) << 16;
  const uint32 a = uint32(h & 0x7fffu) << 13;
  // Scaling by 2^112 moves the exponent and normalizes subnormals; infinities and NaNs need the rest of it.
  const uint32 scaled = bit_cast<uint32>(bit_cast<float>(a) * 0x1p112f);
  const uint32 special = a >= 0x0f800000u ? 0x7f800000u | a | (a > 0x0f800000u ? 0x400000u : 0u) : scaled;
  return bit_cast<float>(special | sign);
}

KILN_FN uint16 bfloat_from_float(float x) {
  const uint32 u = bit_cast<uint32>(x);
  const uint32 rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return uint16((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
}

// To float, inexact results to the neighbour with an odd last bit: a second rounding, to fewer bits, is then the only one.
KILN_FN float round_to_odd(double x) {
  const float f = static_cast<float>(x);
  const double back = f;
  const uint32 u = bit_cast<uint32>(f);
  const bool inexact = back != x && x == x;
  const bool away = (x < 0 ? -back : back) > (x < 0 ? -x : x);  // f went past x, to infinity perhaps
  const uint32 towards_zero = away ? u - 1 : u;
  return bit_cast<float>(inexact ? towards_zero | 1u : u);
}
KILN_FN float round_to_odd(float x) {
  return x;
}
template <integer T>
KILN_FN float round_to_odd(T x) {
  if constexpr (sizeof(T) < 8) {
    return round_to_odd(static_cast<double>(x));
  } else {
    // 53 bits hold what is left once the low 11 are folded into one that only says whether any was set.
    const bool negative = x < 0;
    const uint64 m = negative ? 0 - static_cast<uint64>(x) : static_cast<uint64>(x);
    const uint64 folded = m >> 53 == 0 ? m : (m & ~uint64(0x7ff)) | (uint64((m & 0x7ff) != 0) << 11);
    const float f = round_to_odd(static_cast<double>(folded));
    return negative ? -f : f;
  }
}

// What a half converts to where it is asked for. In CuPy's notation it becomes a float by itself.
#if KILN_HALVES_OF_CUPY
template <class T>
concept half_converts = same<T, double> || integer<T>;
#else
template <class T>
concept half_converts = one_of<T, float, double> || integer<T>;
#endif

struct float16 {
  uint16 bits;
  float16() = default;
  template <class T>
    requires(one_of<T, float, double> || integer<T>)
  KILN_FN float16(T x) {
    const float f = round_to_odd(x);
    KILN_FLOAT_TO_HALF(bits, f);
  }
  template <half_like T>
  KILN_FN explicit float16(T x) : float16(static_cast<float>(x)) {}
#if KILN_HALVES_OF_CUPY
  KILN_FN operator float() const {
    float x;
    KILN_HALF_TO_FLOAT(x, bits);
    return x;
  }
#endif
  template <class T>
    requires half_converts<T>
  KILN_FN explicit operator T() const {
    float x;
    KILN_HALF_TO_FLOAT(x, bits);
    return static_cast<T>(x);
  }
  KILN_FN float16 operator-() const { return from_bits(uint16(bits ^ 0x8000u)); }
  KILN_FN float16 operator+() const { return *this; }
  static KILN_FN float16 from_bits(uint16 b) {
    float16 h;
    h.bits = b;
    return h;
  }
};

struct bfloat16 {
  uint16 bits;
  bfloat16() = default;
  template <class T>
    requires(one_of<T, float, double> || integer<T>)
  KILN_FN bfloat16(T x) : bits(bfloat_from_float(round_to_odd(x))) {}
  template <half_like T>
  KILN_FN explicit bfloat16(T x) : bfloat16(static_cast<float>(x)) {}
#if KILN_HALVES_OF_CUPY
  KILN_FN operator float() const { return bit_cast<float>(uint32(bits) << 16); }
#endif
  template <class T>
    requires half_converts<T>
  KILN_FN explicit operator T() const {
    return static_cast<T>(bit_cast<float>(uint32(bits) << 16));
  }
  KILN_FN bfloat16 operator-() const { return from_bits(uint16(bits ^ 0x8000u)); }
  KILN_FN bfloat16 operator+() const { return *this; }
  static KILN_FN bfloat16 from_bits(uint16 b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }
};

// A half result that is yet to be rounded: what a body gives where it computes one step of several, as in a reduction.
struct unrounded {
  float value;
  unrounded() = default;
  template <real_number T>
  KILN_FN unrounded(T x) : value(static_cast<float>(x)) {}
  template <class T>
    requires(one_of<T, float, double> || integer<T>)
  KILN_FN explicit operator T() const {
    return static_cast<T>(value);
  }
};

template <>
inline constexpr bool is_half<unrounded> = true;
template <>
inline constexpr bool is_half<float16> = true;
template <>
inline constexpr bool is_half<bfloat16> = true;
// Below 2^40, and a divisor has 11 bits.
template <>
inline constexpr bool has_short_quotients<float16> = true;

}  // namespace kiln
KILN_PRECISE_END
namespace kiln {

// In an expression a half, and an integer beside one, counts as float; double stays.
template <class T>
KILN_FN auto widened(T x) {
  if constexpr (same<T, double>) {
    return x;
  } else {
    return static_cast<float>(x);
  }
}
template <class A, class B>
concept half_operands = (half_like<A> && real_number<B>) || (half_like<B> && real_number<A>);

#define KILN_OPERATOR(op)              \
  template <class A, class B>          \
    requires half_operands<A, B>       \
  KILN_FN auto operator op(A a, B b) { \
    return widened(a) op widened(b);   \
  }
KILN_OPERATOR(+)
KILN_OPERATOR(-)
KILN_OPERATOR(*)
KILN_OPERATOR(/)
KILN_OPERATOR(==)
KILN_OPERATOR(!=)
KILN_OPERATOR(<)
KILN_OPERATOR(>)
KILN_OPERATOR(<=)
KILN_OPERATOR(>=)
#undef KILN_OPERATOR

#define KILN_ASSIGNMENT(op)                              \
  template <class A, class B>                            \
    requires half_operands<A, B>                         \
  KILN_FN A& operator op##=(A & a, B b) {                \
    return a = static_cast<A>(widened(a) op widened(b)); \
  }
KILN_ASSIGNMENT(+)
KILN_ASSIGNMENT(-)
KILN_ASSIGNMENT(*)
KILN_ASSIGNMENT(/)
#undef KILN_ASSIGNMENT

template <half_like T>
KILN_FN T& operator++(T& x) {
  return x = T(static_cast<float>(x) + 1);
}
template <half_like T>
KILN_FN T& operator--(T& x) {
  return x = T(static_cast<float>(x) - 1);
}
template <half_like T>
KILN_FN T operator++(T& x, int) {
  const T old = x;
  ++x;
  return old;
}
template <half_like T>
KILN_FN T operator--(T& x, int) {
  const T old = x;
  --x;
  return old;
}

}  // namespace kiln
