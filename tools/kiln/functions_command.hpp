// `kiln functions`: the functions of kiln::math, as a table or as JSON.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kiln::tool {

class FunctionsCommand : public Command {
 public:
  explicit FunctionsCommand(CLI::App& app);
  /// UsageError for a name that no function has.
  int run() override;

 private:
  std::vector<std::string> names_;
  bool json_ = false;
};

}  // namespace kiln::tool
