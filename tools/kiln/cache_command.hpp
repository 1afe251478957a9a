// `kiln cache`: looks into the kernel cache and after it. A group: each of its commands is a row of its own table.
#pragma once

#include "command.hpp"

namespace kiln::tool {

class CacheCommand : public Command {
 public:
  explicit CacheCommand(CLI::App& app);
  /// Runs the command that was named; without one, prints the help.
  int run() override;

 private:
  CLI::App& app_;
  CommandSet commands_;
};

}  // namespace kiln::tool
