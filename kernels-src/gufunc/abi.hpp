// How the kernel of a generalized ufunc is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
//
// GPU, generalized ufunc: __global__ kiln_kernel(Index n, Space space, core numbers, P0, P1, …): the space has the dimensions
// of the loop, then those of .each with strides of 0; core is struct { int64 size[D]; int64 stride[S]; }, each of one at least,
// with the core dimensions' sizes and every operand's core strides. A mask is an operand between inputs and outputs.
//
// GPU, staged: __global__ kiln_kernel(uint32 n, Space space, core numbers, StagedCall call, P0, P1, …): the space has the
// dimensions of the loop alone. A block computes up to call.items neighbours along the innermost one, whose extent counts such
// blocks. Dynamic shared memory has copies of cores: those of an item consecutively, each aligned to a cell, item after
// item, and then the cores that all items share.
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

struct StagedCall {
  uint32 items;    // of a block, at most
  uint32 columns;  // items along the innermost dimension of the loop
  uint32 threads;  // of a block
  uint32 wide;     // a bit for each operand: its cores are copied by words that are wider than its elements
  uint32 keeps;    // whether outputs hold what a body may leave as it is: .out of the call
};

// A window: so many bytes of a core, for each thread of a block of so many.
constexpr int kWindowBytes = 128;
constexpr int kWindowThreads = 128;

// Bytes of a core in whole cells.
constexpr uint32 staged_bytes(uint32 bytes, uint32 cell) {
  return (bytes + cell - 1) / cell * cell;
}
// Bytes from an item to the next one, whose cores take `bytes`: an odd number of cells, so that the banks of an element differ
// between neighbours.
constexpr uint32 staged_pitch(uint32 bytes, uint32 cell) {
  return bytes / cell % 2 == 0 ? bytes + cell : bytes;
}

}  // namespace kiln::kinds
