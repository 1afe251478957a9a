// --target: which processors, in the same way for every command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kiln::tool {

/// Adds -t and --target: a list with commas, which may be repeated, and takes no word beyond its own.
void add_target_option(CLI::App& app, std::vector<std::string>& targets, const std::string& help);

/// Each once, in the order given; `none` where there are none. UsageError for an empty one.
[[nodiscard]] std::vector<std::string> unique_targets(const std::vector<std::string>& targets,
                                                      const std::vector<std::string>& none = {"native"});

}  // namespace kiln::tool
