#include "gufunc/call.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "call/shapes.hpp"
#include "gufunc/tuning.hpp"
#include "registry/registry.hpp"
#include "ufunc/constants.hpp"

namespace kiln::gufunc {
Call::Call(const detail::GufuncImpl& gufunc, std::span<const Arg> args, const GufuncOptions& options,
           const backend::StopRequest* stop)
    : gufunc_(gufunc),
      options_(options),
      nin_(gufunc.nin()),
      nout_(gufunc.nout()),
      operands_(gufunc, {args, options.where, options.out.list(), {options.stream, options.device, stop}}, nin_, nout_) {}

/// Everything that can be wrong, before anything is transferred or written.
void Call::check() {
  operands_.place();
  choose_loop();
  resolve_shapes();
  check_outputs();
}

void Call::run(std::span<Array> results) {
  operands_.place();
  choose_loop();
  if (run_as_before(results)) return;
  resolve_shapes();
  check_outputs();
  // A body reads and writes in its own order, so that even the same window is not safe; and what it leaves as it is must be
  // there.
  operands_.separate(false, true);
  if (nothing_to_do()) {
    allocate(shape_.output_shapes, results);
    return operands_.fetch(results);
  }
  const CoreLayout layout = lay_out();
  kinds::GufuncSpec spec = make_spec(layout, true, on_gpu());
  // Compiling may throw: nothing has been written yet.
  std::shared_ptr<backend::Module> module = find_kernel(layout, spec);
  allocate(shape_.output_shapes, results);
  const std::shared_ptr<const kinds::GufuncNumbers> numbers = numbers_of(layout, spec);
  start(*module, numbers, offsets_of(layout), results);
  if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, spec);
  remember(layout, numbers, std::move(module));
  operands_.fetch(results);
}

const ufunc::Loop& Call::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  check();
  if (nothing_to_do()) call::fail_nothing(gufunc_.name());
  return plan_->loop;
}

std::vector<program::Request> Call::requests(bool constants) {
  operands_.separate(false, true);
  const CoreLayout layout = lay_out();
  const kinds::GufuncSpec general = make_spec(layout, false, on_gpu());
  std::vector<kinds::GufuncSpec> specs{constants ? make_spec(layout, true, on_gpu()) : general};
  if (constants) specs.push_back(general);
  std::ranges::move(for_any_sizes(general, on_gpu(), false), std::back_inserter(specs));
  std::vector<program::Request> requests;
  for (const ufunc::Loop& loop : ufunc::for_all_values(plan_->loop)) {
    for (const kinds::GufuncSpec& spec : specs) {
      requests.push_back(gufunc_.request(loop, spec, operands_.at().device.kind()));
    }
  }
  return requests;
}

cache::Contents Call::compiled() {
  plan();
  return program::compiled(requests().front(), *backend::backend_for(operands_.at().device).compiler());
}

void Call::choose_loop() {
  const ufunc::LoopOptions options{options_.casting, options_.dtype, options_.signature};
  const ufunc::PlanKey key(operands_, options);
  plan_ = gufunc_.plans().find(key);
  if (plan_ == nullptr) {
    const std::vector<ufunc::Argument> arguments = ufunc::arguments_of(operands_);
    ufunc::Loop loop = ufunc::choose_loop({.name = gufunc_.name(),
                                           .signatures = gufunc_.signatures(),
                                           .arguments = arguments,
                                           .dtype = options.dtype,
                                           .forced_signature = options.signature,
                                           .casting = options.casting});
    operands_.check_casts(ufunc::types_of(loop), options.casting);
    plan_ = &gufunc_.plans().add(key, std::move(loop));
  }
  const call::Types types = ufunc::types_of(plan_->loop);
  operands_.set_types(types);
  operands_.convert_scalars(types, options_.casting);
  if (gufunc_.constants() != 0) plan_ = &ufunc::for_constants(*plan_, operands_, gufunc_);
  take_scalars();
}

/// What stands for core dimensions that may be left out: the body reads it as a view.
void Call::take_scalars() {
  for (std::size_t i = 0; i < nin_; ++i) {
    if (!is_scalar(i) || gufunc_.layout().of(i).empty()) continue;
    const Array made = Array::empty({}, compute_dtype(i));
    std::memcpy(made.data(), operands_.value(i), itemsize(made.dtype()));
    const bool send = on_gpu() && !operands_.at().on_host && !operands_.planned();
    operands_.replace(i, send ? to_device(made, operands_.at().device) : made);
  }
}

