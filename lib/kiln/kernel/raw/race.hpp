// Launches of raw kernels on the CPU that find races.
#pragma once

#include "device/cpu/module.hpp"
#include "device/stop_request.hpp"
#include "kernel/race_checker.hpp"
#include "kernel/raw/launch.hpp"

namespace kiln::kinds {

/// The launch as a RaceChecker takes it.
[[nodiscard]] RacedLaunch raced(const RawLaunch& launch);

/// Runs the kernel, which has races(), in the caller and returns when all is done: one thread at a time, those of a block to
/// their next barrier in turn. `arguments` are those of the kernel. Its faults are in the module's buffer. DeviceError for
/// blocks of which too many threads wait. Throws Stopped if `stop` is due.
void run_race(const backend::cpu::CpuModule& module, const RawLaunch& launch, void* const* arguments, void* shared,
              const backend::StopRequest* stop);

}  // namespace kiln::kinds
