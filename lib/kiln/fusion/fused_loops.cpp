#include "fusion/fused_loops.hpp"

#include <algorithm>
#include <utility>

#include "fusion/text.hpp"
#include "fusion/typing.hpp"
#include "kiln/error.hpp"

namespace kiln::fusion {
namespace {

std::string list_of(std::span<const DType> dtypes, std::span<const std::string> names,
                    const std::vector<bool>& constants = {}) {
  std::string text;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    if (i > 0) text += ", ";
    if (i < constants.size() && constants[i]) text += "constant ";
    text += std::string(name(dtypes[i])) + " " + names[i];
  }
  return text;
}

}  // namespace

FusedLoops::FusedLoops(Graph graph, UfuncDefinition options, std::vector<std::string> inputs, std::vector<std::string> outputs,
                       std::vector<bool> constants)
    : graph_(std::move(graph)),
      options_(std::move(options)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      constants_(std::move(constants)) {}

ufunc::Loop FusedLoops::choose(const ufunc::LoopRequest& request) const {
  if (request.dtype || !request.forced_signature.empty()) {
    throw TypeError(options_.name + ": a fused ufunc has no loop that ." + (request.dtype ? "dtype" : "signature") +
                    " could force, its ufuncs choose theirs; convert the inputs with astype(), or give an .out of that dtype");
  }
  const Typing typing = type_graph(graph_, options_.name, request.arguments, request.casting);
  ufunc::Loop loop;
  loop.inputs = typing.parameters;
  loop.outputs = typing.outputs;
  loop.narrowed = typing.narrowed;
  loop.text =
      (outputs_.size() == 1 ? std::string(name(typing.outputs.front())) : "(" + list_of(typing.outputs, outputs_) + ")") + "(" +
      list_of(typing.parameters, inputs_, constants_) + ")";
  auto definition = std::make_shared<UfuncDefinition>(options_);
  definition->signatures = {loop.text};
  Text text = write(graph_, typing, {.name = options_.name, .inputs = inputs_, .outputs = outputs_});
  definition->compile.functions = std::move(text.functions);
  definition->body = std::move(text.body);
  loop.definition = std::move(definition);
  return loop;
}

bool FusedLoops::arithmetic_bound() const noexcept {
  return std::any_of(graph_.steps.begin(), graph_.steps.end(),
                     [](const Graph::Step& step) { return step.ufunc->arithmetic_bound(); });
}

}  // namespace kiln::fusion
