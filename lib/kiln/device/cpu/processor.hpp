// Facts about this machine for DeviceInfo, from the operating system.
#pragma once

#include <cstdint>
#include <string>

namespace kiln::backend::cpu {

/// "Intel(R) Xeon(R) Processor"; "CPU" where the system does not say.
std::string processor_name();

/// Main memory.
std::int64_t memory_bytes();

/// The last-level cache; 0 where the system does not say.
std::int64_t cache_bytes();

}  // namespace kiln::backend::cpu
