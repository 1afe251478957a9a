// Walks a launch of Ufunc::at on the CPU: indices to offsets, a block at a time, and the kernel's loops over them.
#pragma once

#include "backend/cpu/threads.hpp"
#include "backend/kernel_abi.hpp"
#include "backend/scatter_launch.hpp"

namespace kiln::backend::cpu {

/// Applies everything in the order of the positions. Threads share the columns of long rows, never the positions: the result
/// does not depend on their number.
void run_scatter(const CpuScatterParts& kernel, const ScatterLaunch& launch, Threads& threads);

}  // namespace kiln::backend::cpu
