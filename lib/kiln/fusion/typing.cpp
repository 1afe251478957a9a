#include "fusion/typing.hpp"

#include <algorithm>
#include <set>

#include "kiln/error.hpp"
#include "types/convert.hpp"
#include "types/reason.hpp"

namespace kiln::fusion {
namespace {

using ufunc::Argument;
using Kind = Graph::Operand::Kind;

void check_constant(const Graph::Step& step, const ufunc::Loop& loop, std::size_t input, const Constant& constant) {
  const DType to = loop.inputs[input];
  if (kind(constant.dtype) != kiln::Kind::integer || kind(to) != kiln::Kind::integer ||
      integer_fits(constant.dtype, constant.bytes.data(), to)) {
    return;
  }
  throw Because<TypeError>(Reason::overflow, step.ufunc->name() + ": the integer " +
                                                 integer_text(constant.dtype, constant.bytes.data()) + " given as " +
                                                 step.ufunc->operand_name(input) + " does not fit in " + std::string(name(to)) +
                                                 ", the dtype of the loop " + loop.text);
}

}  // namespace

Typing type_graph(const Graph& graph, const std::string& name, std::span<const Argument> arguments, Casting casting) {
  Typing typing;
  std::vector<std::set<DType>> uses(graph.parameters);
  const auto argument_of = [&](const Graph::Operand& operand) -> Argument {
    switch (operand.kind) {
      case Kind::parameter:
        return arguments[operand.index];
      case Kind::constant:
        return {graph.constants[operand.index].dtype, true};
      case Kind::step:
        break;
    }
    // What a call gives is an array, if of no dimensions: strong.
    return {typing.loops[operand.index].outputs[operand.output], false};
  };
  for (const Graph::Step& step : graph.steps) {
    std::vector<Argument> inputs;
    for (const Graph::Operand& operand : step.inputs) inputs.push_back(argument_of(operand));
    try {
      const ufunc::Loop& loop = typing.loops.emplace_back(ufunc::choose_loop({.name = step.ufunc->name(),
                                                                              .options = "",
                                                                              .signatures = step.ufunc->signatures(),
                                                                              .arguments = inputs,
                                                                              .casting = casting,
                                                                              .definition = &step.ufunc->definition()}));
      for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const Graph::Operand& operand = step.inputs[i];
        if (operand.kind == Kind::parameter) uses[operand.index].insert(loop.inputs[i]);
        if (operand.kind == Kind::constant && casting != Casting::unsafe) {
          check_constant(step, loop, i, graph.constants[operand.index]);
        }
      }
    } catch (const TypeError& error) {
      throw_again(error, "in fused \"" + name + "\": " + error.what());
    }
  }
  for (const Graph::Operand& output : graph.outputs) {
    typing.outputs.push_back(argument_of(output).dtype);
    if (output.kind == Kind::parameter) uses[output.index].insert(typing.outputs.back());
  }
  for (std::size_t i = 0; i < graph.parameters; ++i) {
    const bool one = arguments[i].weak && uses[i].size() == 1;
    typing.parameters.push_back(one ? *uses[i].begin() : arguments[i].dtype);
    if (!arguments[i].weak || one) continue;
    for (const DType to : uses[i]) typing.narrowed.emplace_back(i, to);
  }
  return typing;
}

}  // namespace kiln::fusion
