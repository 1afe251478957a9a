// How a raw kernel is called. kernels-src/raw_*.hpp is the other side; change both together.
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

// A raw kernel that is launched by blocks: extern "C" void kiln_kernel(const CpuRawLaunch*, int64 begin, int64 end) runs every
// thread of the blocks [begin, end), numbered with x varying fastest. One that is launched by items takes a CpuLaunch, of which
// it reads `data`, and runs [begin, end). kernels-src/raw_cpu.hpp is the other side; raw_gpu.hpp of the GPUs' kernels, whose
// parameters are the user's, by items with an int64 before them: how many.
struct CpuRawLaunch {
  void* const* arguments;  // an array's address, or that of a scalar's value
  std::int64_t grid[3];
  std::int64_t block[3];
  void* shared;  // dynamic shared memory of the block that runs
};
using CpuRawKernel = void (*)(const CpuRawLaunch* launch, std::int64_t begin, std::int64_t end);

}  // namespace kiln::kinds
