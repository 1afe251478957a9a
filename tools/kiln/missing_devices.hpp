// Why there are no GPUs here.
#pragma once

#include <map>
#include <string>

namespace kiln::tool {

/// Why a vendor has no device here: its name → one line. Vendors with a device are absent.
[[nodiscard]] std::map<std::string, std::string> missing_devices();

/// Without the places where a library was looked for, but for the one place that a variable names.
[[nodiscard]] std::string in_short(const std::string& reason);

}  // namespace kiln::tool
