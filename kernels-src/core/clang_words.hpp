// Words of CUDA's and HIP's language that Clang declares for every target: vectors, functions of bits, atomic operations. GPUs'
// kernels have them all; those of the CPU where a text names one (lib/kiln/source/cuda_words.cpp).
#pragma once

// float4 and its kin: vectors of 2 and 4 are loaded at once.
#define KILN_VECTORS(T, name)                                       \
  struct name##1 {                                                  \
    T x;                                                            \
  };                                                                \
  struct alignas(2 * sizeof(T)) name##2 {                           \
    T x, y;                                                         \
  };                                                                \
  struct name##3 {                                                  \
    T x, y, z;                                                      \
  };                                                                \
  struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 { \
    T x, y, z, w;                                                   \
  };                                                                \
  KILN_DEVICE_FN name##1 make_##name##1(T x) {                      \
    return {x};                                                     \
  }                                                                 \
  KILN_DEVICE_FN name##2 make_##name##2(T x, T y) {                 \
    return {x, y};                                                  \
  }                                                                 \
  KILN_DEVICE_FN name##3 make_##name##3(T x, T y, T z) {            \
    return {x, y, z};                                               \
  }                                                                 \
  KILN_DEVICE_FN name##4 make_##name##4(T x, T y, T z, T w) {       \
    return {x, y, z, w};                                            \
  }
KILN_VECTORS(signed char, char)
KILN_VECTORS(unsigned char, uchar)
KILN_VECTORS(short, short)
KILN_VECTORS(unsigned short, ushort)
KILN_VECTORS(int, int)
KILN_VECTORS(unsigned int, uint)
KILN_VECTORS(long long, longlong)
KILN_VECTORS(unsigned long long, ulonglong)
KILN_VECTORS(float, float)
KILN_VECTORS(double, double)
#undef KILN_VECTORS
struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
};

using clock_t = long;

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

KILN_DEVICE_FN unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
KILN_DEVICE_FN int __mulhi(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
KILN_DEVICE_FN unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
KILN_DEVICE_FN long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
KILN_DEVICE_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
KILN_DEVICE_FN int __mul24(int x, int y) {
  return (static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8) *
         (static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8);
}
KILN_DEVICE_FN unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
KILN_DEVICE_FN unsigned int __sad(int x, int y, unsigned int sum) {
  return sum + (x < y ? static_cast<unsigned int>(y) - static_cast<unsigned int>(x)
                      : static_cast<unsigned int>(x) - static_cast<unsigned int>(y));
}
KILN_DEVICE_FN unsigned int __usad(unsigned int x, unsigned int y, unsigned int sum) {
  return sum + (x < y ? y - x : x - y);
}
KILN_DEVICE_FN int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
KILN_DEVICE_FN unsigned int __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned int, x);
}
KILN_DEVICE_FN float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
KILN_DEVICE_FN float __uint_as_float(unsigned int x) {
  return __builtin_bit_cast(float, x);
}
KILN_DEVICE_FN long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
KILN_DEVICE_FN double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
KILN_DEVICE_FN int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
KILN_DEVICE_FN int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
KILN_DEVICE_FN double __hiloint2double(int high, int low) {
  return __longlong_as_double(
      static_cast<long long>(static_cast<unsigned long long>(high) << 32 | static_cast<unsigned int>(low)));
}
// Fused, and never: rounded to the nearest.
KILN_DEVICE_FN float __fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
KILN_DEVICE_FN double __fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
#define KILN_ROUNDED(name, T, operation)                    \
  KILN_DEVICE_FN T name(T x, T y) {                         \
    _Pragma("clang fp contract(off)") return x operation y; \
  }
KILN_ROUNDED(__fadd_rn, float, +)
KILN_ROUNDED(__fsub_rn, float, -)
KILN_ROUNDED(__fmul_rn, float, *)
KILN_ROUNDED(__dadd_rn, double, +)
KILN_ROUNDED(__dsub_rn, double, -)
KILN_ROUNDED(__dmul_rn, double, *)
#undef KILN_ROUNDED
KILN_DEVICE_FN float __saturatef(float x) {
  return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f);  // of NaN 0
}
template <class T>
KILN_DEVICE_FN T __ldg(const T* at) {
  return *at;
}

