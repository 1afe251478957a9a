// `kiln explain`: what errors mean, and how to correct a call.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kiln::tool {

class ExplainCommand : public Command {
 public:
  explicit ExplainCommand(CLI::App& app);
  /// TypeError for an unknown code.
  int run() override;

 private:
  std::vector<std::string> codes_;
  bool json_ = false;
};

}  // namespace kiln::tool
