#include "reduce/partial_steps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kiln/error.hpp"
#include "reduce/method.hpp"
#include "types/each_dtype.hpp"

namespace kiln::reduce {
namespace {

/// reduce() of a ufunc that somebody has to keep.
std::shared_ptr<const Target> method_of(std::shared_ptr<const detail::UfuncImpl> ufunc,
                                        ufunc::Method method = ufunc::Method::reduce) {
  struct Kept {
    std::shared_ptr<const detail::UfuncImpl> ufunc;
    Method method;
  };
  auto kept = std::make_shared<const Kept>(ufunc, Method(*ufunc, method));
  return {kept, &kept->method};
}

std::vector<std::pair<DType, std::string>> members_of(const detail::ReductionImpl& reduction, const ufunc::Loop& loop) {
  if (reduction.stages().accumulator.empty()) {
    const DType dtype = loop.outputs.front();
    return {{is_half(dtype) ? DType::float32 : dtype, "a"}};
  }
  const auto fail = [&](const std::string& why) {
    throw TypeError(reduction.name() + ": the accumulators of parts cannot be kept in arrays, since " + why +
                    "; declare plain members of kiln's dtypes (\"float64 n, mean; int64 at;\"), or give larger .chunk_bytes");
  };
  if (!reduction.members()) fail("its declaration has more than plain members");
  std::vector<std::pair<DType, std::string>> members;
  for (const Member& member : *reduction.members()) {
    const std::optional<DType> dtype = dtype_of(member.type, loop.variables);
    if (!dtype) fail("the member \"" + member.name + "\" is of the type \"" + member.type + "\"");
    members.emplace_back(*dtype, "a." + member.name);
  }
  return members;
}

std::string typed(DType dtype, const std::string& name) {
  return std::string(kiln::name(dtype)) + (name.empty() ? "" : " " + name);
}

/// The texts of the steps of a reduction.
struct Texts {
  ReductionDefinition part;    ///< elements to states
  ReductionDefinition merge;   ///< states to states
  ReductionDefinition finish;  ///< states to results
  std::vector<DType> states;
};

Texts texts_of(const detail::ReductionImpl& reduction, const ufunc::Loop& loop) {
  const codegen::UserText text = reduction.text_of(loop);
  ReductionDefinition common = reduction.definition_of(loop);
  // After the user's own text, so that its lines keep their numbers.
  for (const auto& [variable, dtype] : loop.variables) {
    common.compile.preamble += "\nusing " + variable + " = " + std::string(kiln::name(dtype)) + ";";
  }
  Texts texts{common, common, common, {}};
  std::string outputs;
  std::string inputs;
  std::string assignments;
  std::string list;
  for (const auto& [dtype, member] : members_of(reduction, loop)) {
    const std::string number = std::to_string(texts.states.size());
    const char* const comma = texts.states.empty() ? "" : ", ";
    outputs += comma + typed(dtype, "part_state_" + number);
    inputs += comma + typed(dtype, "part_input_" + number);
    assignments += "part_state_" + number + " = " + member + ";";
    list += comma + ("part_input_" + number);
    texts.states.push_back(dtype);
  }
  std::string given;
  for (std::size_t k = 0; k < loop.inputs.size(); ++k)
    given += (k == 0 ? "" : ", ") + typed(loop.inputs[k], text.input_names[k]);
  std::string results;
  for (std::size_t o = 0; o < loop.outputs.size(); ++o) {
    results += (o == 0 ? "" : ", ") + typed(loop.outputs[o], o < text.output_names.size() ? text.output_names[o] : "");
  }
  const std::string of_states = common.accumulator.empty() ? "return part_input_0;" : "return {" + list + "};";
  texts.part.signatures = {"(" + outputs + ")(" + given + ")"};
  texts.part.post = assignments;
  texts.merge.signatures = {"(" + outputs + ")(" + inputs + ")"};
  texts.merge.map = of_states;
  texts.merge.post = assignments;
  texts.finish.signatures = {(text.output_names.empty() ? results : "(" + results + ")") + "(" + inputs + ")"};
  texts.finish.map = of_states;
  return texts;
}

}  // namespace

// Halves are accumulated in float32 and rounded once, where the ufunc has such a loop.
DType state_of(const detail::UfuncImpl& ufunc, const ufunc::Loop& loop) {
  const DType wide[] = {DType::float32, DType::float32, DType::float32};
  const bool widens = is_half(loop.outputs.front()) && ufunc::find_loop(ufunc.signatures(), wide);
  return widens ? DType::float32 : loop.outputs.front();
}

bool has_partial_steps(const detail::ReductionImpl& reduction, const ufunc::Loop& loop) {
  if (reduction.stages().accumulator.empty()) return true;
  return reduction.members() && std::ranges::all_of(*reduction.members(), [&](const Member& member) {
           return dtype_of(member.type, loop.variables).has_value();
         });
}

PartialSteps in_partial_steps(const std::shared_ptr<const detail::UfuncImpl>& ufunc, const ufunc::Loop& loop) {
  const std::shared_ptr<const Target> part = method_of(ufunc, ufunc::Method::partial);
  return {.part = part, .merge = part, .finish = method_of(ufunc), .states = {state_of(*ufunc, loop)}};
}

PartialSteps in_partial_steps(const std::shared_ptr<const detail::ReductionImpl>& reduction, const ufunc::Loop& loop) {
  Texts texts = texts_of(*reduction, loop);
  const bool prepends_identity = reduction->stages().prepends_identity;
  const auto part_of = [&](ReductionDefinition definition) {
    return detail::make_reduction(std::move(definition), prepends_identity, ufunc::Method::partial);
  };
  return {.part = part_of(std::move(texts.part)),
          .merge = part_of(std::move(texts.merge)),
          .finish = detail::make_reduction(std::move(texts.finish), prepends_identity),
          .states = std::move(texts.states)};
}

}  // namespace kiln::reduce
