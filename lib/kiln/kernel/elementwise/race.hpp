// Launches of elementwise kernels on the CPU that find races among raw outputs.
#pragma once

#include "device/cpu/module.hpp"
#include "device/stop_request.hpp"
#include "kernel/elementwise/launch.hpp"
#include "kernels-src/elementwise/abi.hpp"

namespace kiln::kinds {

/// Runs the kernel, which has races(), in the caller, one element at a time in their order. Its faults are in the module's
/// buffer. Throws Stopped if `stop` is due.
void run_race(const backend::cpu::CpuModule& module, const ElementwiseLaunch& launch, const CpuLaunch& call,
              const backend::StopRequest* stop);

}  // namespace kiln::kinds
