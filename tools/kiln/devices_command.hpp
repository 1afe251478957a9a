// `kiln devices`: the devices that kernels can run on, as a table or as JSON.
#pragma once

#include "command.hpp"

namespace kiln::tool {

class DevicesCommand : public Command {
 public:
  explicit DevicesCommand(CLI::App& app);
  int run() override;

 private:
  bool json_ = false;
  bool verbose_ = false;
};

}  // namespace kiln::tool
