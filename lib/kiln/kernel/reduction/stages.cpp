// The user's texts of a reduction of stages, each as a function.
#include <fmt/format.h>

#include "kernel/reduction/beside_text.hpp"
#include "kernel/reduction/text.hpp"
#include "types/each_dtype.hpp"

namespace kiln::kinds {

using codegen::Stages;
using codegen::UserText;

namespace {

// Scratch memory and shared memory of GPUs are sized by it; on every target, so that one definition is right on all.
constexpr const char* kSizeCheck =
    "static_assert(sizeof(kiln_accumulator) <= {}, \"an accumulator of a reduction has at most {} bytes\");"
    "static_assert(__is_constructible(kiln_accumulator) && __is_assignable(kiln_accumulator&, const kiln_accumulator&), "
    "\"an accumulator of a reduction is made of nothing and assigned: it needs a default constructor, and no members that are "
    "const or references\");";

/// The type of an input in the user's texts. In CuPy's notation a half is one.
std::string parameter_type(const ReductionSpec& spec, const Stages& stages, std::size_t input) {
  const OperandSpec& operand = spec.inputs[input];
  const bool half = stages.cupy && is_half(operand.compute) && operand.access != Access::raw;
  return half ? "::kiln::" + type_name(operand.compute) : input_type(spec, input);
}

}  // namespace

// kiln_accumulator: the accumulator by a name that is no macro of the user's.
std::vector<StageText> stages_of(const UserText& text, const ReductionSpec& spec) {
  const Stages& stages = *text.stages;
  std::vector<StageText> texts;
  const auto size_check = [&] { return fmt::format(fmt::runtime(kSizeCheck), spec.state_bytes, spec.state_bytes); };
  const Stages::Files files = stages.files();
  if (!stages.type.empty()) {
    texts.push_back({"using accumulator =\n", text.name + files.accumulator,
                     stages.type + "\n;typedef accumulator kiln_accumulator;" + size_check()});
  } else if (stages.accumulator.empty()) {
    texts.push_back({fmt::format("using accumulator = {};\ntypedef accumulator kiln_accumulator;\n",
                                 body_type(spec.outputs.front().compute))});
  } else {
    texts.push_back({"struct accumulator;\ntypedef accumulator kiln_accumulator;\nstruct accumulator {\n",
                     text.name + files.accumulator, stages.accumulator + "\n};" + size_check()});
  }
  if (stages.cupy) texts.push_back({"typedef accumulator _type_reduce;\n"});
  // CuPy's are expressions.
  const bool cast = !stages.type.empty();
  const std::string before = !stages.cupy ? "" : cast ? "return static_cast<accumulator>(\n" : "return\n";
  const std::string behind = !stages.cupy ? "\n}" : cast ? "\n);}" : "\n;}";
  std::string of_post;
  std::string of_identity;
  if (!text.functions.empty()) texts.push_back({"", text.name + ".functions", text.functions});
  if (!stages.map.empty()) {
    std::string list;
    for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
      const std::string& name = k < text.input_names.size() ? text.input_names[k] : std::string();
      list += fmt::format("{}{} {}", k == 0 ? "" : ", ", parameter_type(spec, stages, k), name);
    }
    list += stages.cupy ? place_parameters(stages.map_places, spec) : spec.indexed ? ", ::kiln::int64 i" : "";
    texts.push_back(
        {fmt::format("KILN_FN accumulator kiln_map({}) {{\n{}", list, before), text.name + files.map, stages.map + behind});
  }
  texts.push_back({"KILN_FN accumulator kiln_reduce(accumulator a, accumulator b) {\n" + before, text.name + files.reduce,
                   text.body + behind});
  for (std::size_t k = 0; k < spec.inputs.size() && k < text.input_names.size(); ++k) {
    const std::string parameter = fmt::format("{} {}", parameter_type(spec, stages, k), text.input_names[k]);
    if ((stages.post_inputs >> k & 1U) != 0) of_post += ", " + parameter;
    if ((stages.identity_inputs >> k & 1U) != 0) of_identity += (of_identity.empty() ? "" : ", ") + parameter;
  }
  if (!stages.post.empty()) {
    std::string list;
    for (std::size_t k = 0; k < text.output_names.size(); ++k) {
      list += fmt::format("::kiln::{}& {}, ", type_name(spec.outputs[k].compute), text.output_names[k]);
    }
    const std::string result =
        text.output_names.empty() ? "::kiln::" + type_name(spec.outputs.front().compute) : std::string("void");
    texts.push_back({fmt::format("KILN_FN {} kiln_post({}accumulator a{}{}) {{\n", result, list, of_post,
                                 place_parameters(stages.post_places, spec)),
                     text.name + files.post, stages.post + (stages.cupy ? "\n;}" : "\n}")});
  }
  if (spec.identity) {
    const bool braces = text.identity.find_first_not_of(" \t\r\n") == text.identity.find('{');
    const bool direct = braces || !stages.accumulator.empty();
    const bool made = stages.cupy && !braces;
    texts.push_back({fmt::format("KILN_FN {} kiln_identity({}) {{\nreturn{}\n", direct || made ? "accumulator" : "auto",
                                 of_identity, made ? " accumulator(" : ""),
                     text.name + ".identity", text.identity + (made ? "\n);}" : "\n;}")});
  }
  return texts;
}

}  // namespace kiln::kinds
