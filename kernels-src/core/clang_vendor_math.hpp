// The functions of <cmath> by the vendor's library, which Clang links in as bitcode (lib/kiln/compiler/gpu/math_bitcode.cpp):
// libdevice and ocml. What is an instruction is clang_gpu.hpp's; the names
// are portable.hpp's.
#pragma once

#define KILN_VENDOR_1(name)                               \
  extern "C" __device__ float KILN_SINGLE(name)(float);   \
  extern "C" __device__ double KILN_DOUBLE(name)(double); \
  namespace kiln::libm {                                  \
  KILN_DEVICE_FN float name##f(float x) {                 \
    return KILN_SINGLE(name)(x);                          \
  }                                                       \
  KILN_DEVICE_FN double name(double x) {                  \
    return KILN_DOUBLE(name)(x);                          \
  }                                                       \
  }
#define KILN_VENDOR_2(name, Y)                                       \
  extern "C" __device__ float KILN_SINGLE(name)(float, Y(float));    \
  extern "C" __device__ double KILN_DOUBLE(name)(double, Y(double)); \
  namespace kiln::libm {                                             \
  KILN_DEVICE_FN float name##f(float x, Y(float) y) {                \
    return KILN_SINGLE(name)(x, y);                                  \
  }                                                                  \
  KILN_DEVICE_FN double name(double x, Y(double) y) {                \
    return KILN_DOUBLE(name)(x, y);                                  \
  }                                                                  \
  }
#define KILN_THE_SAME(T) T
#define KILN_INT(T) int
KILN_VENDOR_1(sin)
KILN_VENDOR_1(cos)
KILN_VENDOR_1(tan)
KILN_VENDOR_1(asin)
KILN_VENDOR_1(acos)
KILN_VENDOR_1(atan)
KILN_VENDOR_1(sinh)
KILN_VENDOR_1(cosh)
KILN_VENDOR_1(tanh)
KILN_VENDOR_1(asinh)
KILN_VENDOR_1(acosh)
KILN_VENDOR_1(atanh)
KILN_VENDOR_1(exp)
KILN_VENDOR_1(exp2)
KILN_VENDOR_1(expm1)
KILN_VENDOR_1(log)
KILN_VENDOR_1(log2)
KILN_VENDOR_1(log10)
KILN_VENDOR_1(log1p)
KILN_VENDOR_1(cbrt)
KILN_VENDOR_1(erf)
KILN_VENDOR_1(erfc)
KILN_VENDOR_1(tgamma)
KILN_VENDOR_1(lgamma)
KILN_VENDOR_1(logb)
KILN_VENDOR_2(atan2, KILN_THE_SAME)
KILN_VENDOR_2(pow, KILN_THE_SAME)
KILN_VENDOR_2(hypot, KILN_THE_SAME)
KILN_VENDOR_2(fmod, KILN_THE_SAME)
KILN_VENDOR_2(remainder, KILN_THE_SAME)
KILN_VENDOR_2(nextafter, KILN_THE_SAME)
KILN_VENDOR_2(fdim, KILN_THE_SAME)
KILN_VENDOR_2(ldexp, KILN_INT)
#undef KILN_VENDOR_1
#undef KILN_VENDOR_2
#undef KILN_THE_SAME
#undef KILN_INT

extern "C" __device__ int KILN_SINGLE(ilogb)(float);
extern "C" __device__ int KILN_DOUBLE(ilogb)(double);
extern "C" __device__ float KILN_SINGLE(frexp)(float, KILN_PRIVATE int*);
extern "C" __device__ double KILN_DOUBLE(frexp)(double, KILN_PRIVATE int*);
namespace kiln::libm {
KILN_DEVICE_FN int ilogbf(float x) {
  return KILN_SINGLE(ilogb)(x);
}
KILN_DEVICE_FN int ilogb(double x) {
  return KILN_DOUBLE(ilogb)(x);
}
KILN_DEVICE_FN float frexpf(float x, int* exponent) {
  int own = 0;
  const float y = KILN_SINGLE(frexp)(x, (KILN_PRIVATE int*)&own);
  *exponent = own;
  return y;
}
KILN_DEVICE_FN double frexp(double x, int* exponent) {
  int own = 0;
  const double y = KILN_DOUBLE(frexp)(x, (KILN_PRIVATE int*)&own);
  *exponent = own;
  return y;
}
KILN_DEVICE_FN long long llroundf(float x) {
  return static_cast<long long>(__builtin_roundf(x));
}
KILN_DEVICE_FN long long llround(double x) {
  return static_cast<long long>(__builtin_round(x));
}
KILN_DEVICE_FN long long llrintf(float x) {
  return static_cast<long long>(__builtin_rintf(x));
}
KILN_DEVICE_FN long long llrint(double x) {
  return static_cast<long long>(__builtin_rint(x));
}
KILN_DEVICE_FN long long lroundf(float x) {
  return llroundf(x);
}
KILN_DEVICE_FN long long lround(double x) {
  return llround(x);
}
KILN_DEVICE_FN long long lrintf(float x) {
  return llrintf(x);
}
KILN_DEVICE_FN long long lrint(double x) {
  return llrint(x);
}
}  // namespace kiln::libm
