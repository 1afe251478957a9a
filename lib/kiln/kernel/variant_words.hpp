// What tells the kernels of one definition and loop apart, in words: what the kinds' texts share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/operand_spec.hpp"

namespace kiln::kinds {

/// Words between commas.
class Words {
 public:
  explicit Words(std::string_view first) : text_(first) {}
  void add(std::string_view words) { text_.append(", ").append(words); }
  void add_if(bool present, std::string_view words) {
    if (present) add(words);
  }
  void add_count(int count, std::string_view words) {
    if (count > 1) add(fmt::format(fmt::runtime(words), count));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

inline std::string input_name(std::size_t index) {
  return fmt::format("input {}", index);
}
inline std::string output_name(std::size_t index) {
  return fmt::format("output {}", index);
}

inline bool is_strided(const OperandSpec& operand) {
  return operand.access == Access::strided;
}
inline bool is_contiguous(const OperandSpec& operand) {
  return operand.access == Access::contiguous || operand.access == Access::across;
}
inline void add_input(Words& words, const OperandSpec& input, const std::string& name) {
  words.add_if(input.access == Access::scalar, name + " scalar");
  words.add_if(input.access == Access::broadcast, name + " broadcast");
  words.add_if(input.access == Access::across, name + " across");
  if (input.storage != input.compute) words.add(fmt::format("{} from {}", name, kiln::name(input.storage)));
}

inline void add_output(Words& words, const OperandSpec& output, const std::string& name) {
  words.add_if(output.access == Access::across, name + " across");
  if (output.storage != output.compute) words.add(fmt::format("{} to {}", name, kiln::name(output.storage)));
}

/// "strided" where no array is contiguous, "strided (input 0)" where some are; empty where none is strided.
template <class Operand>
std::string strided(std::span<const Operand> inputs, std::span<const Operand> outputs) {
  std::vector<std::string> names;
  bool all = true;
  const auto look = [&](const Operand& operand, std::string name) {
    if (is_strided(operand)) names.push_back(std::move(name));
    all = all && !is_contiguous(operand);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) look(inputs[i], input_name(i));
  for (std::size_t i = 0; i < outputs.size(); ++i) look(outputs[i], output_name(i));
  if (names.empty()) return "";
  return all ? "strided" : fmt::format("strided ({})", fmt::join(names, ", "));
}

}  // namespace kiln::kinds
