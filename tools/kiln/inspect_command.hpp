// `kiln inspect`: what compiled kernels look like, and what they take of their processor.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

/// What --as takes: all but the first are inspect::Forms.
inline constexpr const char* kForms[] = {"resources", "source", "asm", "ptx", "sass", "amdgcn", "llvm-ir"};

class InspectCommand : public Command {
 public:
  explicit InspectCommand(CLI::App& app);
  int run() override;

 private:
  [[nodiscard]] nlohmann::ordered_json request() const;

  std::string subject_;               // the beginning of an id, or a manifest
  std::vector<std::string> targets_;  // of a manifest; none: this CPU
  std::string kernel_;                // of a manifest: this one alone
  CacheChoice choice_;
  std::string form_ = kForms[0];
  std::string output_;
};

}  // namespace kiln::tool
