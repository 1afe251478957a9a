// Facts about this machine for DeviceInfo, from the operating system.
#pragma once

#include <cstdint>
#include <string>

namespace kiln::backend::cpu {

/// "Intel(R) Xeon(R) Processor"; "CPU" where the system does not say.
std::string processor_name();

/// Hardware threads that this process may use (taskset, cgroup cpusets); at least 1.
int usable_threads();

/// Main memory.
std::int64_t memory_bytes();

/// The last-level cache; 0 where the system does not say.
std::int64_t cache_bytes();

}  // namespace kiln::backend::cpu
