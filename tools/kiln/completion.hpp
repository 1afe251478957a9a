// `kiln __complete -- WORD...`, which the shells' completion scripts (tools/completion/) ask: the answers come from the options
// that read the command line, and from the tables that read their values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kiln::tool {

/// Prints what may stand in place of the last word: a candidate a line, with a tab and what it is where that is known. A line
/// ":files" or ":folders" asks the shell for its own candidates. Only reads; whatever the words are, the status is kDone and
/// standard error stays empty. A leading "--" is left off.
int complete(const CLI::App& app, std::vector<std::string> words);

}  // namespace kiln::tool
