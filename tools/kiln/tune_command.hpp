// `kiln tune`: measures the launch shapes of a kernel on a GPU, and keeps the best in the cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache_options.hpp"
#include "command.hpp"
#include "kiln/ufunc.hpp"
#include "text_options.hpp"

namespace kiln::tool {

class TuneCommand : public Command {
 public:
  explicit TuneCommand(CLI::App& app);
  /// Prints what was tried and chosen. The kiln::Error that it throws is in the words of its options.
  int run() override;

 private:
  int tune() const;
  /// Of the standard library.
  [[nodiscard]] Ufunc standard(std::string_view name) const;

  std::vector<std::string> words_;  // the kernel, unless from a file, then the operands
  std::string file_;
  std::string device_ = "best";
  TextOptions texts_;
  CacheChoice choice_;
};

}  // namespace kiln::tool
