#include "reduce/impl.hpp"

#include <algorithm>
#include <utility>

#include "kernel/reduction/spec.hpp"
#include "source/body_tokens.hpp"
#include "source/cuda_kernels.hpp"
#include "source/scanner.hpp"
#include "types/each_dtype.hpp"

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
                             std::shared_ptr<const cupy::ReductionDefinition> cupy, ufunc::Method method)
    : Target(method),
      loops_(std::move(loops)),
      stages_(std::move(stages)),
      members_(std::move(members)),
      combine_(std::move(combine)),
      cupy_(std::move(cupy)),
      indexed_(stages_.cupy ? stages_.counts_all() || stages_.map_places.of_reduced : names(stages_.map, "i")) {
  constants_ = loops_->constants();
  raw_operands_ = loops_->raw_operands();
  inout_ = stages_.read_outputs;
  for (std::size_t k = 0; raw_operands_ != 0 && k < loops_->nin(); ++k) {
    if ((raw_operands_ >> k & 1U) == 0) continue;
    for (const std::string& part : {stages_.map, stages_.post, loops_->definition().identity}) {
      const codegen::UserText text{.body = part};
      const bool takes = codegen::takes_element_address(text, loops_->signatures().front().inputs[k].name);
      addressed_ |= std::uint64_t{takes} << k;
    }
  }
  if (!members_) return;
  for (const reduce::Member& member : *members_) stages_.members.push_back(member.name);
}

kinds::ReductionSpec ReductionImpl::spec_of(const ufunc::Loop& loop) const {
  kinds::ReductionSpec spec;
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    const kinds::Access access = loop.is_raw(k) ? kinds::Access::raw : kinds::Access::contiguous;
    spec.inputs.push_back({loop.inputs[k], loop.inputs[k], access});
  }
  for (const DType dtype : loop.outputs) spec.outputs.push_back({dtype, dtype});
  spec.identity = has_identity();
  spec.ordered = !reorderable();
  spec.part = is_part();
  spec.stages = true;
  spec.indexed = indexed_;
  spec.prepends_identity = stages_.prepends_identity && spec.identity;
  if (!stages_.type.empty()) {
    const std::optional<DType> dtype = reduce::dtype_of(stages_.type, loop.variables);
    spec.state_bytes = dtype ? static_cast<int>(itemsize(*dtype)) : reduce::kMaxAccumulator;
  } else if (stages_.accumulator.empty()) {
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
  if (stages_.cupy) {
    text.type_variables.emplace_back("IndexT", DType::int64);  // which preambles know, too
    text.headers.emplace_back("kiln/elementwise/cupy.hpp");
  }
  if (raw_operands_ != 0) text.headers.emplace_back("kiln/elementwise/raw_array.hpp");
  return text;
}

ReductionDefinition ReductionImpl::definition() const {
  return with_texts(loops_->definition());
}

ReductionDefinition ReductionImpl::with_texts(const UfuncDefinition& made) const {
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
  if (stages_.cupy) {
    definition.map = "return " + definition.map + "\n;";
    definition.reduce = "return " + definition.reduce + "\n;";
    definition.post += "\n;";
    definition.compile.functions = "#include <cupy/carray.cuh>\n" + definition.compile.functions;
  }
  return definition;
}

ReductionDefinition ReductionImpl::definition_of(const ufunc::Loop& loop) const {
  ReductionDefinition definition = with_texts(loops_->definition_of(loop));
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
  const codegen::UserText text = text_of(loop);
  if (stages_.cupy) {
    codegen::check_no_assembly(text, kind);
    codegen::check_no_threads(text);
  }
  return program::make_request(loops_->definition_of(loop).compile, text, std::move(spec), kind, loop.text, "reduction",
                               loops_->warnings());
}

void ReductionImpl::report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const {
  if (is_part()) {
    call.method = ufunc::name(method_);
    call.out.clear();
  }
  if (forced) call.loop = ufunc::loop_text(plan.loop);
  if (!plan.reported.add(call)) return;
  if (cupy_ != nullptr) return recorder.used(*cupy_, call);
  recorder.used(definition_of(plan.loop), prepends_identity(), call);
}

}  // namespace kiln::detail
