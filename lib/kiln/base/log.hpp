// The one line that each fault gets which fails no call, handed to the callback of cache::set_log and to KILN_LOG.
#pragma once

#include <functional>
#include <string_view>

namespace kiln::base {

/// As cache::set_log.
void set_log(std::function<void(std::string_view)> callback);
/// Calls the callback, if there is one, with this line. KILN_LOG=1 writes it to standard error where there is none, and
/// KILN_LOG=FILE to the end of that file in any case. Thread-safe; an exception of the callback is dropped.
void log_line(std::string_view line) noexcept;
/// The same for what the user asked for by a variable and does not get: on standard error where nobody has the line otherwise.
void tell_line(std::string_view line) noexcept;

}  // namespace kiln::base
