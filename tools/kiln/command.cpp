#include "command.hpp"

#include <CLI/CLI.hpp>

namespace kiln::tool {

CommandSet::CommandSet(CLI::App& parent, std::span<const CommandRow> rows) {
  parent.require_subcommand(0, 1);
  for (const CommandRow& row : rows) {
    CLI::App* const app = parent.add_subcommand(row.name, row.help);
    commands_.emplace_back(app, row.make(*app));
  }
}

Command* CommandSet::chosen() const {
  for (const auto& [app, command] : commands_) {
    if (app->parsed()) return command.get();
  }
  return nullptr;
}

}  // namespace kiln::tool
