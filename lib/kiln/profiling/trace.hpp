// Records as Chrome's trace events, which Perfetto reads.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kiln/profile.hpp"

namespace kiln::profiling {

/// A JSON array of `X` events in the order in which they begin, with names of processes and threads. A host thread is a thread
/// of the process; a device is a process of its own, with a thread for each stream. The CPU's default stream is its callers.
[[nodiscard]] std::string trace_json(std::span<const CallRecord> records, std::size_t dropped);

/// IoError names the path.
void write_trace(const std::string& path, std::span<const CallRecord> records, std::size_t dropped);

}  // namespace kiln::profiling
