// Launches of raw kernels on the CPU that find races.
#pragma once

#include "device/cpu/module.hpp"
#include "kernel/raw/launch.hpp"

namespace kiln::kinds {

/// Runs the kernel, which has races(), in the caller and returns when all is done: one thread at a time, those of a block to
/// their next barrier in turn. `arguments` are those of the kernel. Its faults are in the module's buffer. DeviceError for
/// blocks of which too many threads wait.
void run_race(const backend::cpu::CpuModule& module, const RawLaunch& launch, void* const* arguments, void* shared);

}  // namespace kiln::kinds
