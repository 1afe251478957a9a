// `kiln environment`: the environment variables that kiln reads, and which are set.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kiln::tool {

class EnvironmentCommand : public Command {
 public:
  explicit EnvironmentCommand(CLI::App& app);
  /// TypeError for a name that is no variable of kiln's.
  int run() override;

 private:
  std::vector<std::string> names_;
  bool json_ = false;
};

}  // namespace kiln::tool
