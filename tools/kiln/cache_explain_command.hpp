// `kiln cache explain`: for each kernel of a manifest, whether it is there, and where not, what differs from what is.
#pragma once

#include <string>
#include <vector>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheExplainCommand : public Command {
 public:
  explicit CacheExplainCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  std::string manifest_;
  std::vector<std::string> targets_;
};

}  // namespace kiln::tool
