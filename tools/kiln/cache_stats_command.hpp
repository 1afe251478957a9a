// `kiln cache stats` and `kiln cache path`.
#pragma once

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheStatsCommand : public Command {
 public:
  explicit CacheStatsCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
};

class CachePathCommand : public Command {
 public:
  explicit CachePathCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
};

}  // namespace kiln::tool
