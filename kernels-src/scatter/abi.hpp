// How a kernel of Ufunc::at is called. The library and the kernels include this file,
// behind core/types.hpp or backend/kernel_abi.hpp, which have the integers.
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

// What a GPU's kernel takes.
struct ScatterSpace {
  struct Index {
    const void* data;
    int64 extent;
    int64 stride;      // of the target
    int64 strides[8];  // of the array, over the positions
    int32 size;        // of an index
    int32 is_signed;
  };
  void* target;
  const void* value;
  const int64* order;   // positions, those of one target together
  const int64* starts;  // of each target in `order`, and the end
  uint64* bad;          // the first position with an index out of range
  int64 positions;
  int64 row;   // elements
  int64 work;  // elements that pass 1 changes: those of a row for each position, or for each different target
  int64 shape[8];
  int64 row_shape[8];
  int64 target_strides[8];
  int64 value_strides[16];
  Index index[8];
  int32 indices;
  int32 rank;
  int32 row_rank;
  int32 pass;  // 0: looks for bad indices; 1: changes the target
};

}  // namespace kiln::kinds
