#pragma once

namespace kiln::base {

/// Hardware threads that this process may use (taskset, cgroup cpusets); at least 1.
[[nodiscard]] int usable_threads();

}  // namespace kiln::base
