// `kiln cache verify`: reads every file of the directory, and mends where asked.
#pragma once

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheVerifyCommand : public Command {
 public:
  explicit CacheVerifyCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  bool fix_ = false;
};

}  // namespace kiln::tool
