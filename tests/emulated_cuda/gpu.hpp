// CUDA's language and built-in functions for the host's compiler, as far as kernels use them: the emulated NVRTC includes it
// before every kernel. Threads of a block run one at a time and change places only where they wait, so atomics need no
// instruction.
#pragma once
#include "kiln_emulated/abi.hpp"

#define KILN_EMULATED 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900
#define __device__
#define __host__
#define __global__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// Blocks run one after another: one copy will do. The section tells the driver what to fill with garbage before each.
#define __shared__ static __attribute__((section("kiln_shared")))

using uint3 = kiln_emulated::Position;
using dim3 = kiln_emulated::Position;
static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static int warpSize = 32;

namespace kiln_emulated {

static const Services* services;
extern "C" __attribute__((weak, visibility("hidden"))) char __start_kiln_shared[], __stop_kiln_shared[];
// The most that a block of sm_90 can have. `extern __shared__ T name[]` becomes `T* const name = …dynamic_shared()`.
alignas(1024) static char dynamic_shared_bytes[232448];
struct AnyPointer {
  template <class T>
  operator T*() const {
    return reinterpret_cast<T*>(dynamic_shared_bytes);
  }
};
inline AnyPointer dynamic_shared() {
  return {};
}

extern "C" __attribute__((visibility("default"), used)) const Module kiln_emulated_module = {&threadIdx,
                                                                                             &blockIdx,
                                                                                             &blockDim,
                                                                                             &gridDim,
                                                                                             &services,
                                                                                             __start_kiln_shared,
                                                                                             __stop_kiln_shared,
                                                                                             dynamic_shared_bytes,
                                                                                             sizeof(dynamic_shared_bytes)};

template <unsigned... I>
struct indices {};
template <class, unsigned... I>
using indices_of = indices<I...>;
template <class T>
struct parameter {
  alignas(T) char bytes[sizeof(T)];
  // As the driver does: the caller's copy need not be aligned, and the kernel may write to its own.
  explicit parameter(const void* from) { __builtin_memcpy(bytes, from, sizeof(T)); }
  T& value() { return *reinterpret_cast<T*>(bytes); }
};
template <class... P, unsigned... I>
inline void call(void (*kernel)(P...), void** parameters, indices<I...>) {
  kernel(parameter<P>(parameters[I]).value()...);
}
template <class... P>
inline void call(void (*kernel)(P...), void** parameters) {
  call(kernel, parameters, __make_integer_seq<indices_of, unsigned, sizeof...(P)>());
}

}  // namespace kiln_emulated

// Each kernel's name is a macro for this: it makes the function that calls it, wherever the kernel stands.
#define KILN_EMULATED_KERNEL(name, ...)                                                                \
  name(__VA_ARGS__);                                                                                   \
  extern "C" __attribute__((visibility("default"))) void KILN_EMULATED_CALL(name)(void** parameters) { \
    ::kiln_emulated::call(name, parameters);                                                           \
  }                                                                                                    \
  void name(__VA_ARGS__)

// The place of a call is part of it: threads that wait together must wait at one place.
#define KILN_EMULATED_PLACE ::kiln_emulated::Place place = {__builtin_FILE(), __builtin_LINE()}

inline void __syncthreads(KILN_EMULATED_PLACE) {
  kiln_emulated::services->barrier(0, place);
}
inline int __syncthreads_count(int predicate, KILN_EMULATED_PLACE) {
  return kiln_emulated::services->barrier(predicate, place);
}
inline int __syncthreads_or(int predicate, KILN_EMULATED_PLACE) {
  return kiln_emulated::services->barrier(predicate, place) != 0;
}
inline int __syncthreads_and(int predicate, KILN_EMULATED_PLACE) {
  return kiln_emulated::services->barrier(predicate == 0, place) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, KILN_EMULATED_PLACE) {
  kiln_emulated::services->exchange(mask, 0, place);
}
inline void __threadfence(KILN_EMULATED_PLACE) {
  kiln_emulated::services->yield(place);
}
inline void __threadfence_block(KILN_EMULATED_PLACE) {
  kiln_emulated::services->yield(place);
}
inline void __threadfence_system(KILN_EMULATED_PLACE) {
  kiln_emulated::services->yield(place);
}
inline void __nanosleep(unsigned, KILN_EMULATED_PLACE) {
  kiln_emulated::services->yield(place);
}
inline unsigned __activemask() {
  return kiln_emulated::services->active_lanes();
}
[[noreturn]] inline void __trap() {
  __builtin_trap();
}