KILN_DEVICE_FN unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int which) {
#if defined(KILN_BYTE_PERM)
  return KILN_BYTE_PERM(x, y, which);
#else
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int byte = static_cast<unsigned int>(bytes >> (which >> 4 * i & 7) * 8) & 0xffu;
    result |= ((which >> 4 * i & 8) != 0 ? (byte & 0x80u) != 0 ? 0xffu : 0 : byte) << 8 * i;
  }
  return result;
#endif
}
KILN_DEVICE_FN unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int count) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) << (count & 31) >> 32);
}
KILN_DEVICE_FN unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int count) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (count & 31));
}

// Atomic operations give what was in memory before. Of these scopes the device's, a block's, and that of all devices.
#define KILN_ATOMIC_IN(T, name, call, scope)                           \
  KILN_DEVICE_FN T name(T* at, T value) {                              \
    return __scoped_atomic_##call(at, value, __ATOMIC_RELAXED, scope); \
  }
#define KILN_ATOMIC(T, name, call)                             \
  KILN_ATOMIC_IN(T, name, call, __MEMORY_SCOPE_DEVICE)         \
  KILN_ATOMIC_IN(T, name##_block, call, __MEMORY_SCOPE_WRKGRP) \
  KILN_ATOMIC_IN(T, name##_system, call, __MEMORY_SCOPE_SYSTEM)
#define KILN_ATOMIC_CAS(T, name, scope)                                                                         \
  KILN_DEVICE_FN T name(T* at, T expected, T value) {                                                           \
    __scoped_atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
    return expected;                                                                                            \
  }
#define KILN_ATOMIC_OF(T)                                     \
  KILN_ATOMIC_CAS(T, atomicCAS, __MEMORY_SCOPE_DEVICE)        \
  KILN_ATOMIC_CAS(T, atomicCAS_block, __MEMORY_SCOPE_WRKGRP)  \
  KILN_ATOMIC_CAS(T, atomicCAS_system, __MEMORY_SCOPE_SYSTEM) \
  KILN_ATOMIC(T, atomicAdd, fetch_add)                        \
  KILN_ATOMIC(T, atomicMin, fetch_min)                        \
  KILN_ATOMIC(T, atomicMax, fetch_max)                        \
  KILN_ATOMIC(T, atomicAnd, fetch_and)                        \
  KILN_ATOMIC(T, atomicOr, fetch_or)                          \
  KILN_ATOMIC(T, atomicXor, fetch_xor)                        \
  KILN_ATOMIC(T, atomicExch, exchange_n)
KILN_ATOMIC_OF(int)
KILN_ATOMIC_OF(unsigned int)
KILN_ATOMIC_OF(long long)
KILN_ATOMIC_OF(unsigned long long)
#undef KILN_ATOMIC_OF
#undef KILN_ATOMIC_CAS
KILN_ATOMIC(int, atomicSub, fetch_sub)
KILN_ATOMIC(unsigned int, atomicSub, fetch_sub)
KILN_ATOMIC(float, atomicAdd, fetch_add)
KILN_ATOMIC(double, atomicAdd, fetch_add)
#undef KILN_ATOMIC
#undef KILN_ATOMIC_IN
// Exchanged by its bits. atomicInc counts up to `last` and begins again; atomicDec counts down to 0 and begins again at `last`.
#define KILN_ATOMIC_WORDS(scope)                                                                                      \
  KILN_DEVICE_FN float atomicExch##scope(float* at, float value) {                                                    \
    return __builtin_bit_cast(                                                                                        \
        float, atomicExch##scope(reinterpret_cast<unsigned int*>(at), __builtin_bit_cast(unsigned int, value)));      \
  }                                                                                                                   \
  KILN_DEVICE_FN unsigned int atomicInc##scope(unsigned int* at, unsigned int last) {                                 \
    unsigned int seen = *at;                                                                                          \
    for (unsigned int old; (old = atomicCAS##scope(at, seen, seen >= last ? 0 : seen + 1)) != seen;) seen = old;      \
    return seen;                                                                                                      \
  }                                                                                                                   \
  KILN_DEVICE_FN unsigned int atomicDec##scope(unsigned int* at, unsigned int last) {                                 \
    unsigned int seen = *at;                                                                                          \
    for (unsigned int old; (old = atomicCAS##scope(at, seen, seen == 0 || seen > last ? last : seen - 1)) != seen;) { \
      seen = old;                                                                                                     \
    }                                                                                                                 \
    return seen;                                                                                                      \
  }
KILN_ATOMIC_WORDS()
KILN_ATOMIC_WORDS(_block)
KILN_ATOMIC_WORDS(_system)
#undef KILN_ATOMIC_WORDS
