#include "ufunc/impl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "autotune/tuner.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernel/reduction/spec.hpp"
#include "kernel/scan/plan.hpp"
#include "kernel/scan/spec.hpp"
#include "kernel/scatter/layout.hpp"
#include "kernel/scatter/text.hpp"
#include "kiln/cupy_elementwise.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"
#include "source/body_tokens.hpp"
#include "source/cuda_kernels.hpp"
#include "ufunc/constants.hpp"
#include "ufunc/cost.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::detail {

namespace {

kinds::AskedPlace asked_place(const codegen::UserText& text) {
  if (!text.cupy) return {.number = codegen::asks_for_index(text), .size = codegen::calls_kilns(text, "size")};
  const auto named = [&text](std::string_view name) {
    for (const auto* list : {&text.input_names, &text.output_names}) {
      if (std::ranges::find(*list, name) != list->end()) return false;
    }
    return std::ranges::any_of(codegen::texts_of(text),
                               [&](const auto& part) { return codegen::names_any(part.second, std::array{name}); });
  };
  return {.i = named("i"), .n = named("n"), .indexer = named("_ind")};
}

}  // namespace

UfuncImpl::UfuncImpl(UfuncDefinition definition, std::vector<signature::TypeSignature> signatures,
                     std::unique_ptr<const ufunc::LoopSource> source, std::shared_ptr<const cupy::ElementwiseDefinition> cupy)
    : definition_(std::move(definition)),
      signatures_(std::move(signatures)),
      source_(std::move(source)),
      cupy_(std::move(cupy)),
      arithmetic_bound_(source_ != nullptr ? source_->arithmetic_bound()
                                           : ufunc::names_slow_function(definition_.body) ||
                                                 ufunc::names_slow_function(definition_.expression) ||
                                                 ufunc::names_slow_function(definition_.compile.functions)) {
  constants_ = constants_of(signatures_.front());
  raw_operands_ = ufunc::raw_operands_of(signatures_.front());
  inout_ = ufunc::inout_of(signatures_.front());
  if (source_ != nullptr) return;
  const codegen::UserText text = text_of({});
  place_ = asked_place(text);
  finds_races_ = raw_operands_ >> nin() != 0 && text.debug.race;
  for (std::size_t k = 0; raw_operands_ != 0 && k < nin() + nout(); ++k) {
    const std::string& operand = (k < nin() ? signatures_.front().inputs[k] : signatures_.front().outputs[k - nin()]).name;
    const bool raw = (raw_operands_ >> k & 1U) != 0 && !operand.empty();
    addressed_ |= std::uint64_t{raw && codegen::takes_element_address(text, operand)} << k;
  }
}

void UfuncImpl::check_of_elements(const char* method) const {
  if (!by_elements() && inout_ == 0) return;
  if (inout_ != 0) {
    throw TypeError(name() + method + ": " + operand_name(nin() + static_cast<std::size_t>(std::countr_zero(inout_))) +
                    " is inout, and only calls read outputs");
  }
  for (std::size_t k = 0; k < nin() + nout(); ++k) {
    if ((raw_operands_ >> k & 1U) == 0) continue;
    throw TypeError(name() + method + ": " + operand_name(k) + " is raw, and only calls take raw operands");
  }
  throw TypeError(name() + method + ": the body asks for " + (place_.number ? "index()" : "size()") +
                  ", which only calls have");
}

call::ConstantInputs constants_of(const signature::TypeSignature& signature) noexcept {
  call::ConstantInputs constants = 0;
  for (std::size_t k = 0; k < signature.inputs.size(); ++k) {
    constants |= call::ConstantInputs{signature.inputs[k].constant} << k;
  }
  return constants;
}

std::string UfuncImpl::operand_name(std::size_t operand) const {
  const bool input = operand < nin();
  const std::size_t index = input ? operand : operand - nin();
  const std::string& given = input ? signatures_.front().inputs[index].name : signatures_.front().outputs[index].name;
  return (input ? "input " : "output ") + std::to_string(index) + (given.empty() ? "" : " (" + given + ")");
}

