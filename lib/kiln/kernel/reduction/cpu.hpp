// A reduction on the CPU: cut, shared between threads, and put together again.
#pragma once

#include "device/cpu/module.hpp"
#include "device/cpu/threads.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernels-src/reduction/abi.hpp"

namespace kiln::kinds {

/// What the kernel tells of itself.
[[nodiscard]] inline const CpuReduction& reduction_of(const cpu::CpuModule& module) {
  return *module.kernel<CpuReductionKernel>()();
}

/// Runs it and returns when all is done. The result is the same for any number of threads.
void reduce(const cpu::CpuModule& module, const ReductionLaunch& launch, const cpu::LaunchThreads& threads);

/// The same of every segment: each result is that of a reduction of its own.
void reduce_segments(const cpu::CpuModule& module, const ReductionLaunch& launch, const cpu::LaunchThreads& threads);

}  // namespace kiln::kinds
