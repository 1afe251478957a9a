// `kiln compile`: fills the kernel cache from manifests, for processors that need not be there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache_options.hpp"
#include "command.hpp"
#include "kiln/manifest.hpp"

namespace kiln::tool {

class CompileCommand : public Command {
 public:
  explicit CompileCommand(CLI::App& app);
  int run() override;

 private:
  /// A manifest, and its name in messages.
  struct Source {
    std::string name;
    Manifest manifest;
  };
  [[nodiscard]] std::vector<Source> read() const;
  [[nodiscard]] std::vector<std::string> targets() const;

  std::vector<std::string> paths_;
  std::vector<std::string> targets_;
  CacheChoice choice_;
  int jobs_ = 0;
  bool quiet_ = false;
  bool exact_ = false;
  bool strict_ = false;
};

}  // namespace kiln::tool
