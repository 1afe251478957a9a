// `kiln cache export` and `kiln cache import`.
#pragma once

#include <string>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheExportCommand : public Command {
 public:
  explicit CacheExportCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  EntryFilter filter_;
  std::string bundle_;
};

class CacheImportCommand : public Command {
 public:
  explicit CacheImportCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  std::string bundle_;
};

}  // namespace kiln::tool
