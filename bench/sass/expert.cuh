// What a CUDA engineer writes by hand for the kernels of kernels.py, to be compiled and looked at beside kiln's; never run.
// Habits: 16-byte accesses, 64 to 128 bytes of loads in flight for each thread, 32-bit indices inside a tile, streaming hints for what is
// touched once, whole tiles without checks and one tail path, no division in the index.
#pragma once
#include <cuda_fp16.h>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

template <int Bytes> struct raw;
template <> struct raw<4> { using type = uint32_t; };
template <> struct raw<8> { using type = uint2; };
template <> struct raw<16> { using type = uint4; };

template <class T, int W> struct pack { T v[W]; };

template <class T, int W>
__device__ __forceinline__ pack<T, W> load(const T* p) {
  constexpr int bytes = int(sizeof(T)) * W, step = bytes < 16 ? bytes : 16;
  using R = typename raw<step>::type;
  R r[bytes / step];
#pragma unroll
  for (int k = 0; k < bytes / step; ++k) r[k] = __ldcs(reinterpret_cast<const R*>(p) + k);
  pack<T, W> x;
  memcpy(&x, r, bytes);
  return x;
}
template <class T, int W>
__device__ __forceinline__ void store(T* p, const pack<T, W>& x) {
  constexpr int bytes = int(sizeof(T)) * W, step = bytes < 16 ? bytes : 16;
  using R = typename raw<step>::type;
  R r[bytes / step];
  memcpy(r, &x, bytes);
#pragma unroll
  for (int k = 0; k < bytes / step; ++k) __stcs(reinterpret_cast<R*>(p) + k, r[k]);
}

template <class T, class F>
__device__ __forceinline__ T warp_all(T x, F f) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = f(x, __shfl_xor_sync(~0u, x, d));
  return x;
}
template <int Warps, class T, class F>
__device__ __forceinline__ T block_all(T x, F f) {
  __shared__ T cells[Warps];
  x = warp_all(x, f);
  if ((threadIdx.x & 31) == 0) cells[threadIdx.x >> 5] = x;
  __syncthreads();
  x = cells[threadIdx.x & (Warps - 1)];
  return warp_all(x, f);
}
struct plus { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct most { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };

