// `kiln cache show`: one entry, with its key and the text that it was compiled from.
#pragma once

#include <string>

#include "cache_options.hpp"
#include "command.hpp"

namespace kiln::tool {

class CacheShowCommand : public Command {
 public:
  explicit CacheShowCommand(CLI::App& app);
  int run() override;

 private:
  CacheChoice choice_;
  std::string id_;
};

}  // namespace kiln::tool
