// CUDA's language where Clang compiles for NVIDIA's GPUs; the rest is clang_gpu.hpp's, and cuda_quick.hpp's.
#pragma once
#define KILN_BYTE_PERM(x, y, which) static_cast<unsigned int>(__nvvm_prmt(x, y, which))
#include "kiln/core/clang_gpu.hpp"

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

// Which lanes hold the same, and whether all do; numbers of all lanes of a mask.
#define KILN_MATCH(T, bits)                                                        \
  KILN_DEVICE_FN unsigned int __match_any_sync(unsigned int mask, T x) {           \
    return __nvvm_match_any_sync_i##bits(mask, x);                                 \
  }                                                                                \
  KILN_DEVICE_FN unsigned int __match_all_sync(unsigned int mask, T x, int* all) { \
    return __nvvm_match_all_sync_i##bits##p(mask, x, all);                         \
  }
KILN_MATCH(int, 32)
KILN_MATCH(unsigned int, 32)
KILN_MATCH(long long, 64)
KILN_MATCH(unsigned long long, 64)
#undef KILN_MATCH
#define KILN_REDUCE(name, call, T)                          \
  KILN_DEVICE_FN T name(unsigned int mask, T x) {           \
    return static_cast<T>(call(x, static_cast<int>(mask))); \
  }
#if KILN_WARP_REDUCTIONS
KILN_REDUCE(__reduce_add_sync, __nvvm_redux_sync_add, int)
KILN_REDUCE(__reduce_add_sync, __nvvm_redux_sync_add, unsigned int)
KILN_REDUCE(__reduce_min_sync, __nvvm_redux_sync_min, int)
KILN_REDUCE(__reduce_min_sync, __nvvm_redux_sync_umin, unsigned int)
KILN_REDUCE(__reduce_max_sync, __nvvm_redux_sync_max, int)
KILN_REDUCE(__reduce_max_sync, __nvvm_redux_sync_umax, unsigned int)
KILN_REDUCE(__reduce_and_sync, __nvvm_redux_sync_and, unsigned int)
KILN_REDUCE(__reduce_or_sync, __nvvm_redux_sync_or, unsigned int)
KILN_REDUCE(__reduce_xor_sync, __nvvm_redux_sync_xor, unsigned int)
#endif
#undef KILN_REDUCE

KILN_DEVICE_FN unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  unsigned short seen;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(seen) : "l"(at), "h"(expected), "h"(value) : "memory");
  return seen;
}
KILN_DEVICE_FN long long clock() {
  return __nvvm_read_ptx_sreg_clock();
}
KILN_DEVICE_FN void __nanosleep(unsigned int nanoseconds) {
  asm volatile("nanosleep.u32 %0;" : : "r"(nanoseconds));
}
KILN_DEVICE_FN void __trap() {
  __builtin_trap();
}

#if __FAST_MATH__
#define KILN_APPROXIMATE_LIBM 1
// The functions of float32 that NVRTC's -use_fast_math makes of a few approximate instructions, by the same ones. Subnormal
// numbers count as 0; the bounds are CUDA's of __expf, __logf, ….
namespace kiln::approximate {

KILN_DEVICE_FN float exp2f(float x) {
  return __nvvm_ex2_approx_ftz_f(x);
}
KILN_DEVICE_FN float expf(float x) {
  return exp2f(x * 0x1.715476p+0f);
}
KILN_DEVICE_FN float log2f(float x) {
  return __nvvm_lg2_approx_ftz_f(x);
}
KILN_DEVICE_FN float logf(float x) {
  return log2f(x) * 0x1.62e430p-1f;
}
KILN_DEVICE_FN float log10f(float x) {
  return log2f(x) * 0x1.344136p-2f;
}
KILN_DEVICE_FN float powf(float x, float y) {
  return exp2f(y * log2f(x));
}
KILN_DEVICE_FN float sinf(float x) {
  return __nvvm_sin_approx_ftz_f(x);
}
KILN_DEVICE_FN float cosf(float x) {
  return __nvvm_cos_approx_ftz_f(x);
}
KILN_DEVICE_FN float tanf(float x) {
  return __nvvm_div_approx_ftz_f(sinf(x), cosf(x));
}

}  // namespace kiln::approximate
#endif
