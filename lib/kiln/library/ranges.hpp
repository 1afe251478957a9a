// Ranges of calls in the vendors' profilers: NVTX and ROCTX, where their libraries are. Each thread has a stack of them.
#pragma once

namespace kiln::backend {

/// Begins a range of this thread. Opens the libraries at the first one; without any it is a line of the log, once.
void push_range(const char* name) noexcept;
/// Ends the range that this thread began last.
void pop_range() noexcept;

}  // namespace kiln::backend
