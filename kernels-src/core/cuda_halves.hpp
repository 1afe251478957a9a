// What cuda_fp16.hpp and cuda_bf16.hpp share: halves by their bits, which fast mathematics leaves alone.
#pragma once
#include "kiln/core/half.hpp"

#include "kiln/core/cuda_words.hpp"

// Overloads of the same names are in namespace kiln.
namespace kiln {
using ::atomicAdd;
#if KILN_SHUFFLES_NUMBERS
using ::__shfl_down_sync;
using ::__shfl_sync;
using ::__shfl_up_sync;
using ::__shfl_xor_sync;
#endif
}  // namespace kiln

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

namespace kiln {

template <class T>
inline constexpr bool is_half_pair = false;

#if KILN_SHUFFLES_NUMBERS
#define KILN_HALF_SHUFFLE(name)                                             \
  template <class T>                                                        \
    requires(is_half<T> || is_half_pair<T>)                                 \
  KILN_FN T name(unsigned int mask, T x, int at, int width = 32) {          \
    if constexpr (is_half_pair<T>) {                                        \
      return bit_cast<T>(::name(mask, bit_cast<uint32>(x), at, width));     \
    } else {                                                                \
      return T::from_bits(uint16(::name(mask, uint32(x.bits), at, width))); \
    }                                                                       \
  }
KILN_HALF_SHUFFLE(__shfl_sync)
KILN_HALF_SHUFFLE(__shfl_up_sync)
KILN_HALF_SHUFFLE(__shfl_down_sync)
KILN_HALF_SHUFFLE(__shfl_xor_sync)
#undef KILN_HALF_SHUFFLE
#endif

}  // namespace kiln
