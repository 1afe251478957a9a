// What kernels use of their processor, as people read it. A kernel is one of the reply of the command "inspect".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "terminal.hpp"

namespace kiln::tool {

/// One kernel: a line for each thing that is known.
[[nodiscard]] std::string resource_lines(const nlohmann::ordered_json& kernel);
/// Several: a row for each, a column for what is known of any.
[[nodiscard]] std::string resource_table(const std::vector<nlohmann::ordered_json>& kernels, const Terminal& terminal);

}  // namespace kiln::tool
