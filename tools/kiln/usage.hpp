// Command lines that cannot be understood: which command they were meant for, and what its author may have meant.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tool {

/// The command that was reached: "kiln cache list" down to its own app.
[[nodiscard]] const CLI::App& deepest(const CLI::App& app);
/// "kiln cache list".
[[nodiscard]] std::string full_name(const CLI::App& app);
/// The names of its commands, in the order of the help.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);
/// Its command of that name; null where there is none.
[[nodiscard]] const CLI::App* command_named(const CLI::App& app, const std::string& word);
/// "eval, devices and cache".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
/// Levenshtein's: how many letters are to be changed, added or left out.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
/// The one that differs least from the word, where that is a likely slip; empty where none is.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& names);
/// What is wrong with a command line that CLI11 refused.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace kiln::tool
