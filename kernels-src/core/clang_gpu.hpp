// CUDA's and HIP's language where Clang compiles for a GPU: what the vendors' own headers would declare, as far as it is the
// same for both. portable.hpp includes it for that compiler alone, and clang_cuda.hpp or clang_hip.hpp after it.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

#define KILN_DEVICE_FN __attribute__((device)) inline __attribute__((always_inline))

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
  };                                                   \
  extern const __attribute__((device, weak)) kiln_##name name;

struct uint3 {
  unsigned int x, y, z;
};
struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

KILN_DEVICE_FN int __ffs(int x) {
  return __builtin_ffs(x);
}
KILN_DEVICE_FN int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
KILN_DEVICE_FN int __popc(unsigned int x) {
  return __builtin_popcount(x);
}
KILN_DEVICE_FN int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
KILN_DEVICE_FN int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
KILN_DEVICE_FN int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
KILN_DEVICE_FN unsigned int __brev(unsigned int x) {
  return __builtin_bitreverse32(x);
}

// Atomic operations give what was in memory before.
#define KILN_ATOMIC(call, at, value) __scoped_atomic_##call(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define KILN_ATOMIC_OF(T)                                                                               \
  KILN_DEVICE_FN T atomicCAS(T* at, T expected, T value) {                                              \
    __scoped_atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                       __MEMORY_SCOPE_DEVICE);                                          \
    return expected;                                                                                    \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicAdd(T* at, T value) {                                                          \
    return KILN_ATOMIC(fetch_add, at, value);                                                           \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicMin(T* at, T value) {                                                          \
    return KILN_ATOMIC(fetch_min, at, value);                                                           \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicMax(T* at, T value) {                                                          \
    return KILN_ATOMIC(fetch_max, at, value);                                                           \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicAnd(T* at, T value) {                                                          \
    return KILN_ATOMIC(fetch_and, at, value);                                                           \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicOr(T* at, T value) {                                                           \
    return KILN_ATOMIC(fetch_or, at, value);                                                            \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicXor(T* at, T value) {                                                          \
    return KILN_ATOMIC(fetch_xor, at, value);                                                           \
  }                                                                                                     \
  KILN_DEVICE_FN T atomicExch(T* at, T value) {                                                         \
    return __scoped_atomic_exchange_n(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);              \
  }
KILN_ATOMIC_OF(int)
KILN_ATOMIC_OF(unsigned int)
KILN_ATOMIC_OF(unsigned long long)
#undef KILN_ATOMIC_OF
KILN_DEVICE_FN float atomicAdd(float* at, float value) {
  return KILN_ATOMIC(fetch_add, at, value);
}
KILN_DEVICE_FN double atomicAdd(double* at, double value) {
  return KILN_ATOMIC(fetch_add, at, value);
}
#undef KILN_ATOMIC

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
KILN_INSTRUCTION_2(fmin)
KILN_INSTRUCTION_2(fmax)
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
