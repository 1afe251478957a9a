// The one line that each fault gets which fails no call, handed to the callback of cache::set_log.
#pragma once

#include <functional>
#include <string_view>

namespace kiln::base {

/// As cache::set_log.
void set_log(std::function<void(std::string_view)> callback);
/// Calls the callback, if there is one, with this line. Thread-safe; an exception of the callback is dropped.
void log_line(std::string_view line) noexcept;

}  // namespace kiln::base
