// How the kernel of a generalized ufunc is called. kernels-src/gufunc_*.hpp is the other side; change both together.
//
// GPU, generalized ufunc: __global__ kiln_kernel(Index n, Space space, core numbers, P0, P1, …): the space has the dimensions
// of the loop, then those of .each with strides of 0; core is struct { int64 size[D]; int64 stride[S]; }, each of one at least,
// with the core dimensions' sizes and every operand's core strides. A mask is an operand between inputs and outputs.
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

// A generalized ufunc on the CPU: extern "C" void kiln_kernel(const CpuGufuncLaunch*, int64 begin, int64 end) computes units
// [begin, end): an item of the loop, or a tile of one where the kernel spreads core dimensions. kernels-src/gufunc_cpu.hpp is
// the other side.
struct CpuGufuncLaunch {
  void* const* data;            // inputs, the mask if there is one, outputs; of a scalar the address of its value
  const std::int64_t* shape;    // of the loop, `rank` extents
  const std::int64_t* strides;  // bytes, [operand][dimension of the loop]
  std::int64_t rank;
  const std::int64_t* sizes;  // of the core dimensions
  const std::int64_t* core;   // bytes, strides of each operand's core dimensions, one operand behind the other
  const std::int64_t* tile;   // of each spread dimension what a unit takes
  const std::int64_t* tiles;  // and how many units that makes
  std::int64_t keeps;         // whether outputs hold what a body may leave as it is: .out of the call
};
using CpuGufuncKernel = void (*)(const CpuGufuncLaunch* launch, std::int64_t begin, std::int64_t end);

}  // namespace kiln::kinds
