// How a kernel of Ufunc::at is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

// A kernel of Ufunc::at on the CPU: extern "C" void kiln_kernel(const CpuScatterParts**) gives its loops, which
// kernels-src/scatter/cpu.hpp has; cpu.cpp calls them. Strides and offsets are bytes.
struct CpuScatterAxis {
  char* target;
  int64 stride;
  int64 extent;
};
struct CpuScatterParts {
  // One element for each offset from `target`, in order.
  void (*points)(char* target, const int64* offsets, const char* value, int64 value_stride, int64 count);
  // One element for each packed index, in order; negative ones count from the end.
  void (*of_int64)(const CpuScatterAxis& axis, const int64* indices, const char* value, int64 value_stride, int64 count);
  void (*of_int32)(const CpuScatterAxis& axis, const int32* indices, const char* value, int64 value_stride, int64 count);
  // `count` different elements.
  void (*row)(char* target, int64 target_stride, const char* value, int64 value_stride, int64 count);
  // Debug mode, else null: the number of the position that the next call begins with.
  void (*first_item)(int64 item);
};

// GPU: kiln_kernel(const ScatterCall call, Shape shape). Shape is that of kernels-src/elementwise/abi.hpp's Space over the
// merged dimensions of the positions and then of a row; its operands are the arrays of indices, the target, the value. A kernel
// for any layout takes a ScatterAnyShape. Elements are numbered in C order over positions and row.
struct ScatterCall {
  struct Index {
    const void* data;
    int64 extent;
    int64 stride;  // of the target
  };
  void* target;
  const void* value;
  const int64* order;   // positions, those of one target together
  const int64* starts;  // of each target in `order`, and the end
  uint32* bad;          // not 0 where an index is out of range; null: none is
  uint64 positions;
  uint64 row;   // elements
  uint64 work;  // elements that are changed: those of a row for each position, or for each different target
  // Kernels with bins, which are the target's window of memory, from its lowest address on: each block's go to `copies`.
  void* copies;
  uint32 bins;
  uint32 blocks;
  int64 origin;  // of the target in the window, in bytes
  int32 pass;    // 0: looks for bad indices and fills bins; 1: changes the target
  Index index[8];
};
struct ScatterAnyShape {
  int64 positions[8];
  int64 row[8];
  int64 index_strides[8][8];
  int64 target_strides[8];
  int64 value_strides[16];
  int32 index_size[8];
  int32 index_is_signed[8];
  int32 indices;
  int32 rank;
  int32 row_rank;
};
// Elements of a thread whose loads are in flight together, in kernels for one layout that keep no order.
inline constexpr int32 kScatterUnroll = 4;
// Copies of bins that a thread adds up before it changes the target.
inline constexpr uint32 kScatterCopiesEach = 16;

}  // namespace kiln::kinds
