// Whether the process was forked after kiln was in use: threads and GPU contexts do not survive that.
#pragma once

namespace kiln::base {

/// Whether this process was forked from one that used kiln: GPU calls are errors there, and the CPU runs in one thread. False
/// where watch_forks() was not called before the fork. Thread-safe.
[[nodiscard]] bool forked() noexcept;
/// Starts watching. Whoever opens a device, a GPU's driver or its compiler calls it. Cheap when repeated. Thread-safe.
void watch_forks();

}  // namespace kiln::base
