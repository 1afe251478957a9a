// The user's texts of a reduction of stages, each as a function.
#include <fmt/format.h>

#include "kernel/reduction/text.hpp"

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

}  // namespace

// kiln_accumulator: the accumulator by a name that is no macro of the user's.
std::vector<StageText> stages_of(const UserText& text, const ReductionSpec& spec) {
  const Stages& stages = *text.stages;
  std::vector<StageText> texts;
  if (stages.accumulator.empty()) {
    texts.push_back({fmt::format("using accumulator = {};\ntypedef accumulator kiln_accumulator;\n",
                                 body_type(spec.outputs.front().compute))});
  } else {
    texts.push_back({"struct accumulator;\ntypedef accumulator kiln_accumulator;\nstruct accumulator {\n",
                     text.name + ".accumulator",
                     stages.accumulator + "\n};" + fmt::format(fmt::runtime(kSizeCheck), spec.state_bytes, spec.state_bytes)});
  }
  if (!text.functions.empty()) texts.push_back({"", text.name + ".functions", text.functions});
  if (!stages.map.empty()) {
    std::string list;
    for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
      const std::string& name = k < text.input_names.size() ? text.input_names[k] : std::string();
      list += fmt::format("{}{} {}", k == 0 ? "" : ", ", body_type(spec.inputs[k].compute), name);
    }
    texts.push_back({fmt::format("KILN_FN accumulator kiln_map({}{}) {{\n", list, spec.indexed ? ", ::kiln::int64 i" : ""),
                     text.name + ".map", stages.map + "\n}"});
  }
  texts.push_back(
      {"KILN_FN accumulator kiln_reduce(accumulator a, accumulator b) {\n", text.name + ".reduce", text.body + "\n}"});
  if (!stages.post.empty()) {
    std::string list;
    for (std::size_t k = 0; k < text.output_names.size(); ++k) {
      list += fmt::format("::kiln::{}& {}, ", type_name(spec.outputs[k].compute), text.output_names[k]);
    }
    const std::string result =
        text.output_names.empty() ? "::kiln::" + type_name(spec.outputs.front().compute) : std::string("void");
    texts.push_back(
        {fmt::format("KILN_FN {} kiln_post({}accumulator a) {{\n", result, list), text.name + ".post", stages.post + "\n}"});
  }
  if (spec.identity) {
    const bool braces = text.identity.find_first_not_of(" \t\r\n") == text.identity.find('{');
    const bool direct = braces || !stages.accumulator.empty();
    texts.push_back({fmt::format("KILN_FN {} kiln_identity() {{\nreturn\n", direct ? "accumulator" : "auto"),
                     text.name + ".identity", text.identity + "\n;}"});
  }
  return texts;
}

}  // namespace kiln::kinds