namespace kiln_emulated {

inline int lane() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

template <class T>
concept Shown = __is_arithmetic(T) && (sizeof(T) == 4 || sizeof(T) == 8);

template <Shown T>
inline unsigned long long shown(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <Shown T>
inline T seen(const Exchange& exchange, int lane) {
  // What a lane that took no part would have shown is undefined.
  const unsigned long long bits = (exchange.lanes >> lane & 1) != 0 ? exchange.values[lane] : 0xa5a5a5a5a5a5a5a5ull;
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

/// choose(lane, first lane of the segment, its width): which lane to look at.
template <Shown T, class Choose>
inline T shuffle(unsigned mask, T value, int width, Place place, Choose choose) {
  const Exchange& exchange = *services->exchange(mask, shown(value), place);
  return seen<T>(exchange, choose(lane(), lane() & -width, width));
}
template <Shown T, class Combine>
inline T reduce(unsigned mask, T value, Place place, Combine combine) {
  const Exchange& exchange = *services->exchange(mask, shown(value), place);
  T result{};
  bool first = true;
  for (int i = 0; i < 32; ++i) {
    if ((exchange.lanes >> i & 1) == 0) continue;
    result = first ? seen<T>(exchange, i) : combine(result, seen<T>(exchange, i));
    first = false;
  }
  return result;
}

}  // namespace kiln_emulated

template <kiln_emulated::Shown T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, KILN_EMULATED_PLACE) {
  return kiln_emulated::shuffle(mask, value, width, place,
                                [=](int, int first, int size) { return first + (source & (size - 1)); });
}
template <kiln_emulated::Shown T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, KILN_EMULATED_PLACE) {
  return kiln_emulated::shuffle(mask, value, width, place, [=](int lane, int first, int) {
    return static_cast<unsigned>(lane - first) < delta ? lane : lane - static_cast<int>(delta);
  });
}
template <kiln_emulated::Shown T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, KILN_EMULATED_PLACE) {
  return kiln_emulated::shuffle(mask, value, width, place, [=](int lane, int first, int size) {
    return static_cast<unsigned>(lane - first) + delta >= static_cast<unsigned>(size) ? lane : lane + static_cast<int>(delta);
  });
}
template <kiln_emulated::Shown T>
inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, KILN_EMULATED_PLACE) {
  return kiln_emulated::shuffle(mask, value, width, place, [=](int lane, int first, int size) {
    return (lane ^ bits) >= first + size ? lane : lane ^ bits;
  });
}
inline unsigned __ballot_sync(unsigned mask, int predicate, KILN_EMULATED_PLACE) {
  const kiln_emulated::Exchange& exchange = *kiln_emulated::services->exchange(mask, predicate != 0, place);
  unsigned ballot = 0;
  for (int i = 0; i < 32; ++i) {
    if ((exchange.lanes >> i & 1) != 0 && exchange.values[i] != 0) ballot |= 1u << i;
  }
  return ballot;
}
inline int __any_sync(unsigned mask, int predicate, KILN_EMULATED_PLACE) {
  return __ballot_sync(mask, predicate, place) != 0;
}
inline int __all_sync(unsigned mask, int predicate, KILN_EMULATED_PLACE) {
  return __ballot_sync(mask, predicate == 0, place) == 0;
}
template <kiln_emulated::Shown T>
inline unsigned __match_any_sync(unsigned mask, T value, KILN_EMULATED_PLACE) {
  const kiln_emulated::Exchange& exchange = *kiln_emulated::services->exchange(mask, kiln_emulated::shown(value), place);
  unsigned same = 0;
  for (int i = 0; i < 32; ++i) {
    if ((exchange.lanes >> i & 1) != 0 && exchange.values[i] == kiln_emulated::shown(value)) same |= 1u << i;
  }
  return same;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](unsigned a, unsigned b) { return a + b; });
}
inline int __reduce_add_sync(unsigned mask, int value, KILN_EMULATED_PLACE) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value), place));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](unsigned a, unsigned b) { return a ^ b; });
}
template <kiln_emulated::Shown T>
  requires(sizeof(T) == 4)
inline T __reduce_min_sync(unsigned mask, T value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](T a, T b) { return b < a ? b : a; });
}
template <kiln_emulated::Shown T>
  requires(sizeof(T) == 4)
inline T __reduce_max_sync(unsigned mask, T value, KILN_EMULATED_PLACE) {
  return kiln_emulated::reduce(mask, value, place, [](T a, T b) { return a < b ? b : a; });
}

// The overloads that CUDA has, so that a call of one that it has not is an error here, too.
#define KILN_EMULATED_ATOMIC(name, T, result) \
  inline T name(T* address, T value) {        \
    const T old = *address;                   \
    *address = result;                        \
    return old;                               \
  }
#define KILN_EMULATED_ATOMICS(T)                  \
  KILN_EMULATED_ATOMIC(atomicAnd, T, old& value)  \
  KILN_EMULATED_ATOMIC(atomicOr, T, old | value)  \
  KILN_EMULATED_ATOMIC(atomicXor, T, old ^ value) \
  KILN_EMULATED_ATOMIC(atomicExch, T, value)      \
  KILN_EMULATED_COMPARE(T)
#define KILN_EMULATED_COMPARE(T)                        \
  inline T atomicCAS(T* address, T expected, T value) { \
    const T old = *address;                             \
    *address = old == expected ? value : old;           \
    return old;                                         \
  }
#define KILN_EMULATED_EXTREMA(T)                                \
  KILN_EMULATED_ATOMIC(atomicMin, T, value < old ? value : old) \
  KILN_EMULATED_ATOMIC(atomicMax, T, old < value ? value : old)
