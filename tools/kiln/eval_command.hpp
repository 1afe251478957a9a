// `kiln eval`: compiles one kernel given as text and runs it on .npy files and numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kiln/ufunc.hpp"

namespace CLI {
class App;
}

namespace kiln::tool {

class EvalCommand {
 public:
  /// Adds the subcommand and its options to `app`, which must not outlive this.
  explicit EvalCommand(CLI::App& app);

  [[nodiscard]] bool chosen() const;
  /// Prints or writes the results. UsageError, kiln::Error.
  void run() const;

  /// Negative numbers, and all that follows "--", would be taken for options: a blank in front of them, which operands
  /// leave off again, tells them apart.
  static std::vector<std::string> protect(std::vector<std::string> arguments);

 private:
  [[nodiscard]] std::vector<std::string> operand_texts() const;
  void check_standard_input(const std::vector<std::string>& operands) const;
  [[nodiscard]] UfuncDefinition definition() const;
  void check_counts(const Ufunc& ufunc, std::size_t operands) const;

  CLI::App* command_;
  std::vector<std::string> words_;  // the kernel, unless from a file, then the operands
  std::string file_;
  std::vector<std::string> outputs_;
  std::string device_ = "best";
  bool time_ = false;
  std::string functions_;
  std::string preamble_;
  std::vector<std::string> defines_;
  std::vector<std::string> include_dirs_;
  bool contract_ = false;
  bool fast_math_ = false;
  std::string casting_ = "same_kind";
  std::string dtype_;
};

}  // namespace kiln::tool
