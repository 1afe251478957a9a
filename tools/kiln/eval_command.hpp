// `kiln eval`: compiles one kernel given as text and runs it on .npy files and numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "evaluation.hpp"
#include "gufunc_call.hpp"
#include "kiln/kiln.hpp"
#include "method.hpp"

namespace kiln::tool {

/// What --device takes; of all but the first a number may follow. Which there are is not known before their drivers start.
inline constexpr const char* kDevices[] = {
    "best", "cpu", "cuda", "hip", "emulated:sm_75", "emulated:sm_80", "emulated:sm_90", "emulated:sm_100"};

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
  void check_include_dirs() const;
  [[nodiscard]] std::vector<std::string> operand_texts() const;
  void check_standard_input(const std::vector<std::string>& operands) const;
  /// The kernel's text, wherever it stands.
  [[nodiscard]] std::string text() const;
  /// Takes the options of a definition of either kind over.
  template <class Definition>
  [[nodiscard]] Definition with_options(Definition definition) const;
  /// What is to run, and its signature where it has just one.
  [[nodiscard]] std::pair<Ufunc, std::string> kernel(const std::vector<std::string>& operands) const;
  [[nodiscard]] EvaluationRequest ufunc_request(std::vector<std::string> operands) const;
  /// Whether it is to run in chunks.
  [[nodiscard]] bool in_chunks() const noexcept { return !chunk_.empty() || progress_; }
  [[nodiscard]] EvaluationRequest gufunc_request(std::vector<std::string> operands) const;
  void check_no_text_options(std::string_view name) const;
  struct Counts {
    std::string name;  ///< of the function in messages
    std::size_t nin, nout;
  };
  void check_counts(const Counts& counts, std::size_t operands) const;

  std::vector<std::string> words_;  // the kernel, unless from a file, then the operands
  std::string file_;
  std::vector<std::string> outputs_;
  std::string device_ = "best";
  bool time_ = false;
  std::string timeout_;
  std::string chunk_;
  bool progress_ = false;
  std::string trace_;
  std::string functions_;
  std::string preamble_;
  std::vector<std::string> defines_;
  std::vector<std::string> include_dirs_;
  std::vector<std::string> link_;
  bool contract_ = false;
  bool fast_math_ = false;
  bool debug_ = false;
  MethodOptions method_;
  LayoutOptions layout_;
};

}  // namespace kiln::tool
