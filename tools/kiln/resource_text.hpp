// What kernels take of their processor, as people and as programs read it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspect_subjects.hpp"
#include "kiln/inspect.hpp"
#include "terminal.hpp"

namespace kiln::tool {

/// One kernel: a line for each thing that is known.
[[nodiscard]] std::string resource_lines(const Subject& subject, const inspect::Resources& resources);
/// Several: a row for each, a column for what is known of any.
[[nodiscard]] std::string resource_table(const std::vector<Subject>& subjects, const std::vector<inspect::Resources>& resources,
                                         const Terminal& terminal);
/// Stable member names, documented in docs/cli.md; what is not known is left out.
[[nodiscard]] nlohmann::ordered_json to_json(const inspect::Resources& resources);

}  // namespace kiln::tool