void Call::resolve_shapes() {
  static const Shape none;
  std::vector<const Shape*> inputs;
  for (std::size_t i = 0; i < nin_; ++i) inputs.push_back(is_scalar(i) ? &none : &operands_.rep(i)->shape);
  std::vector<const Shape*> outputs;
  for (std::size_t k = operands_.inputs(); k < operands_.count(); ++k) {
    outputs.push_back(operands_.rep(k) != nullptr ? &operands_.rep(k)->shape : nullptr);
  }
  shape_ = core_shape(gufunc_.core(), {.inputs = inputs,
                                       .outputs = outputs,
                                       .axes = options_.axes,
                                       .axis = options_.axis,
                                       .keepdims = options_.keepdims,
                                       .where = operands_.masked() ? &operands_.rep(nin_)->shape : nullptr});
  for (std::size_t o = 0; o < nout_; ++o) {
    detail::checked_size(shape_.output_shapes[o], static_cast<std::int64_t>(itemsize(storage_dtype(nin_ + o))));
  }
}

void Call::check_outputs() const {
  for (std::size_t k = operands_.inputs(); k < operands_.count(); ++k) {
    if (operands_.rep(k) != nullptr) operands_.check_output(k, operands_.rep(k)->shape);
  }
}

void Call::allocate(std::span<const Shape> shapes, std::span<Array> results) const {
  operands_.give(results);
  for (std::size_t o = 0; o < nout_; ++o) {
    if (operands_.is_given(o)) continue;
    const DType dtype = plan_->loop.outputs[o];
    // Items that a mask leaves out are zero.
    results[o] = operands_.masked() ? operands_.zeros(shapes[o], dtype) : operands_.allocate(shapes[o], dtype);
  }
}

CallLayout Call::layout_of_call() const {
  CallLayout layout;
  const call::Place& place = operands_.at();
  // Staged arrays lie elsewhere, and lists of axes are rare.
  if (place.staged || !options_.axes.empty()) return layout;
  const auto add = [&](std::int64_t number) {
    if (layout.count < CallLayout::kMost) layout.numbers[layout.count] = number;
    ++layout.count;
  };
  add(static_cast<std::int64_t>(place.device.kind()) << 32 | place.device.index());
  add((options_.keepdims ? 2 : 0) | (options_.axis ? 1 : 0));
  add(options_.axis.value_or(0));
  for (const call::Operand& operand : operands_.all()) {
    if (operand.rep == nullptr) {
      add(operand.scalar != nullptr ? -1 : -2);
      continue;
    }
    add(static_cast<std::int64_t>(operand.rep->shape.size()));
    for (const std::int64_t extent : operand.rep->shape) add(extent);
    for (const std::int64_t stride : operand.rep->strides) add(stride);
  }
  if (layout.count > CallLayout::kMost) layout.count = 0;
  return layout;
}

bool Call::run_as_before(std::span<Array> results) {
  const CallLayout layout = layout_of_call();
  if (layout.count == 0) return false;
  const Prepared* const known = plan_->prepared.find(layout);
  if (known == nullptr) return false;
  check_outputs();
  if (operands_.overlapping_inputs(false) != 0) return false;
  allocate(known->outputs, results);
  start(*known->module, known->numbers, known->offsets, results);
  operands_.fetch(results);
  return true;
}

void Call::remember(const CoreLayout& layout, std::shared_ptr<const kinds::GufuncNumbers> numbers,
                    std::shared_ptr<backend::Module> module) {
  const CallLayout key = layout_of_call();
  if (key.count == 0 || plan_->prepared.find(key) != nullptr) return;
  if (plan_->remembered.fetch_add(1, std::memory_order_relaxed) >= tuning::kMaxRemembered) {
    plan_->remembered.store(tuning::kMaxRemembered, std::memory_order_relaxed);
    return;
  }
  plan_->prepared.add(key, std::move(module), std::move(numbers), offsets_of(layout), shape_.output_shapes);
}

// A call that is run as before was recorded then.
void Call::record(ufunc::Recorder& recorder, const kinds::GufuncSpec& spec) const {
  call::Description call = operands_.description(!plan_->loop.constants.empty());
  const ufunc::LoopOptions loop{options_.casting, options_.dtype, options_.signature};
  if (loop.force()) call.loop = ufunc::loop_text(plan_->loop);
  if (options_.axis) call.axis = {*options_.axis};
  call.axes = options_.axes;
  call.keepdims = options_.keepdims;
  // The kernel that is left where too many have been compiled.
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
    call.any_sizes = call.any_sizes || (!spec.dimensions[d].size && shape_.sizes[d] <= tuning::kSmallCore);
  }
  if (plan_->reported.add(call)) recorder.used(gufunc_.definition(), call);
}

}  // namespace kiln::gufunc
