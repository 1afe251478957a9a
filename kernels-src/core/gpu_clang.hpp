// CUDA's and HIP's language where Clang compiles for a GPU: what the vendors' own headers would declare of it. portable.hpp
// includes it for that compiler alone.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
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

#if __NVPTX__

KILN_PLACE(threadIdx, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z())
KILN_PLACE(blockIdx, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z())
KILN_PLACE(blockDim, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z())
KILN_PLACE(gridDim, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z())
constexpr int warpSize = 32;

// __syncthreads() is Clang's own.
KILN_DEVICE_FN int __syncthreads_count(int x) {
  return __nvvm_bar0_popc(x);
}
KILN_DEVICE_FN int __syncthreads_and(int x) {
  return __nvvm_bar0_and(x);
}
KILN_DEVICE_FN int __syncthreads_or(int x) {
  return __nvvm_bar0_or(x);
}
KILN_DEVICE_FN void __syncwarp(unsigned int mask = 0xffffffffu) {
  __nvvm_bar_warp_sync(mask);
}
KILN_DEVICE_FN void __threadfence_block() {
  __nvvm_membar_cta();
}
KILN_DEVICE_FN void __threadfence() {
  __nvvm_membar_gl();
}
KILN_DEVICE_FN void __threadfence_system() {
  __nvvm_membar_sys();
}
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
KILN_DEVICE_FN long long clock64() {
  return static_cast<long long>(__nvvm_read_ptx_sreg_clock64());
}
KILN_DEVICE_FN unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
KILN_DEVICE_FN int __all_sync(unsigned int mask, int x) {
  return __nvvm_vote_all_sync(mask, x != 0);
}
KILN_DEVICE_FN int __any_sync(unsigned int mask, int x) {
  return __nvvm_vote_any_sync(mask, x != 0);
}
KILN_DEVICE_FN unsigned int __ballot_sync(unsigned int mask, int x) {
  return __nvvm_vote_ballot_sync(mask, x != 0);
}

// A shuffle of 32 bits becomes one of any type of 4 or 8 bytes, in words.
#define KILN_SHUFFLE(name, call)                                                     \
  template <class T>                                                                 \
  KILN_DEVICE_FN T name(unsigned int mask, T x, int at, int width = 32) {            \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 4 or 8 bytes"); \
    struct words {                                                                   \
      int word[sizeof(T) / 4];                                                       \
    };                                                                               \
    words all = __builtin_bit_cast(words, x);                                        \
    for (int& word : all.word) word = call;                                          \
    return __builtin_bit_cast(T, all);                                               \
  }
KILN_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32(mask, word, at, ((32 - width) << 8) | 31))
KILN_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32(mask, word, at, (32 - width) << 8))
KILN_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32(mask, word, at, ((32 - width) << 8) | 31))
KILN_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32(mask, word, at, ((32 - width) << 8) | 31))
#undef KILN_SHUFFLE

#define KILN_ATOMIC(call, ...) __atomic_##call(__VA_ARGS__, __ATOMIC_RELAXED)
#define KILN_COMPARE_EXCHANGE(at, expected, value) \
  __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#else

KILN_PLACE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
KILN_PLACE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
KILN_PLACE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
           __builtin_amdgcn_workgroup_size_z())
// A grid of HIP's is whole blocks; what the hardware counts are its threads.
KILN_PLACE(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
           __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
           __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE__;

KILN_DEVICE_FN void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KILN_DEVICE_FN void __threadfence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
KILN_DEVICE_FN void __threadfence() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
KILN_DEVICE_FN void __threadfence_system() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
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
KILN_DEVICE_FN long long clock64() {
  return static_cast<long long>(__builtin_readcyclecounter());
}
KILN_DEVICE_FN int __lane_id() {
  return static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)));
}
// One bit for each lane of the wave that is running.
KILN_DEVICE_FN unsigned long long __ballot(int x) {
#if __AMDGCN_WAVEFRONT_SIZE__ == 64
  return __builtin_amdgcn_ballot_w64(x != 0);
#else
  return __builtin_amdgcn_ballot_w32(x != 0);
#endif
}
KILN_DEVICE_FN int __any(int x) {
  return __ballot(x) != 0;
}
KILN_DEVICE_FN int __all(int x) {
  return __ballot(x) == __ballot(1);
}

