// CUDA's and HIP's language where Clang compiles for a GPU: what the vendors' own headers would declare, as far as it is the
// same for both. portable.hpp includes it for that compiler alone, and clang_cuda.hpp or clang_hip.hpp after it.
#pragma once
#include "kiln/core/attributes.hpp"

#define KILN_DEVICE_FN __device__ __forceinline__
#include "kiln/core/clang_words.hpp"

// Places and extents: objects whose members are read from the hardware.
#define KILN_PLACE(name, get_x_, get_y_, get_z_)       \
  struct kiln_##name {                                 \
    __declspec(property(get = kiln_x)) unsigned int x; \
    __declspec(property(get = kiln_y)) unsigned int y; \
    __declspec(property(get = kiln_z)) unsigned int z; \
    static KILN_DEVICE_FN unsigned int kiln_x() {      \
      return get_x_;                                   \
    }                                                  \
    static KILN_DEVICE_FN unsigned int kiln_y() {      \
      return get_y_;                                   \
    }                                                  \
    static KILN_DEVICE_FN unsigned int kiln_z() {      \
      return get_z_;                                   \
    }                                                  \
    KILN_DEVICE_FN operator uint3() const {            \
      return {kiln_x(), kiln_y(), kiln_z()};           \
    }                                                  \
    KILN_DEVICE_FN operator dim3() const {             \
      return {kiln_x(), kiln_y(), kiln_z()};           \
    }                                                  \
  };                                                   \
  extern const __device__ __attribute__((__weak__)) kiln_##name name;

// The functions of <cmath> that are instructions; the others are kiln's own (math/libm_*.hpp).
namespace kiln::libm {

#define KILN_INSTRUCTION_1(name)          \
  KILN_DEVICE_FN float name##f(float x) { \
    return __builtin_##name##f(x);        \
  }                                       \
  KILN_DEVICE_FN double name(double x) {  \
    return __builtin_##name(x);           \
  }
#define KILN_INSTRUCTION_2(name)                   \
  KILN_DEVICE_FN float name##f(float x, float y) { \
    return __builtin_##name##f(x, y);              \
  }                                                \
  KILN_DEVICE_FN double name(double x, double y) { \
    return __builtin_##name(x, y);                 \
  }
KILN_INSTRUCTION_1(sqrt)
KILN_INSTRUCTION_1(fabs)
KILN_INSTRUCTION_1(floor)
KILN_INSTRUCTION_1(ceil)
KILN_INSTRUCTION_1(trunc)
KILN_INSTRUCTION_1(rint)
KILN_INSTRUCTION_1(nearbyint)
KILN_INSTRUCTION_1(round)
#if !KILN_SAME_BITS
KILN_INSTRUCTION_2(fmin)
KILN_INSTRUCTION_2(fmax)
#endif
KILN_INSTRUCTION_2(copysign)
#undef KILN_INSTRUCTION_1
#undef KILN_INSTRUCTION_2
KILN_DEVICE_FN float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
KILN_DEVICE_FN double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}

}  // namespace kiln::libm