ufunc::Loop UfuncImpl::choose(const call::Operands& operands, const ufunc::LoopOptions& options) const {
  const std::vector<ufunc::Argument> arguments = ufunc::arguments_of(operands);
  std::vector<std::optional<DType>> outputs;
  for (std::size_t o = 0; o < nout(); ++o) {
    const detail::ArrayRep* const rep = operands.rep(operands.inputs() + o);
    outputs.push_back(rep != nullptr ? std::optional(rep->dtype) : std::nullopt);
  }
  ufunc::Loop loop = choose({.name = name(),
                             .signatures = signatures_,
                             .arguments = arguments,
                             .outputs = outputs,
                             .dtype = options.dtype,
                             .forced_signature = options.signature,
                             .casting = options.casting,
                             .definition = &definition_});
  operands.check_casts(ufunc::types_of(loop), options.casting);
  loop.place = place_;
  loop.finds_races = finds_races_;
  return loop;
}

const ufunc::Variant<ufunc::LayoutClass>& UfuncImpl::variant(Plan& plan, const ufunc::LayoutClass& layout,
                                                             const call::Operands& operands,
                                                             const ufunc::Tiling& tiling) const {
  const Device& device = operands.at().device;
  if (const auto* const known = plan.variants.find({layout, device})) return *known;
  const std::vector<DType> storage = operands.storage_dtypes();
  const std::vector<ufunc::LayoutClass> right = ufunc::stand_ins(layout, operands.count(), device.kind(), tiling, raw_count());
  const auto spec_of = [&](const ufunc::Loop& loop, std::size_t i) {
    return ufunc::specialize(loop, storage, right[i], device.kind());
  };
  program::Loaded loaded = ufunc::load_any(
      plan.loop, right.size(),
      [&](const ufunc::Loop& loop, std::size_t i) { return request(loop, spec_of(loop, i), device.kind()); },
      backend::backend_for(device));
  const kinds::ElementwiseSpec spec = spec_of(plan.loop, loaded.which);
  std::unique_ptr<autotune::Tuned> tuned;
  if (!device.is_cpu() && spec.tile == 0 && spec.walk == kinds::Walk::packs) {
    tuned = std::make_unique<autotune::Tuned>();
    backend::Backend& backend = backend::backend_for(device);
    const auto load = [&](int accesses) { return with_accesses(plan.loop, spec, accesses, backend); };
    autotune::read({.backend = backend,
                    .module = loaded.module,
                    .accesses = spec.unroll,
                    .all_accesses = ufunc::tuning::accesses(),
                    .cache = definition_of(plan.loop).compile.cache,
                    .load = load},
                   *tuned);
  }
  return plan.variants.add({layout, device}, std::move(loaded.module), right[loaded.which], spec.width, spec.unroll,
                           std::int64_t{0}, std::move(tuned));
}

std::shared_ptr<backend::Module> UfuncImpl::with_accesses(const ufunc::Loop& loop, kinds::ElementwiseSpec spec, int accesses,
                                                          backend::Backend& backend) const {
  spec.unroll = accesses;
  return program::load(request(loop, std::move(spec), backend.kind()), backend);
}

const ufunc::Variant<kinds::ScanLayout>& UfuncImpl::variant(ScanPlan& plan, const ufunc::MethodVariant& variant,
                                                            const Device& device) const {
  if (const auto* const known = plan.variants.find({variant.scan, device})) return *known;
  const auto spec = *specialize(plan.loop, variant, device.kind()).get_if<kinds::ScanSpec>();
  const std::vector<kinds::ScanLayout> right = kinds::stand_ins(variant.scan, spec);
  program::Loaded loaded = program::load_any(
      right.size(),
      [&](std::size_t i) {
        ufunc::MethodVariant each = variant;
        each.scan = right[i];
        return request(plan.loop, specialize(plan.loop, each, device.kind()), device.kind());
      },
      backend::backend_for(device));
  return plan.variants.add({variant.scan, device}, std::move(loaded.module), right[loaded.which]);
}

