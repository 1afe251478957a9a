// How the kernel of a generalized ufunc is called. The library and the kernels include this file,
// behind core/types.hpp or backend/kernel_abi.hpp, which have the integers.
//
// GPU, generalized ufunc: __global__ kiln_kernel(Index n, Space space, core numbers, P0, P1, …): the space has the dimensions
// of the loop, then those of .each with strides of 0; core is struct { int64 size[D]; int64 stride[S]; }, each of one at least,
// with the core dimensions' sizes and every operand's core strides. A mask is an operand between inputs and outputs.
#pragma once

namespace kiln::kinds {

// A generalized ufunc on the CPU: extern "C" void kiln_kernel(const CpuGufuncLaunch*, int64 begin, int64 end) computes units
// [begin, end): an item of the loop, or a tile of one where the kernel spreads core dimensions. kernels-src/gufunc/cpu.hpp is
// the other side.
struct CpuWaiting;
struct CpuGufuncLaunch {
  char* const* data;     // inputs, the mask if there is one, outputs; of a scalar the address of its value
  const int64* shape;    // of the loop, `rank` extents
  const int64* strides;  // bytes, [operand][dimension of the loop]
  int64 rank;
  const int64* sizes;                 // of the core dimensions
  const int64* core;                  // bytes, strides of each operand's core dimensions, one operand behind the other
  const int64* tile;                  // of each spread dimension what a unit takes
  const int64* tiles;                 // and how many units that makes
  int64 keeps;                        // whether outputs hold what a body may leave as it is: .out of the call
  const CpuWaiting* waits = nullptr;  // of teams, whose threads wait for one another (core/waiting.hpp)
};
using CpuGufuncKernel = void (*)(const CpuGufuncLaunch* launch, int64 begin, int64 end);

}  // namespace kiln::kinds
