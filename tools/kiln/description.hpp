// The commands and their options as a value, for the manual pages that are made from them (scripts/cli_pages.py).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

namespace kiln::tool {

/// {"name", "help", "usage", "footer", "options": [{"names", "value", "default", "help"}], "commands": […]}; "value" is empty
/// where there is none.
[[nodiscard]] nlohmann::ordered_json describe(const CLI::App& app);

}  // namespace kiln::tool