const ufunc::Variant<kinds::ScatterLayout>& UfuncImpl::variant(AtPlan& plan, const ufunc::MethodVariant& variant,
                                                               const Device& device) const {
  if (const auto* const known = plan.variants.find({variant.layout, device})) return *known;
  const std::vector<kinds::ScatterLayout> right = kinds::stand_ins(variant.layout);
  program::Loaded loaded = program::load_any(
      right.size(),
      [&](std::size_t i) {
        ufunc::MethodVariant each = variant;
        each.layout = right[i];
        return request(plan.loop, specialize(plan.loop, each, device.kind()), device.kind());
      },
      backend::backend_for(device));
  return plan.variants.add({variant.layout, device}, std::move(loaded.module), right[loaded.which]);
}

kinds::KernelSpec UfuncImpl::specialize(const ufunc::Loop& loop, const ufunc::MethodVariant& variant, DeviceKind kind) const {
  using ufunc::Method;
  const DType result = variant.result.value_or(loop.outputs[0]);
  if (variant.method == Method::accumulate) {
    kinds::ScanSpec spec{.input = {variant.array, loop.outputs[0]}, .output = result, .reorderable = reorderable()};
    if (kind == DeviceKind::cpu) return spec;
    spec.commutes = spec.reorderable && kinds::commutes(loop.outputs[0], !definition_.identity.empty());
    spec.code = source_ == nullptr ? ufunc::scan_code(text_of(loop).body) : kinds::ScanCode::large;
    spec.layout = variant.scan;
    return spec;
  }
  kinds::ScatterSpec spec{.target = {variant.array, loop.inputs[0]}, .result = loop.outputs[0]};
  if (variant.value) spec.value = kinds::OperandSpec{*variant.value, loop.inputs[1]};
  if (kind == DeviceKind::cpu) return spec;
  spec.layout = variant.layout;
  // A function of one input is the same in any order. No device swaps 16 bytes.
  const bool any_order = reorderable() && kinds::commutes(loop.outputs[0], !definition_.identity.empty());
  spec.ordered = (variant.value && !any_order) || itemsize(variant.array) > 8;
  if (!spec.ordered && definition_of(loop).compile.defines.empty()) spec.atomic = kinds::atomic_of(text_of(loop), spec);
  return spec;
}

program::Request UfuncImpl::request(const ufunc::Loop& loop, const kinds::KernelSpec& spec, DeviceKind kind) const {
  codegen::UserText text = text_of(loop);
  if (const auto* reduction = spec.get_if<kinds::ReductionSpec>(); reduction != nullptr && reduction->identity) {
    text.identity = definition_.identity;
  }
  // As when it was defined, whatever the environment says by now.
  if (const auto* elements = spec.get_if<kinds::ElementwiseSpec>(); elements != nullptr) {
    text.debug.race = text.debug.race || elements->finds_races;
  }
  if (cupy_ != nullptr) {
    codegen::check_no_assembly(text, kind);
    codegen::check_no_threads(text);
  }
  // What others link leaves no faults behind for this library.
  if (!spec->exported_function().empty()) text.debug = {};
  return program::make_request(definition_of(loop).compile, text, spec, kind, loop.text, "ufunc", warnings_);
}

codegen::UserText UfuncImpl::text_of(const ufunc::Loop& loop) const {
  const signature::TypeSignature& first = signatures_.front();
  const UfuncDefinition& definition = definition_of(loop);
  codegen::UserText text;
  text.name = definition.name;
  text.expression = !definition.expression.empty();
  text.body = text.expression ? definition.expression : definition.body;
  program::add_options(text, definition.compile);
  for (const auto& input : first.inputs) text.input_names.push_back(input.name);
  if (first.named_outputs) {
    for (const auto& output : first.outputs) text.output_names.push_back(output.name);
  }
  if (cupy_ != nullptr) text.cupy = codegen::CupyLoop{.loop_prep = cupy_->loop_prep, .after_loop = cupy_->after_loop};
  text.type_variables = loop.variables;
  text.constants = loop.constants;
  return text;
}

}  // namespace kiln::detail
