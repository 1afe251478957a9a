// Exponents of a register's lanes; see avx512_cpu.hpp. frexp and ldexp of a float32 take 0.13 and 0.14 ns on a Zen 4, of 1e6
// numbers.
#pragma once
#include "kiln/math/avx512_cpu.hpp"

#pragma float_control(precise, on, push)
namespace kiln {
namespace avx512 {

// x of zeros, infinities and NaN.
KILN_FN floats half_to_one(floats x) {
  const floats m = __builtin_ia32_getmantps512_mask(x, 2, x, 0xffff, as_set);
  return answered<0x00110111>(m, x);
}
KILN_FN doubles half_to_one(doubles x) {
  const doubles m = __builtin_ia32_getmantpd512_mask(x, 2, x, 0xff, as_set);
  return answered<0x00110111>(m, x);
}
// 0 of zeros, infinities and NaN.
KILN_FN floats exponent_above(floats x) {
  return answered<0x00880888>(exponent(x) + 1, x);
}
KILN_FN doubles exponent_above(doubles x) {
  return answered<0x00880888>(exponent(x) + 1, x);
}

}  // namespace avx512

template <one_of<float, double> T>
KILN_FN T fraction_of_lanes(T x) {
  return avx512::of_lanes<avx512::half_to_one>(x);
}
template <one_of<float, double> T>
KILN_FN T exponent_of_lanes(T x) {
  return avx512::of_lanes<avx512::exponent_above>(x);
}
template <one_of<float, double> T>
KILN_FN T scaled_of_lanes(T x, T n) {
  return avx512::of_lanes<avx512::scaled>(x, n);
}

}  // namespace kiln
#pragma float_control(pop)
