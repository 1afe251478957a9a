#pragma once

#include <cstddef>
#include <string>

namespace kiln::base {

/// Bytes of memory that this process may use: the machine's, or the least of what its control groups (containers, jobs of a
/// scheduler) and RLIMIT_AS allow. 0 where nobody says. `groups` is the process's list of control groups, `mounted` where
/// they are; for tests.
[[nodiscard]] std::size_t usable_memory(const std::string& groups = "/proc/self/cgroup",
                                        const std::string& mounted = "/sys/fs/cgroup");

}  // namespace kiln::base
