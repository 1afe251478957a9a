// cuda_fp16.h: half is float16, whose arithmetic is float32's, and half2 a pair of them; each function here rounds its result
// to half once.
#pragma once
#include "kiln/core/cuda_halves.hpp"

#define KILN_HALF float16
#define KILN_HALF2 half2
#include "kiln/core/cuda_half_functions.hpp"
#undef KILN_HALF
#undef KILN_HALF2

namespace kiln {

using half = float16;
using __half = float16;
using nv_half = float16;
using __half2 = half2;
using nv_half2 = half2;

#define KILN_TO_HALF(name, T) \
  KILN_FN float16 name(T x) { \
    return float16(x);        \
  }
#define KILN_OF_HALF(name, T) \
  KILN_FN T name(float16 x) { \
    return static_cast<T>(x); \
  }
KILN_TO_HALF(__float2half, float)
KILN_TO_HALF(__float2half_rn, float)
KILN_TO_HALF(__double2half, double)
KILN_TO_HALF(__int2half_rn, int)
KILN_TO_HALF(__uint2half_rn, uint32)
KILN_TO_HALF(__ll2half_rn, int64)
KILN_TO_HALF(__ull2half_rn, uint64)
KILN_TO_HALF(__short2half_rn, short)
KILN_TO_HALF(__ushort2half_rn, unsigned short)
KILN_OF_HALF(__half2float, float)
KILN_OF_HALF(__half2int_rz, int)
KILN_OF_HALF(__half2uint_rz, uint32)
KILN_OF_HALF(__half2ll_rz, int64)
KILN_OF_HALF(__half2ull_rz, uint64)
KILN_OF_HALF(__half2short_rz, short)
KILN_OF_HALF(__half2ushort_rz, unsigned short)
#undef KILN_TO_HALF
#undef KILN_OF_HALF
KILN_FN unsigned short __half_as_ushort(float16 x) {
  return x.bits;
}
KILN_FN short __half_as_short(float16 x) {
  return static_cast<short>(x.bits);
}
KILN_FN float16 __ushort_as_half(unsigned short bits) {
  return float16::from_bits(bits);
}
KILN_FN float16 __short_as_half(short bits) {
  return float16::from_bits(static_cast<unsigned short>(bits));
}

KILN_FN half2 make_half2(float16 x, float16 y) {
  return {x, y};
}
KILN_FN half2 __halves2half2(float16 low, float16 high) {
  return {low, high};
}
KILN_FN half2 __half2half2(float16 x) {
  return {x, x};
}
KILN_FN half2 __float2half2_rn(float x) {
  return {float16(x), float16(x)};
}
KILN_FN half2 __floats2half2_rn(float low, float high) {
  return {float16(low), float16(high)};
}
KILN_FN half2 __float22half2_rn(float2 x) {
  return {float16(x.x), float16(x.y)};
}
KILN_FN float2 __half22float2(half2 x) {
  return {float(x.x), float(x.y)};
}
KILN_FN float16 __low2half(half2 x) {
  return x.x;
}
KILN_FN float16 __high2half(half2 x) {
  return x.y;
}
KILN_FN half2 __low2half2(half2 x) {
  return {x.x, x.x};
}
KILN_FN half2 __high2half2(half2 x) {
  return {x.y, x.y};
}
KILN_FN half2 __lows2half2(half2 a, half2 b) {
  return {a.x, b.x};
}
KILN_FN half2 __highs2half2(half2 a, half2 b) {
  return {a.y, b.y};
}

}  // namespace kiln
