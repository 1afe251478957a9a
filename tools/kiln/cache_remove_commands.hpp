// `kiln cache prune` and `kiln cache clear`.
#pragma once

#include <string>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CachePruneCommand : public Command {
 public:
  explicit CachePruneCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  std::string max_bytes_;
  std::string older_than_;
};

/// Asks first, where there is somebody to ask.
class CacheClearCommand : public Command {
 public:
  explicit CacheClearCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  bool yes_ = false;
};

}  // namespace kiln::tool
