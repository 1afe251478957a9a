// Launches of raw kernels on the CPU.
#pragma once

#include "backend/cpu/module.hpp"
#include "backend/cpu/threads.hpp"
#include "backend/raw_launch.hpp"

namespace kiln::backend::cpu {

/// Runs the kernel and returns when all is done: items as an elementwise kernel's elements, blocks several at once.
void run_raw(const CpuModule& module, const RawLaunch& launch, Threads& threads);

}  // namespace kiln::backend::cpu
