#include "ufunc/constants.hpp"

#include <string_view>

#include "source/literal.hpp"
#include "types/value_text.hpp"

namespace kiln::ufunc {
namespace {

constexpr std::string_view kWith = " with ";

}  // namespace

Loop with_constants(const Loop& plain, const call::Operands& operands, std::span<const signature::Parameter> inputs) {
  Loop loop = plain;
  loop.constants.resize(loop.inputs.size());
  std::string values;
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    if (!operands.is_constant(k)) continue;
    loop.constants[k] = codegen::literal(loop.inputs[k], operands.value(k));
    const std::string name = inputs[k].name.empty() ? "input " + std::to_string(k) : inputs[k].name;
    values += (values.empty() ? "" : ", ") + name + " = " + value_text(loop.inputs[k], operands.value(k));
  }
  loop.text += std::string(kWith) + values;
  return loop;
}

Loop without_constants(const Loop& loop) {
  Loop plain = loop;
  plain.constants.clear();
  plain.text.resize(plain.text.rfind(kWith));
  return plain;
}

std::vector<Loop> for_all_values(const Loop& loop) {
  if (loop.constants.empty()) return {loop};
  return {loop, without_constants(loop)};
}

std::string constants_of(const call::Callee& callee) {
  std::string names;
  for (std::size_t k = 0; k < backend::kMaxOperands; ++k) {
    if ((callee.constants() >> k & 1U) != 0) names += (names.empty() ? "" : " or ") + callee.operand_name(k);
  }
  return names;
}

}  // namespace kiln::ufunc
