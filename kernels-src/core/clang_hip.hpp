// HIP's language where Clang compiles for AMD's GPUs; the rest is clang_gpu.hpp's.
#pragma once
#include "kiln/core/clang_gpu.hpp"

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
KILN_DEVICE_FN long long clock64() {
  return static_cast<long long>(__builtin_readcyclecounter());
}
KILN_DEVICE_FN long long clock() {
  return clock64();
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
