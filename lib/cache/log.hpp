// The one line that each fault of the disk tier gets, handed to the callback of cache::set_log.
#pragma once

#include <string_view>

namespace kiln::cache {

/// Calls the callback, if there is one, with this line. Thread-safe; an exception of the callback is dropped.
void log_line(std::string_view line) noexcept;

}  // namespace kiln::cache
