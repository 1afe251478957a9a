// A reduction of two ufuncs.
#include <utility>

#include "fusion/options.hpp"
#include "reduce/composed_loops.hpp"
#include "reduce/impl.hpp"

namespace kiln {
namespace {

using detail::UfuncImpl;

fusion::Graph graph_of(const Ufunc& map, const Ufunc& combine) {
  fusion::Graph graph;
  for (const Ufunc* ufunc : {&map, &combine}) {
    ufunc->impl()->check_of_elements(", in a reduction");
    fusion::Graph::Step step;
    step.ufunc = ufunc->impl();
    step.arithmetic = arithmetic_of(step.ufunc->definition().compile);
    graph.steps.push_back(std::move(step));
  }
  return graph;
}

/// Operands and their names: a type variable for each, as the ufuncs alone know how their dtypes hang together.
signature::TypeSignature signature_of(const std::string& name, const UfuncImpl& map) {
  signature::TypeSignature signature;
  const auto parameter = [&](const std::string& parameter_name) {
    signature.variables.push_back({"T" + std::to_string(signature.variables.size()), {}});
    return signature::Parameter{{std::nullopt, signature.variables.size() - 1}, parameter_name, 0};
  };
  signature.text = name + "(";
  for (const signature::Parameter& input : map.signatures().front().inputs) {
    signature.text += (signature.inputs.empty() ? "" : ", ") + (input.name.empty() ? std::string("an array") : input.name);
    signature.inputs.push_back(parameter(input.name));
    signature.inputs.back().constant = input.constant;
  }
  signature.text += ")";
  signature.outputs.push_back(parameter(""));
  return signature;
}

}  // namespace

Reduction reduction(const Ufunc& map, const Ufunc& combine, std::string name) {
  FuseDefinition wanted;
  wanted.name = name.empty() ? combine.name() + "_of_" + map.name() : std::move(name);
  detail::check_name(wanted.name);
  fusion::Graph graph = graph_of(map, combine);
  UfuncDefinition options = fusion::options_of(graph, wanted);
  options.identity = combine.identity();
  options.reorderable = combine.reorderable();
  options.body = "return kiln_combined(a, b);";
  codegen::Stages stages;
  stages.map = "return kiln_mapped(" + reduce::mapped_arguments(static_cast<std::size_t>(map.nin())) + ");";
  stages.prepends_identity = true;
  std::vector<signature::TypeSignature> signatures{signature_of(wanted.name, *graph.steps[0].ufunc)};
  auto source = std::make_unique<const reduce::ComposedLoops>(std::move(graph), options);
  auto loops = std::make_shared<const UfuncImpl>(std::move(options), std::move(signatures), std::move(source));
  return Reduction(
      std::make_shared<const detail::ReductionImpl>(std::move(loops), std::move(stages), std::nullopt, combine.impl()));
}

}  // namespace kiln
