// Walks a launch of Ufunc::accumulate on the CPU: elements into lanes, and the kernel's loops over them.
#pragma once

#include <cstdint>

#include "device/cpu/threads.hpp"
#include "kernel/scan/launch.hpp"
#include "kernels-src/scan/abi.hpp"

namespace kiln::kinds {

/// How the running results are computed. The choice, and all grouping of a reorderable function, is by shape and strides:
/// results do not depend on the number of threads.
enum class ScanMethod : std::uint8_t {
  lanes,     ///< many adjacent running results, each strictly from the first element to the last
  segments,  ///< one long one: segments of it in parallel, then joined (reorderable functions)
  serial,    ///< one element after the other
};

/// Pure.
[[nodiscard]] ScanMethod scan_method(const ScanLaunch& launch, std::int64_t itemsize) noexcept;

void run_scan(const CpuScanParts& kernel, const ScanLaunch& launch, const cpu::LaunchThreads& threads);

}  // namespace kiln::kinds
