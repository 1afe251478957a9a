// What kiln's own functions of float32 and float64 are made of: the CPU's, and those of GPUs where Clang compiles for them,
// which has no library there. They are plain arithmetic without branches, which the compiler vectorizes in place for any width;
// their polynomials are minimax ones of scripts/minimax.py. They want a fused multiply-add, and their error terms no
// reordering, whatever the user's text may have.
#pragma once
#include "kiln/math/math.hpp"

KILN_PRECISE_BEGIN
namespace kiln {

// Not __builtin_fma: among what is precise that may set errno, and be a call.
KILN_FN float fused(float a, float b, float c) {
  return KILN_FMAF(a, b, c);
}
KILN_FN double fused(double a, double b, double c) {
  return KILN_FMA(a, b, c);
}

// c0 + c1 x + c2 x^2 + …
template <class T>
KILN_FN T polynomial(T, T c) {
  return c;
}
template <class T, class... C>
KILN_FN T polynomial(T x, T c, C... rest) {
  return fused(polynomial(x, T(rest)...), x, c);
}

// Added to a number it leaves the nearest integer in the low bits of the sum, of a float below 2^22, of a double below 2^51.
template <class T>
inline constexpr T round_in_place = 0x1.8p52;
template <>
inline constexpr float round_in_place<float> = 0x1.8p23f;
// 2^(n + more), where sum is round_in_place + n.
KILN_FN float power_of_2(float sum, int32 more = 0) {
  return bit_cast<float>((bit_cast<uint32>(sum) << 23) + (uint32(127 + more) << 23));
}
KILN_FN double power_of_2(double sum, int32 more = 0) {
  return bit_cast<double>((bit_cast<uint64>(sum) << 52) + (uint64(1023 + more) << 52));
}

// What is left of x after n times log(2); the product with the first part is exact.
KILN_FN float less_ln2(float x, float n) {
  return fused(n, -0x1.7f7d1cp-20f, fused(n, -0x1.62e4p-1f, x));
}
KILN_FN double less_ln2(double x, double n) {
  return fused(n, -0x1.ef35793c76730p-45, fused(n, -0x1.62e42fefa3800p-1, x));
}

}  // namespace kiln
KILN_PRECISE_END
