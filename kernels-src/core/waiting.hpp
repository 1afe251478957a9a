// Threads of a block that wait for one another on the CPU. The library and the kernels include this file, behind
// core/types.hpp or device/kernel_abi.hpp, which have the integers.
#pragma once

namespace kiln::kinds {

// Where what threads have at a barrier is kept until they go on: new_frame() gives memory for one of them, which is given
// again from begin_block() on. Of a launch that one thread of the host runs.
struct CpuWaiting {
  void* owner = nullptr;
  void* (*new_frame)(void* owner, int64 bytes) = nullptr;
  void (*begin_block)(void* owner) = nullptr;
};

}  // namespace kiln::kinds
