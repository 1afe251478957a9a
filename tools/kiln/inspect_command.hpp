// `kiln inspect`: what compiled kernels look like, and what they take of their processor.
#pragma once

#include <string>

#include "command.hpp"
#include "inspect_subjects.hpp"

namespace kiln::tool {

class InspectCommand : public Command {
 public:
  explicit InspectCommand(CLI::App& app);
  int run() override;

 private:
  SubjectChoice choice_;
  std::string form_ = "resources";
  std::string output_;
};

}  // namespace kiln::tool