KILN_EMULATED_ATOMICS(int)
KILN_EMULATED_ATOMICS(unsigned)
KILN_EMULATED_ATOMICS(unsigned long long)
KILN_EMULATED_COMPARE(unsigned short)
KILN_EMULATED_EXTREMA(int)
KILN_EMULATED_EXTREMA(unsigned)
KILN_EMULATED_EXTREMA(long long)
KILN_EMULATED_EXTREMA(unsigned long long)
KILN_EMULATED_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
KILN_EMULATED_ATOMIC(atomicAdd, unsigned, old + value)
KILN_EMULATED_ATOMIC(atomicAdd, unsigned long long, old + value)
KILN_EMULATED_ATOMIC(atomicAdd, float, old + value)
KILN_EMULATED_ATOMIC(atomicAdd, double, old + value)
KILN_EMULATED_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
KILN_EMULATED_ATOMIC(atomicSub, unsigned, old - value)
KILN_EMULATED_ATOMIC(atomicExch, float, value)
KILN_EMULATED_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
KILN_EMULATED_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

template <class T>
inline T __ldg(const T* address) {
  return *address;
}
template <class T>
inline T __ldcg(const T* address) {
  return *address;
}
template <class T>
inline T __ldcs(const T* address) {
  return *address;
}
template <class T>
inline void __stcs(T* address, T value) {
  *address = value;
}

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  return __builtin_bitreverse32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
inline float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
inline double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}

#define KILN_EMULATED_VECTOR(T, name)                          \
  struct alignas(2 * sizeof(T)) name##2 {                      \
    T x, y;                                                    \
  };                                                           \
  struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) name##4 { \
    T x, y, z, w;                                              \
  };
KILN_EMULATED_VECTOR(int, int)
KILN_EMULATED_VECTOR(unsigned, uint)
KILN_EMULATED_VECTOR(float, float)
KILN_EMULATED_VECTOR(double, double)
KILN_EMULATED_VECTOR(long long, longlong)
KILN_EMULATED_VECTOR(unsigned long long, ulonglong)

// The mathematical functions are the C library's.
#define KILN_EMULATED_MATH(name)  \
  extern "C" double name(double); \
  extern "C" float name##f(float);
#define KILN_EMULATED_MATH_2(name)        \
  extern "C" double name(double, double); \
  extern "C" float name##f(float, float);
KILN_EMULATED_MATH(acos)
KILN_EMULATED_MATH(acosh)
KILN_EMULATED_MATH(asin)
KILN_EMULATED_MATH(asinh)
KILN_EMULATED_MATH(atan)
KILN_EMULATED_MATH(atanh)
KILN_EMULATED_MATH(cbrt)
KILN_EMULATED_MATH(ceil)
KILN_EMULATED_MATH(cos)
KILN_EMULATED_MATH(cosh)
KILN_EMULATED_MATH(erf)
KILN_EMULATED_MATH(erfc)
KILN_EMULATED_MATH(exp)
KILN_EMULATED_MATH(exp2)
KILN_EMULATED_MATH(expm1)
KILN_EMULATED_MATH(fabs)
KILN_EMULATED_MATH(floor)
KILN_EMULATED_MATH(lgamma)
KILN_EMULATED_MATH(log)
KILN_EMULATED_MATH(log10)
KILN_EMULATED_MATH(log1p)
KILN_EMULATED_MATH(log2)
KILN_EMULATED_MATH(logb)
KILN_EMULATED_MATH(nearbyint)
KILN_EMULATED_MATH(rint)
KILN_EMULATED_MATH(round)
KILN_EMULATED_MATH(sin)
KILN_EMULATED_MATH(sinh)
KILN_EMULATED_MATH(sqrt)
KILN_EMULATED_MATH(tan)
KILN_EMULATED_MATH(tanh)
KILN_EMULATED_MATH(tgamma)
KILN_EMULATED_MATH(trunc)
KILN_EMULATED_MATH_2(atan2)
KILN_EMULATED_MATH_2(copysign)
KILN_EMULATED_MATH_2(fdim)
KILN_EMULATED_MATH_2(fmax)
KILN_EMULATED_MATH_2(fmin)
KILN_EMULATED_MATH_2(fmod)
KILN_EMULATED_MATH_2(hypot)
KILN_EMULATED_MATH_2(nextafter)
KILN_EMULATED_MATH_2(pow)
KILN_EMULATED_MATH_2(remainder)
#define KILN_EMULATED_MATH_TO(T, name) \
  extern "C" T name(double);           \
  extern "C" T name##f(float);
KILN_EMULATED_MATH_TO(int, ilogb)
KILN_EMULATED_MATH_TO(long, lrint)
KILN_EMULATED_MATH_TO(long, lround)
KILN_EMULATED_MATH_TO(long long, llrint)
KILN_EMULATED_MATH_TO(long long, llround)
extern "C" double fma(double, double, double);
extern "C" float fmaf(float, float, float);
extern "C" double ldexp(double, int);
extern "C" float ldexpf(float, int);
extern "C" double frexp(double, int*);
extern "C" float frexpf(float, int*);
