// cuda_bf16.h: __nv_bfloat16 is bfloat16, whose arithmetic is float32's, and __nv_bfloat162 a pair of them; each function here
// rounds its result once.
#pragma once
#include "kiln/core/cuda_halves.hpp"

namespace kiln {
template <>
inline constexpr uint32 infinite_half<bfloat16> = 0x7f80;
}  // namespace kiln

#define KILN_HALF bfloat16
#define KILN_HALF2 __nv_bfloat162
#include "kiln/core/cuda_half_functions.hpp"
#undef KILN_HALF
#undef KILN_HALF2

namespace kiln {

using __nv_bfloat16 = bfloat16;
using nv_bfloat16 = bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define KILN_TO_HALF(name, T)  \
  KILN_FN bfloat16 name(T x) { \
    return bfloat16(x);        \
  }
#define KILN_OF_HALF(name, T)  \
  KILN_FN T name(bfloat16 x) { \
    return static_cast<T>(x);  \
  }
KILN_TO_HALF(__float2bfloat16, float)
KILN_TO_HALF(__float2bfloat16_rn, float)
KILN_TO_HALF(__double2bfloat16, double)
KILN_TO_HALF(__int2bfloat16_rn, int)
KILN_TO_HALF(__uint2bfloat16_rn, uint32)
KILN_TO_HALF(__ll2bfloat16_rn, int64)
KILN_TO_HALF(__ull2bfloat16_rn, uint64)
KILN_TO_HALF(__short2bfloat16_rn, short)
KILN_TO_HALF(__ushort2bfloat16_rn, unsigned short)
KILN_OF_HALF(__bfloat162float, float)
KILN_OF_HALF(__bfloat162int_rz, int)
KILN_OF_HALF(__bfloat162uint_rz, uint32)
KILN_OF_HALF(__bfloat162ll_rz, int64)
KILN_OF_HALF(__bfloat162ull_rz, uint64)
KILN_OF_HALF(__bfloat162short_rz, short)
KILN_OF_HALF(__bfloat162ushort_rz, unsigned short)
#undef KILN_TO_HALF
#undef KILN_OF_HALF
KILN_FN unsigned short __bfloat16_as_ushort(bfloat16 x) {
  return x.bits;
}
KILN_FN short __bfloat16_as_short(bfloat16 x) {
  return static_cast<short>(x.bits);
}
KILN_FN bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return bfloat16::from_bits(bits);
}
KILN_FN bfloat16 __short_as_bfloat16(short bits) {
  return bfloat16::from_bits(static_cast<unsigned short>(bits));
}

KILN_FN __nv_bfloat162 make_bfloat162(bfloat16 x, bfloat16 y) {
  return {x, y};
}
KILN_FN __nv_bfloat162 __halves2bfloat162(bfloat16 low, bfloat16 high) {
  return {low, high};
}
KILN_FN __nv_bfloat162 __bfloat162bfloat162(bfloat16 x) {
  return {x, x};
}
KILN_FN __nv_bfloat162 __float2bfloat162_rn(float x) {
  return {bfloat16(x), bfloat16(x)};
}
KILN_FN __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {bfloat16(low), bfloat16(high)};
}
KILN_FN __nv_bfloat162 __float22bfloat162_rn(float2 x) {
  return {bfloat16(x.x), bfloat16(x.y)};
}
KILN_FN float2 __bfloat1622float2(__nv_bfloat162 x) {
  return {float(x.x), float(x.y)};
}
KILN_FN bfloat16 __low2bfloat16(__nv_bfloat162 x) {
  return x.x;
}
KILN_FN bfloat16 __high2bfloat16(__nv_bfloat162 x) {
  return x.y;
}
KILN_FN __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) {
  return {x.x, x.x};
}
KILN_FN __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) {
  return {x.y, x.y};
}
KILN_FN __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.x, b.x};
}
KILN_FN __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {a.y, b.y};
}

}  // namespace kiln
