// How a kernel of Ufunc::accumulate is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

// A kernel of Ufunc::accumulate on the CPU: extern "C" void kiln_kernel(const CpuScanParts**) gives its loops, which
// kernels-src/scan/cpu.hpp has; cpu.cpp calls them. "in", "out" and "t" are consecutive elements: of the input,
// of the output, and of the type that is combined. A lane is one running result. Counts are in whole blocks of kCpuBlock lanes
// but for fold and chain.
struct CpuScanParts {
  void (*first)(const void* in, void* t, int64 lanes);                     // t = in
  void (*next)(const void* before, const void* in, void* t, int64 lanes);  // t = f(before, in)
  void (*rows)(const void* in, void* t, int64 rows, int64 lanes);          // t[r] = f(t[r - 1], in[r]), r = 0 …
  void (*join)(const void* before, void* t, int64 rows, int64 lanes);      // t[r] = f(before, t[r])
  void (*last)(const void* t, void* out, int64 lanes);                     // out = t; null: they are the same
  // t[i] = f(t[i - 1], in[i]) one after the other, from t[-1] on.
  void (*fold)(const void* in, void* t, int64 count);
  // before[i] = *carry, *carry = f(*carry, t[i]) one after the other.
  void (*chain)(const void* t, void* before, void* carry, int64 count);
  int64 in_size;
  int64 t_size;
  int64 out_size;
  int64 in_is_t;  // they are one type: "in" and "t" may be the same elements
  // Debug mode, else null: the number of the element that the next fold() begins with. The others that apply f are null then:
  // each element is computed once.
  void (*first_item)(int64 item);
};

// What a launch of a GPU's kernel does.
enum ScanPass : int32 {
  kScanResults,  // all there is, behind kScanTotals where lines are cut into chunks
  kScanTotals,   // what all chunks but the last amount to
  kScanClear     // before results of chunks that look back: nothing is known of any
};

// What a GPU's kernel takes beside its pointers: `lines` running results, each of `extent` elements.
struct ScanSpace {
  int64 extent;
  int64 in_stride;
  int64 out_stride;
  int64 chunk;  // elements of a line that one team takes
  int64 in_strides[8];
  int64 out_strides[8];
  uint32 shape[8];  // of the lines, the nearest last
  uint32 magic[8];  // with shift: divides by the extent
  uint32 shift[8];
  uint32 lines;  // below 2^31
  uint32 chunks;
  uint32 tiles;        // of a whole chunk
  uint32 first_block;  // those before it are other launches'
  int32 rank;
  int32 lane_bits;  // 2^lane_bits lanes of each warp of a team share a line
  int32 warp_bits;  // 2^warp_bits warps are a team
  int32 pass;       // a ScanPass
};

}  // namespace kiln::kinds
