// Ufunc::accumulate.
#include "ufunc/accumulate.hpp"

#include <algorithm>

#include "array/named_axes.hpp"
#include "array/rep.hpp"
#include "device/backend.hpp"
#include "kernel/scan/plan.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "layout/iteration.hpp"
#include "registry/registry.hpp"
#include "ufunc/reduction_loop.hpp"

namespace kiln::ufunc {
namespace {

/// Large code takes many registers, which a block would hold while it waits for others.
bool may_look_back(const kinds::ScanSpec& spec) {
  return spec.reorderable && spec.code != kinds::ScanCode::large;
}

}  // namespace

/// Everything that can be wrong, before anything is transferred or written.
void AccumulateCall::check() {
  operands_.place();
  choose_loop();
  find_axis();
  operands_.check_output(1, array().shape);
}

Array AccumulateCall::run() {
  check();
  Array result = operands_.handle(1);
  if (array().size == 0) {
    if (!result.valid()) result = operands_.allocate(array().shape, dtype());
    operands_.fetch({&result, 1});
    return result;
  }
  operands_.separate(true, false);
  const call::Place& place = operands_.at();
  if (!result.valid()) result = allocate();
  kinds::ScanLaunch launch = this->launch(operands_.rep(1) != nullptr ? *operands_.rep(1) : *result.rep());
  MethodVariant variant = this->variant();
  variant.scan.looks_back = place.gpu() && may_look_back(spec()) && kinds::may_look_back(launch);
  const Variant<kinds::ScanLayout>& kernel = ufunc_.variant(*plan_, variant, place.device);
  launch.looks_back = kernel.layout.looks_back;
  backend::Backend& backend = backend::backend_for(place.device);
  const std::shared_ptr<const void> kept = operands_.keep(backend, {&result, 1});
  kinds::launch(backend, *kernel.module, launch, operands_.launch_context(kept));
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
  operands_.fetch({&result, 1});
  return result;
}

const Loop& AccumulateCall::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  check();
  if (array().size == 0) call::fail_nothing(what());
  return plan_->loop;
}

std::vector<program::Request> AccumulateCall::requests() {
  const DeviceKind kind = operands_.at().device.kind();
  kinds::ScanSpec spec = this->spec();
  std::vector<program::Request> all{ufunc_.request(plan_->loop, spec, kind)};
  if (kind != DeviceKind::cpu && may_look_back(spec)) {
    spec.layout.looks_back = true;
    all.push_back(ufunc_.request(plan_->loop, spec, kind));
  }
  return all;
}

kinds::ScanSpec AccumulateCall::spec() const {
  return *ufunc_.specialize(plan_->loop, variant(), operands_.at().device.kind()).get_if<kinds::ScanSpec>();
}

void AccumulateCall::record(Recorder& recorder) const {
  call::Description call = operands_.description();
  call.method = name(Method::accumulate);
  call.axis = {options_.axis};
  if (options_.dtype || plan_->loop.definition != nullptr) call.dtype = dtype();
  if (plan_->reported.add(call)) recorder.used(ufunc_.definition_of(plan_->loop), call);
}

void AccumulateCall::choose_loop() {
  const PlanKey key(operands_, {.dtype = options_.dtype}, Method::accumulate);
  plan_ = ufunc_.scans().find(key);
  if (plan_ == nullptr) plan_ = &ufunc_.scans().add(key, chosen_loop());
  operands_.set_types(types_of(plan_->loop));
}

Loop AccumulateCall::chosen_loop() const {
  // As NumPy has it, a given result is the first operand, and add and multiply then widen nothing.
  if (operands_.is_given(0) && !options_.dtype && ufunc_.nin() == 2 && ufunc_.nout() == 1) {
    const Argument pair[] = {{operands_.rep(1)->dtype, false}, {array().dtype, false}};
    Loop loop = ufunc_.choose({.name = what(),
                               .options = ".dtype",
                               .reduces = true,
                               .signatures = ufunc_.signatures(),
                               .arguments = pair,
                               .definition = &ufunc_.definition()});
    if (loop.inputs[0] == loop.outputs[0] && loop.inputs[1] == loop.outputs[0]) return loop;
  }
  return choose_reduction_loop({.name = ufunc_.name(),
                                .method = "accumulate",
                                .signatures = ufunc_.signatures(),
                                .source = ufunc_.source(),
                                .array = array().dtype,
                                .dtype = options_.dtype,
                                .definition = &ufunc_.definition(),
                                .has_out = operands_.is_given(0),
                                .identity = !ufunc_.definition().identity.empty()});
}

void AccumulateCall::find_axis() {
  if (array().shape.empty()) throw ShapeError(what() + ": a 0-d array has no axis to accumulate along");
  const Dims named = detail::named_axes([this] { return what(); }, options_.axis, array().shape);
  axis_ = static_cast<std::size_t>(std::find(named.begin(), named.end(), 1) - named.begin());
}

/// Axes in memory as the array has them.
Array AccumulateCall::allocate() const {
  const Shape& shape = array().shape;
  const layout::Operand operands[] = {{&shape, &array().strides, static_cast<std::int64_t>(itemsize(array().dtype))},
                                      {nullptr, nullptr, static_cast<std::int64_t>(itemsize(dtype()))}};
  const bool on_host = operands_.results_on_host();
  return detail::allocate(shape, dtype(), layout::Iteration(shape, operands).memory_order(), on_host,
                          on_host ? Device::cpu() : operands_.at().device);
}

kinds::ScanLaunch AccumulateCall::launch(const detail::ArrayRep& to) const {
  const detail::ArrayRep& from = array();
  const auto without_axis = [this](const Dims& dims) {
    Dims rest;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (d != axis_) rest.push_back(dims[d]);
    }
    return rest;
  };
  const Shape lanes = without_axis(from.shape);
  const Strides input = without_axis(from.strides);
  const Strides output = without_axis(to.strides);
  const layout::Operand operands[] = {{&lanes, &input, static_cast<std::int64_t>(itemsize(from.dtype))},
                                      {&lanes, &output, static_cast<std::int64_t>(itemsize(to.dtype))}};
  const layout::Iteration iteration(lanes, operands);
  const auto list = [](std::span<const std::int64_t> numbers) {
    return std::vector<std::int64_t>(numbers.begin(), numbers.end());
  };
  return {.input = from.data + iteration.offset(0),
          .output = to.data + iteration.offset(1),
          .extent = from.shape[axis_],
          .input_stride = from.strides[axis_],
          .output_stride = to.strides[axis_],
          .shape = list(iteration.shape()),
          .input_strides = list(iteration.strides(0)),
          .output_strides = list(iteration.strides(1)),
          .reorderable = ufunc_.reorderable(),
          .itemsize = static_cast<std::int64_t>(itemsize(from.dtype)),
          .tile = kinds::scan_tile(spec())};
}

}  // namespace kiln::ufunc
