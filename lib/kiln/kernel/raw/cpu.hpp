// Launches of raw kernels on the CPU.
#pragma once

#include "device/cpu/module.hpp"
#include "device/cpu/threads.hpp"
#include "kernel/raw/launch.hpp"

namespace kiln::kinds {

/// Runs the kernel and returns when all is done: items as an elementwise kernel's elements, blocks several at once.
void run_raw(const cpu::CpuModule& module, const RawLaunch& launch, const cpu::LaunchThreads& threads);

}  // namespace kiln::kinds
