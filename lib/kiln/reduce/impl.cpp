#include "reduce/impl.hpp"

#include <algorithm>
#include <utility>

#include "kernel/reduction/spec.hpp"
#include "source/scanner.hpp"
#include "types/is_half.hpp"

namespace kiln::detail {
namespace {

bool names(const std::string& text, std::string_view wanted) {
  codegen::Scanner scanner(text);
  for (codegen::Token token = scanner.next(); token.kind != codegen::Token::Kind::end; token = scanner.next()) {
    if (token.kind == codegen::Token::Kind::identifier && token.text == wanted) return true;
  }
  return false;
}

}  // namespace

ReductionImpl::ReductionImpl(std::shared_ptr<const UfuncImpl> loops, codegen::Stages stages,
                             std::optional<std::vector<reduce::Member>> members, std::shared_ptr<const UfuncImpl> combine,
                             std::shared_ptr<const cupy::ReductionDefinition> cupy)
    : loops_(std::move(loops)),
      stages_(std::move(stages)),
      members_(std::move(members)),
      combine_(std::move(combine)),
      cupy_(std::move(cupy)),
      indexed_(names(stages_.map, "i")) {
  constants_ = loops_->constants();
  if (!members_) return;
  for (const reduce::Member& member : *members_) stages_.members.push_back(member.name);
}

kinds::ReductionSpec ReductionImpl::spec_of(const ufunc::Loop& loop) const {
  kinds::ReductionSpec spec;
  for (const DType dtype : loop.inputs) spec.inputs.push_back({dtype, dtype});
  for (const DType dtype : loop.outputs) spec.outputs.push_back({dtype, dtype});
  spec.identity = has_identity();
  spec.ordered = !reorderable();
  spec.stages = true;
  spec.indexed = indexed_;
  spec.prepends_identity = stages_.prepends_identity && spec.identity;
  if (stages_.accumulator.empty()) {
    const DType dtype = loop.outputs.front();
    const bool half = is_half(dtype);
    spec.state_bytes = static_cast<int>(itemsize(half ? DType::float32 : dtype));
  } else {
    const std::optional<int> known = members_ ? reduce::size_of(*members_, loop.variables) : std::nullopt;
    spec.state_bytes = std::min(known.value_or(reduce::kMaxAccumulator), reduce::kMaxAccumulator);
  }
  return spec;
}

codegen::UserText ReductionImpl::text_of(const ufunc::Loop& loop) const {
  codegen::UserText text = loops_->text_of(loop);
  text.stages = stages_;
  // Those that the map names: the loops' own are the ufuncs' that they are made of.
  for (std::size_t k = 0; k < text.input_names.size() && loop.definition != nullptr; ++k) {
    text.input_names[k] = "x" + std::to_string(k);
  }
  text.identity = loops_->definition().identity;
  return text;
}

ReductionDefinition ReductionImpl::definition_of(const ufunc::Loop& loop) const {
  const UfuncDefinition& made = loops_->definition_of(loop);
  ReductionDefinition definition;
  definition.name = made.name;
  definition.signatures = made.signatures;
  definition.accumulator = stages_.accumulator;
  definition.map = stages_.map;
  definition.reduce = made.body;
  definition.post = stages_.post;
  definition.identity = loops_->definition().identity;
  definition.reorderable = loops_->definition().reorderable;
  definition.compile = made.compile;
  if (loop.definition == nullptr) return definition;
  // Made for the dtypes of a call, whose inputs the map has names for.
  std::string signature = std::string(kiln::name(loop.outputs.front())) + "(";
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    signature += k == 0 ? "" : ", ";
    if ((constants() >> k & 1U) != 0) signature += "constant ";
    signature += std::string(kiln::name(loop.inputs[k])) + " x" + std::to_string(k);
  }
  definition.signatures = {signature + ")"};
  return definition;
}

program::Request ReductionImpl::request(const ufunc::Loop& loop, kinds::ReductionSpec spec, DeviceKind kind) const {
  return program::make_request(loops_->definition_of(loop).compile, text_of(loop), std::move(spec), kind, loop.text,
                               "reduction", loops_->warnings());
}

void ReductionImpl::report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const {
  if (forced) call.loop = ufunc::loop_text(plan.loop);
  if (!plan.reported.add(call)) return;
  if (cupy_ != nullptr) return recorder.used(*cupy_, call);
  recorder.used(definition_of(plan.loop), prepends_identity(), call);
}

}  // namespace kiln::detail
