// How a kernel of Ufunc::at is called. kernels-src/scatter_*.hpp is the other side; change both together.
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

// A kernel of Ufunc::at on the CPU: extern "C" void kiln_kernel(const CpuScatterParts**) gives its loops, which
// kernels-src/scatter_cpu.hpp has; cpu.cpp calls them. Strides and offsets are bytes.
struct CpuScatterAxis {
  char* target;
  std::int64_t stride;
  std::int64_t extent;
};
struct CpuScatterParts {
  // One element for each offset from `target`, in order.
  void (*points)(char* target, const std::int64_t* offsets, const char* value, std::int64_t value_stride, std::int64_t count);
  // One element for each packed index, in order; negative ones count from the end.
  void (*of_int64)(const CpuScatterAxis& axis, const std::int64_t* indices, const char* value, std::int64_t value_stride,
                   std::int64_t count);
  void (*of_int32)(const CpuScatterAxis& axis, const std::int32_t* indices, const char* value, std::int64_t value_stride,
                   std::int64_t count);
  // `count` different elements.
  void (*row)(char* target, std::int64_t target_stride, const char* value, std::int64_t value_stride, std::int64_t count);
};

}  // namespace kiln::kinds
