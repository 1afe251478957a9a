// `kiln eval`: compiles one kernel given as text and runs it on .npy files and numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "evaluation.hpp"
#include "gufunc_call.hpp"
#include "kiln/png.hpp"
#include "kiln/ufunc.hpp"
#include "method.hpp"
#include "text_options.hpp"

namespace kiln::tool {

class SharedOutput;

class EvalCommand : public Command {
 public:
  explicit EvalCommand(CLI::App& app);

  /// Prints or writes the results. The kiln::Error that it throws is in the words of its options.
  int run() override;

  /// Negative numbers, and all that follows "--", would be taken for options: a blank in front of them, which operands
  /// leave off again, tells them apart.
  static std::vector<std::string> protect(std::vector<std::string> arguments);

 private:
  void evaluate_and_write();
  /// `place` and `shared`: of one of several ranks.
  void evaluate_and_write(const std::optional<RankPlace>& place, SharedOutput* shared);
  [[nodiscard]] std::vector<std::string> operand_texts() const;
  [[nodiscard]] PngOptions colours() const;
  void check_standard_input(const std::vector<std::string>& operands) const;
  /// The kernel's text, wherever it stands.
  [[nodiscard]] std::string text() const;
  /// What is to run, and its signature where it has just one.
  [[nodiscard]] std::pair<Ufunc, std::string> kernel(const std::vector<std::string>& operands) const;
  [[nodiscard]] EvaluationRequest ufunc_request(std::vector<std::string> operands) const;
  /// Whether it is to run in chunks.
  [[nodiscard]] bool in_chunks() const noexcept { return !chunk_.empty() || progress_; }
  [[nodiscard]] EvaluationRequest gufunc_request(std::vector<std::string> operands) const;
  struct Counts {
    std::string name;  ///< of the function in messages
    std::size_t nin, nout;
  };
  void check_counts(const Counts& counts, std::size_t operands) const;

  std::vector<std::string> words_;  // the kernel, unless from a file, then the operands
  std::string file_;
  std::vector<std::string> outputs_;
  std::string colormap_;
  std::string range_;
  std::string device_ = "best";
  bool time_ = false;
  std::string timeout_;
  std::string chunk_;
  std::string ranks_;
  bool progress_ = false;
  std::string trace_;
  TextOptions texts_;
  MethodOptions method_;
  LayoutOptions layout_;
};

}  // namespace kiln::tool