// The value of the lane `from`, in words of 32 bits.
template <class T>
KILN_DEVICE_FN T kiln_of_lane(T x, int from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 4 or 8 bytes");
  struct words {
    int word[sizeof(T) / 4];
  };
  words all = __builtin_bit_cast(words, x);
  for (int& word : all.word) word = __builtin_amdgcn_ds_bpermute(from << 2, word);
  return __builtin_bit_cast(T, all);
}
template <class T>
KILN_DEVICE_FN T __shfl(T x, int at, int width = warpSize) {
  const int lane = __lane_id();
  return kiln_of_lane(x, (at & (width - 1)) + (lane & ~(width - 1)));
}
template <class T>
KILN_DEVICE_FN T __shfl_up(T x, unsigned int distance, int width = warpSize) {
  const int lane = __lane_id(), from = lane - static_cast<int>(distance);
  return kiln_of_lane(x, from < (lane & ~(width - 1)) ? lane : from);
}
template <class T>
KILN_DEVICE_FN T __shfl_down(T x, unsigned int distance, int width = warpSize) {
  const int lane = __lane_id(), from = lane + static_cast<int>(distance);
  return kiln_of_lane(x, (lane & (width - 1)) + static_cast<int>(distance) >= width ? lane : from);
}
template <class T>
KILN_DEVICE_FN T __shfl_xor(T x, int mask, int width = warpSize) {
  const int lane = __lane_id(), from = lane ^ mask;
  return kiln_of_lane(x, from >= ((lane + width) & ~(width - 1)) ? lane : from);
}

#define KILN_ATOMIC(call, ...) __hip_atomic_##call(__VA_ARGS__, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define KILN_COMPARE_EXCHANGE(at, expected, value) \
  __hip_atomic_compare_exchange_strong(at, expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

#endif

// What was in memory before, as CUDA and HIP have it.
#define KILN_ATOMIC_OF(T)                                  \
  KILN_DEVICE_FN T atomicCAS(T* at, T expected, T value) { \
    KILN_COMPARE_EXCHANGE(at, &expected, value);           \
    return expected;                                       \
  }                                                        \
  KILN_DEVICE_FN T atomicAdd(T* at, T value) {             \
    return KILN_ATOMIC(fetch_add, at, value);              \
  }                                                        \
  KILN_DEVICE_FN T atomicMin(T* at, T value) {             \
    return KILN_ATOMIC(fetch_min, at, value);              \
  }                                                        \
  KILN_DEVICE_FN T atomicMax(T* at, T value) {             \
    return KILN_ATOMIC(fetch_max, at, value);              \
  }                                                        \
  KILN_DEVICE_FN T atomicAnd(T* at, T value) {             \
    return KILN_ATOMIC(fetch_and, at, value);              \
  }                                                        \
  KILN_DEVICE_FN T atomicOr(T* at, T value) {              \
    return KILN_ATOMIC(fetch_or, at, value);               \
  }                                                        \
  KILN_DEVICE_FN T atomicXor(T* at, T value) {             \
    return KILN_ATOMIC(fetch_xor, at, value);              \
  }                                                        \
  KILN_DEVICE_FN T atomicExch(T* at, T value) {            \
    T before = *at;                                        \
    while (!KILN_COMPARE_EXCHANGE(at, &before, value)) {   \
    }                                                      \
    return before;                                         \
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
#undef KILN_COMPARE_EXCHANGE
#undef KILN_PLACE

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
