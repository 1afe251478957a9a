#include "reduce/composed_loops.hpp"

#include <fmt/format.h>

#include <utility>

#include "fusion/text.hpp"
#include "kernel/kernel_text.hpp"
#include "kiln/error.hpp"
#include "reduce/identity_probe.hpp"
#include "types/each_dtype.hpp"
#include "ufunc/reduction_loop.hpp"

namespace kiln::reduce {
namespace {

using ufunc::Loop;

/// A call of a part, to a variable `r` of its dtype.
std::string call(std::size_t part, const detail::UfuncImpl& ufunc, const std::string& type, const std::string& arguments) {
  const std::string function = fmt::format("::kiln::user::kiln_part_{}::kiln_body", part);
  return ufunc.signatures().front().named_outputs ? fmt::format("{} r{{}}; {}(r, {}); ", type, function, arguments)
                                                  : fmt::format("const {} r = {}({}); ", type, function, arguments);
}

}  // namespace

std::string mapped_arguments(std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += fmt::format("{}x{}", k == 0 ? "" : ", ", k);
  return text;
}

ComposedLoops::ComposedLoops(fusion::Graph graph, UfuncDefinition options)
    : graph_(std::move(graph)), options_(std::move(options)) {
  if (map().nout() != 1) {
    throw TypeError(options_.name + ": the map " + map().name() + " has " + std::to_string(map().nout()) +
                    " outputs; give a ufunc of one output");
  }
  if (combine().nin() != 2 || combine().nout() != 1) {
    throw TypeError(options_.name + ": only a ufunc of two inputs and one output combines elements, and " + combine().name() +
                    " has " + std::to_string(combine().nin()) + " and " + std::to_string(combine().nout()));
  }
}

Loop ComposedLoops::choose(const ufunc::LoopRequest& request) const {
  if (!request.forced_signature.empty()) {
    throw TypeError(options_.name +
                    ": a reduction of two ufuncs has no loop that .signature could force, they choose theirs; " +
                    "give .dtype for the one that combines, or convert the inputs with astype()");
  }
  ufunc::LoopRequest of_map = request;
  const std::string name = "in " + options_.name + ": " + map().name();
  of_map.name = name;
  of_map.options = "";
  of_map.signatures = map().signatures();
  of_map.dtype = std::nullopt;
  of_map.definition = &map().definition();
  const Loop mapped = map().choose(of_map);
  const Loop combined = ufunc::choose_reduction_loop({.name = combine().name(),
                                                      .method = "reduce",
                                                      .signatures = combine().signatures(),
                                                      .source = combine().source(),
                                                      .array = mapped.outputs[0],
                                                      .dtype = request.dtype,
                                                      .definition = &combine().definition(),
                                                      .identity = !options_.identity.empty()});
  if (!options_.identity.empty()) {
    probe_identity(combine(), combined.outputs[0]);
  }
  Loop loop;
  loop.inputs = mapped.inputs;
  loop.outputs = combined.outputs;
  loop.narrowed = mapped.narrowed;
  loop.text = std::string(kiln::name(loop.outputs[0])) + "(";
  std::string parameters;
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    loop.text += (k == 0 ? "" : ", ") + std::string(kiln::name(loop.inputs[k]));
    parameters += fmt::format("{}{} x{}", k == 0 ? "" : ", ", kinds::body_type(loop.inputs[k]), k);
  }
  loop.text += ")";
  const DType from = mapped.outputs[0];
  const DType to = loop.outputs[0];
  const bool half = is_half(to);
  const fusion::Part parts[] = {{map(), mapped}, {combine(), combined, false}};
  auto definition = std::make_shared<UfuncDefinition>(options_);
  definition->signatures = {loop.text};
  // What the map gives is kept as an array would store it, and among halves nothing is rounded in between.
  definition->compile.functions = fusion::write_parts(graph_, parts, options_.name);
  definition->compile.functions += fmt::format(
      "KILN_FN accumulator kiln_mapped({}) {{ {}return ::kiln::from_storage<::kiln::{}>(r); }}\n", parameters,
      call(0, map(), "::kiln::" + kinds::type_name(from), mapped_arguments(loop.inputs.size())), kinds::type_name(to));
  definition->compile.functions +=
      fmt::format("KILN_FN accumulator kiln_combined(accumulator a, accumulator b) {{ {}return accumulator(r); }}\n",
                  call(1, combine(), "::kiln::" + (half ? std::string("unrounded") : kinds::type_name(to)), "a, b"));
  loop.definition = std::move(definition);
  return loop;
}

bool ComposedLoops::arithmetic_bound() const noexcept {
  return map().arithmetic_bound() || combine().arithmetic_bound();
}

}  // namespace kiln::reduce
