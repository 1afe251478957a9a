// `kiln inspect`: what compiled kernels look like, and what they take of their processor.
#pragma once

#include <string>

#include "command.hpp"
#include "inspect_subjects.hpp"

namespace kiln::tool {

/// What --as takes: all but the first are inspect::Forms.
inline constexpr const char* kForms[] = {"resources", "source", "asm", "ptx", "sass", "amdgcn", "llvm-ir"};

class InspectCommand : public Command {
 public:
  explicit InspectCommand(CLI::App& app);
  int run() override;

 private:
  SubjectChoice choice_;
  std::string form_ = kForms[0];
  std::string output_;
};

}  // namespace kiln::tool
