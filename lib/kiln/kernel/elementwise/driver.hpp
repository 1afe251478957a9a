// What an elementwise kernel calls on the CPU: CpuLaunch::drive.
#pragma once

#include "device/kernel_abi.hpp"
#include "kernels-src/elementwise/abi.hpp"

namespace kiln::kinds {

void drive_cpu_kernel(const CpuLaunch* launch, std::int64_t begin, std::int64_t end, const CpuKernelParts* kernel);

}  // namespace kiln::kinds
