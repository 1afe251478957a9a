// What cuda_fp16.hpp and cuda_bf16.hpp share: halves by their bits, which fast mathematics leaves alone.
#pragma once
#include "kiln/core/half.hpp"

#include "kiln/core/cuda_words.hpp"

KILN_PRECISE_BEGIN
namespace kiln {

// Bits of infinity; those of a NaN are more.
template <class Half>
inline constexpr uint32 infinite_half = 0x7c00;
template <class Half>
KILN_FN Half not_a_number() {
  return Half::from_bits(0x7fff);
}
// In the order of the numbers, -0 below 0.
template <class Half>
KILN_FN int half_order(Half x) {
  const int magnitude = x.bits & 0x7fff;
  return x.bits >> 15 != 0 ? -magnitude - 1 : magnitude;
}

// a + b; an inexact sum becomes the neighbour with an odd last bit, so that it is rounded once where it becomes a half.
KILN_FN double sum_to_odd(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);
  const uint64 bits = bit_cast<uint64>(sum);
  const bool is_exact = error == 0 || error != error || (bits & 1) != 0;
  return is_exact ? sum : bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

}  // namespace kiln
KILN_PRECISE_END
