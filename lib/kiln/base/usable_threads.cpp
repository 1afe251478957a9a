#include "base/usable_threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace kiln::base {

int usable_threads() {
  // Sized for the machine: a cpu_set_t holds 1024 processors, and the call fails where there are more.
  for (int processors = 1024; processors <= 65536; processors *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(processors));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int count = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(count, 1);
  }
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

}  // namespace kiln::base
