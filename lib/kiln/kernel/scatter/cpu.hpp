// Walks a launch of Ufunc::at on the CPU: indices to offsets, a block at a time, and the kernel's loops over them.
#pragma once

#include "device/cpu/threads.hpp"
#include "kernel/scatter/launch.hpp"
#include "kernels-src/scatter/abi.hpp"

namespace kiln::kinds {

/// Applies everything in the order of the positions. Threads share the columns of long rows, never the positions: the result
/// does not depend on their number.
void run_scatter(const CpuScatterParts& kernel, const ScatterLaunch& launch, const cpu::LaunchThreads& threads);

}  // namespace kiln::kinds
