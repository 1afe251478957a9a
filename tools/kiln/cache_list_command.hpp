// `kiln cache list`: the entries of every tier, as a table, as JSON, or their ids alone.
#pragma once

#include <string>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheListCommand : public Command {
 public:
  explicit CacheListCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  EntryFilter filter_;
  std::string sort_ = "name";
  bool quiet_ = false;
};

}  // namespace kiln::tool
