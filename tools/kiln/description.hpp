// The commands and their options as a value, for what is generated from them: manual pages and shell completion
// (scripts/cli_pages.py).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace kiln::tool {

/// {"name", "help", "usage", "footer", "options": [{"names", "value", "default", "help"}], "operands": [{"name", "value"}],
/// "commands": […]}; "value" is empty where there is none.
[[nodiscard]] nlohmann::ordered_json describe(const CLI::App& app);

}  // namespace kiln::tool
