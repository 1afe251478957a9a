// What <bit> has beside bit_cast (types.hpp) and popcount (math/c_names.hpp), also in constant expressions.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <class T>
concept unsigned_integer = one_of<T, unsigned char, unsigned short, unsigned int, unsigned long, unsigned long long>;

template <unsigned_integer T>
KILN_CONSTEXPR_FN int bit_width(T x) {
  if (!__builtin_is_constant_evaluated()) {
    return x == 0 ? 0 : 64 - KILN_LEADING_ZEROS(static_cast<uint64>(x));
  }
  int width = 0;
  for (uint64 left = x; left != 0; left >>= 1) ++width;
  return width;
}
template <integer T>
KILN_CONSTEXPR_FN T byteswap(T x) {
  uint64 turned = 0;
  for (unsigned k = 0; k < sizeof(T); ++k) turned |= (static_cast<uint64>(x) >> (8 * k) & 0xff) << (8 * (sizeof(T) - 1 - k));
  return static_cast<T>(turned);
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN int countl_zero(T x) {
  return int(8 * sizeof(T)) - bit_width(x);
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN int countr_zero(T x) {
  return x == 0 ? int(8 * sizeof(T)) : bit_width(T(x & (~x + 1))) - 1;
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN int countl_one(T x) {
  return countl_zero(T(~x));
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN int countr_one(T x) {
  return countr_zero(T(~x));
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN T bit_ceil(T x) {
  return x <= 1 ? T(1) : T(uint64(1) << bit_width(T(x - 1)));
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN T bit_floor(T x) {
  return x == 0 ? T(0) : T(uint64(1) << (bit_width(x) - 1));
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN T rotl(T x, int places) {
  constexpr int most = int(8 * sizeof(T)) - 1;
  return T(uint64(x) << (places & most) | uint64(x) >> (-places & most));
}
template <unsigned_integer T>
KILN_CONSTEXPR_FN T rotr(T x, int places) {
  return rotl(x, -places);
}

}  // namespace kiln
