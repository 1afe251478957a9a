// Division of __int128, which compilers have as calls of a library that no kernel is linked with, or not at all. Every pair has
// a quotient and a remainder, as those of narrower integers have (division.hpp).
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

using kiln_wide = __int128;
using kiln_unsigned_wide = unsigned __int128;

template <>
inline constexpr bool is_wide_integer<kiln_wide> = true;
template <>
inline constexpr bool is_wide_integer<kiln_unsigned_wide> = true;

namespace wide {

template <class T>
struct both {
  T quotient;
  T rest;
};
// Of b, as often as it is shifted, what goes into a. By 0 both are 0.
KILN_CONSTEXPR_FN both<kiln_unsigned_wide> divide(kiln_unsigned_wide a, kiln_unsigned_wide b) {
  if (b == 0) return {0, 0};
  if (uint64(a >> 64) == 0 && uint64(b >> 64) == 0) return {uint64(a) / uint64(b), uint64(a) % uint64(b)};
  int shift = 0;
  while (shift < 127 && b <= a >> 1 && b >> 127 == 0) {
    b <<= 1;
    ++shift;
  }
  kiln_unsigned_wide quotient = 0;
  for (; shift >= 0; --shift, b >>= 1) {
    quotient <<= 1;
    if (a < b) continue;
    a -= b;
    quotient |= 1;
  }
  return {quotient, a};
}
// Towards zero; of the least by -1 the quotient is the least.
KILN_CONSTEXPR_FN both<kiln_wide> divide(kiln_wide a, kiln_wide b) {
  const kiln_unsigned_wide zero = 0;
  const both<kiln_unsigned_wide> of = divide(a < 0 ? zero - kiln_unsigned_wide(a) : kiln_unsigned_wide(a),
                                             b < 0 ? zero - kiln_unsigned_wide(b) : kiln_unsigned_wide(b));
  return {kiln_wide((a < 0) != (b < 0) ? zero - of.quotient : of.quotient), kiln_wide(a < 0 ? zero - of.rest : of.rest)};
}

// To a floating number: of a great one the 64 leading bits, the last of which says whether any is lost.
template <class F>
KILN_CONSTEXPR_FN F to_floating(kiln_unsigned_wide a) {
  int shift = 0;
  while (uint64(a >> shift >> 32 >> 32) != 0) ++shift;
  const bool lost = (a >> shift << shift) != a;
  const F whole = F(uint64(a >> shift) | uint64(lost));
  return shift == 0 ? whole : whole * F(uint64(1) << (shift - 1)) * 2;
}
template <class F>
KILN_CONSTEXPR_FN F to_floating(kiln_wide a) {
  return a < 0 ? -to_floating<F>(0 - kiln_unsigned_wide(a)) : to_floating<F>(kiln_unsigned_wide(a));
}
template <class F>
KILN_CONSTEXPR_FN kiln_unsigned_wide from_floating(F x) {
  const uint64 high = uint64(x * F(0x1p-64));
  return kiln_unsigned_wide(high) << 64 | uint64(x - F(high) * F(0x1p64));
}

}  // namespace wide

template <class T>
KILN_CONSTEXPR_FN T wide_quotient(T a, T b) {
  return wide::divide(a, b).quotient;
}
template <class T>
KILN_CONSTEXPR_FN T wide_rest(T a, T b) {
  return wide::divide(a, b).rest;
}

}  // namespace kiln

#if KILN_LACKS_WIDE_DIVISION
// What LLVM calls for divisions in files that a text includes, and for conversions from and to floating numbers.
#define KILN_OF_COMPILER extern "C" __attribute__((__weak__, __used__, __visibility__("hidden")))
KILN_OF_COMPILER kiln::kiln_wide __divti3(kiln::kiln_wide a, kiln::kiln_wide b) {
  return kiln::wide_quotient(a, b);
}
KILN_OF_COMPILER kiln::kiln_wide __modti3(kiln::kiln_wide a, kiln::kiln_wide b) {
  return kiln::wide_rest(a, b);
}
KILN_OF_COMPILER kiln::kiln_unsigned_wide __udivti3(kiln::kiln_unsigned_wide a, kiln::kiln_unsigned_wide b) {
  return kiln::wide_quotient(a, b);
}
KILN_OF_COMPILER kiln::kiln_unsigned_wide __umodti3(kiln::kiln_unsigned_wide a, kiln::kiln_unsigned_wide b) {
  return kiln::wide_rest(a, b);
}
#define KILN_CONVERSIONS(F, letter)                                                                                 \
  KILN_OF_COMPILER F __floatti##letter##f(kiln::kiln_wide a) {                                                      \
    return kiln::wide::to_floating<F>(a);                                                                           \
  }                                                                                                                 \
  KILN_OF_COMPILER F __floatunti##letter##f(kiln::kiln_unsigned_wide a) {                                           \
    return kiln::wide::to_floating<F>(a);                                                                           \
  }                                                                                                                 \
  KILN_OF_COMPILER kiln::kiln_wide __fix##letter##fti(F x) {                                                        \
    return x < 0 ? -kiln::kiln_wide(kiln::wide::from_floating(-x)) : kiln::kiln_wide(kiln::wide::from_floating(x)); \
  }                                                                                                                 \
  KILN_OF_COMPILER kiln::kiln_unsigned_wide __fixuns##letter##fti(F x) {                                            \
    return kiln::wide::from_floating(x);                                                                            \
  }
KILN_CONVERSIONS(float, s)
KILN_CONVERSIONS(double, d)
#undef KILN_CONVERSIONS
#undef KILN_OF_COMPILER
#endif
