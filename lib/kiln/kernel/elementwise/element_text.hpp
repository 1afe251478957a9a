// What the texts of kernels that load one element at a time have in common: the members of their "work", and their parameters.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/elementwise/text.hpp"

namespace kiln::kinds {

class ElementText {
 protected:
  ElementText(const ElementwiseSpec& spec, const Debug& debug) : spec_(spec), debug_(debug) {}

  [[nodiscard]] std::size_t count() const { return spec_.inputs.size() + spec_.outputs.size(); }
  [[nodiscard]] bool is_input(std::size_t k) const { return k < spec_.inputs.size(); }
  [[nodiscard]] const OperandSpec& operand(std::size_t k) const {
    return is_input(k) ? spec_.inputs[k] : spec_.outputs[k - spec_.inputs.size()];
  }
  /// The type of its elements, const for an input.
  [[nodiscard]] std::string element(std::size_t k) const {
    return (is_input(k) ? "const " : "") + std::string(stored_name(operand(k).storage));
  }

  void add_member(const std::string& type, const std::string& name, const std::string& value) {
    members_ += fmt::format("  {} {};\n", type, name);
    initializers_ += (initializers_.empty() ? "" : ", ") + value;
  }

  /// The parameter "p<k>": a pointer, or a scalar, which is a member and an argument as well. True for a scalar.
  bool add_parameter(std::size_t k) {
    const std::string p = fmt::format("p{}", k);
    if (operand(k).access != Access::scalar) {
      parameters_ += fmt::format(", {}*{} {}", element(k), spec_.aliased ? "" : " __restrict__", p);
      return false;
    }
    const std::string type(stored_name(operand(k).storage));
    parameters_ += fmt::format(", {} {}", type, p);
    add_member(type, p, p);
    arguments_.push_back(loaded(operand(k), p));
    return true;
  }

  const ElementwiseSpec& spec_;
  const Debug& debug_;
  std::string parameters_, members_, initializers_;
  std::vector<std::string> arguments_;
};

}  // namespace kiln::kinds
