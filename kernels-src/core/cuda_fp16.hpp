// cuda_fp16.h: half is float16, whose arithmetic is float32's; each function here rounds its result to half once.
#pragma once
#include "kiln/core/half.hpp"

namespace kiln {

using half = float16;
using __half = float16;

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
KILN_TO_HALF(__short2half_rn, short)
KILN_OF_HALF(__half2float, float)
KILN_OF_HALF(__half2int_rz, int)
KILN_OF_HALF(__half2uint_rz, uint32)
KILN_OF_HALF(__half2ll_rz, int64)
KILN_OF_HALF(__half2short_rz, short)
#undef KILN_TO_HALF
#undef KILN_OF_HALF

#define KILN_HALF_2(name, operation)             \
  KILN_FN float16 name(float16 a, float16 b) {   \
    return float16(float(a) operation float(b)); \
  }
#define KILN_HALF_COMPARISON(name, operation) \
  KILN_FN bool name(float16 a, float16 b) {   \
    return float(a) operation float(b);       \
  }
KILN_HALF_2(__hadd, +)
KILN_HALF_2(__hsub, -)
KILN_HALF_2(__hmul, *)
KILN_HALF_2(__hdiv, /)
KILN_HALF_COMPARISON(__heq, ==)
KILN_HALF_COMPARISON(__hne, !=)
KILN_HALF_COMPARISON(__hlt, <)
KILN_HALF_COMPARISON(__hle, <=)
KILN_HALF_COMPARISON(__hgt, >)
KILN_HALF_COMPARISON(__hge, >=)
#undef KILN_HALF_2
#undef KILN_HALF_COMPARISON
KILN_FN float16 __hneg(float16 x) {
  return -x;
}
// A product of two halves is exact in float64, and its sum with a third is rounded to odd on the way.
KILN_FN float16 __hfma(float16 a, float16 b, float16 c) {
  return float16(double(a) * double(b) + double(c));
}
KILN_FN bool __hisnan(float16 x) {
  return float(x) != float(x);
}
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

}  // namespace kiln
