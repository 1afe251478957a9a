// How a raw kernel is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

// A raw kernel that is launched by blocks: extern "C" void kiln_kernel(const CpuRawLaunch*, int64 begin, int64 end) runs every
// thread of the blocks [begin, end), numbered with x varying fastest. One that is launched by items takes a CpuRawItems and
// runs [begin, end). GPUs' kernels take the user's parameters, by items with an int64 before them: how many. A view is the
// address of its first element; its RawAxes come by value behind all parameters, in the order of the views.
template <unsigned Rank>
struct RawAxes {
  int64 extent[Rank];
  int64 stride[Rank];  // bytes, of any sign
};

struct CpuWaiting;
struct CpuRawLaunch {
  // The address of a pointer's or view's first element, or of a scalar's value; behind all of them, those of the RawAxes.
  void* const* arguments;
  int64 grid[3];
  int64 block[3];
  void* shared;  // dynamic shared memory of the block that runs
  // Of kernels whose threads wait for one another (core/waiting.hpp): room for the address of each.
  const CpuWaiting* waits = nullptr;
  void** waiting = nullptr;
  int64 shared_bytes = 0;  // of `shared`
};
struct CpuRawItems {
  void* const* arguments;
  int64 size;
};
// By items [begin, end). By blocks: those blocks; in a kernel that finds races (race.hpp) the thread `end` of the block
// `begin`.
using CpuRawItemsKernel = void (*)(const CpuRawItems* launch, int64 begin, int64 end);
using CpuRawKernel = void (*)(const CpuRawLaunch* launch, int64 begin, int64 end);

}  // namespace kiln::kinds
