#include "gufunc/call.hpp"

#include <algorithm>
#include <utility>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "layout/overlap.hpp"
#include "types/convert.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::gufunc {
Call::Call(const detail::GufuncImpl& gufunc, std::span<const Arg> args, const GufuncOptions& options)
    : gufunc_(gufunc),
      args_(args),
      options_(options),
      nin_(gufunc.nin()),
      nout_(gufunc.nout()),
      inputs_(nin_),
      outs_(nout_),
      where_(options.where) {
  if (args.size() != nin_) {
    throw TypeError(gufunc.name() + " takes " + ufunc::counted(nin_, "argument") + ", " + std::to_string(args.size()) +
                    " given; its layout is " + gufunc.layout().text);
  }
  for (std::size_t i = 0; i < nin_; ++i) {
    if (!args[i].is_array()) continue;
    inputs_[i] = args[i].array();
    if (!inputs_[i]) {
      throw TypeError(gufunc.name() + ": " + gufunc.operand_name(i) + " is an empty Array handle, not an array");
    }
  }
  std::ranges::copy(ufunc::outs_given(names(), nin_, nout_, options.out), outs_.begin());
  if (where_) ufunc::check_mask(names(), where_);
  if (nin_ + nout_ + (where_ ? 1U : 0U) > std::size_t{backend::kMaxOperands}) {
    throw TypeError(gufunc.name() + ": .where makes more operands than the " + std::to_string(backend::kMaxOperands) +
                    " that a kernel takes; use fewer operands");
  }
}

ufunc::CallNames Call::names() const {
  return {gufunc_.name(), [this](std::size_t operand) { return gufunc_.operand_name(operand); }};
}

DType Call::compute_dtype(std::size_t operand) const {
  return operand < nin_ ? plan_->loop.inputs[operand] : plan_->loop.outputs[operand - nin_];
}

DType Call::storage_dtype(std::size_t operand) const {
  const Array& array = operand < nin_ ? inputs_[operand] : outs_[operand - nin_];
  return array ? array.dtype() : compute_dtype(operand);
}

void Call::run(std::span<Array> results) {
  place();
  choose_loop();
  resolve_shapes();
  check_outputs();
  if (place_.staged) return run_through_device(results);
  separate();
  const CoreLayout layout = lay_out();
  codegen::GufuncSpec spec = make_spec(layout, true, gpu_);
  if (nothing_to_do(spec)) {
    std::ranges::move(allocate(), results.begin());
    return;
  }
  backend::Backend& backend = backend::backend_for(place_.device);
  // Compiling may throw: nothing has been allocated or written yet.
  const Kernel& kernel = find_kernel(layout, spec, backend);
  if (compiled_ != nullptr) {
    *compiled_ = program::compiled(gufunc_.request(plan_->loop, spec, backend.kind()), *backend.compiler());
    return;
  }
  const std::vector<Array> made = allocate();
  std::shared_ptr<const void> keep;
  if (backend.asynchronous(queue())) {
    auto kept = std::make_shared<std::vector<Array>>(inputs_);
    kept->insert(kept->end(), made.begin(), made.end());
    kept->push_back(where_);
    keep = std::move(kept);
  }
  kinds::launch(backend, *kernel.module, make_launch(layout, spec, made), queue(), std::move(keep));
  if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, layout, spec);
  std::ranges::copy(made, results.begin());
}

cache::Contents Call::compiled() {
  cache::Contents kernel;
  compiled_ = &kernel;
  std::vector<Array> results(nout_);
  run(results);
  ufunc::check_compiled(gufunc_.name(), kernel);
  return kernel;
}

void Call::place() {
  const std::size_t operands = nin_ + nout_;
  const auto rep_of = [&](std::size_t i) {
    return (i < nin_ ? inputs_[i] : i < operands ? outs_[i - nin_] : where_).rep().get();
  };
  const auto name_of = [&](std::size_t i) { return i < operands ? gufunc_.operand_name(i) : std::string(".where"); };
  place_ = call::choose_place(gufunc_.name(), operands + 1, rep_of, name_of, options_.stream);
  gpu_ = !place_.device.is_cpu();
}

void Call::choose_loop() {
  TypePlan::Key key;
  std::vector<ufunc::Argument> arguments;
  for (std::size_t i = 0; i < nin_; ++i) {
    const ufunc::Argument argument{is_scalar(i) ? args_[i].dtype() : inputs_[i].dtype(), is_scalar(i)};
    key += static_cast<char>(static_cast<unsigned>(argument.dtype) | (argument.weak ? 0x80U : 0U));
    arguments.push_back(argument);
  }
  key += static_cast<char>(options_.casting);
  key += options_.dtype ? static_cast<char>(*options_.dtype) : '\xff';
  key += options_.signature;
  plan_ = gufunc_.find_plan(key);
  if (plan_ == nullptr) {
    plan_ = &gufunc_.make_plan(key, {.name = gufunc_.name(),
                                     .signatures = gufunc_.signatures(),
                                     .arguments = arguments,
                                     .dtype = options_.dtype,
                                     .forced_signature = options_.signature,
                                     .casting = options_.casting});
  }
  ufunc::check_results(names(), plan_->loop, options_.out.arrays(), options_.casting);
  for (std::size_t i = 0; i < nin_; ++i) {
    if (!is_scalar(i)) continue;
    ufunc::check_fits(names(), plan_->loop, args_[i], i, compute_dtype(i), options_.casting);
    if (!gufunc_.layout().of(i).empty()) inputs_[i] = array_of_scalar(i);
  }
}

/// What stands for core dimensions that may be left out: the body reads it as a view.
Array Call::array_of_scalar(std::size_t input) const {
  const Array made = Array::empty({}, compute_dtype(input));
  convert_scalar(args_[input].dtype(), args_[input].value(), made.dtype(), made.data());
  return gpu_ && !place_.on_host ? to_device(made, place_.device) : made;
}

void Call::resolve_shapes() {
  static const Shape none;
  std::vector<const Shape*> inputs;
  for (std::size_t i = 0; i < nin_; ++i) inputs.push_back(is_scalar(i) ? &none : &inputs_[i].shape());
  std::vector<const Shape*> outputs;
  for (const Array& out : outs_) outputs.push_back(out ? &out.shape() : nullptr);
  shape_ = core_shape(gufunc_.core(), {.inputs = inputs,
                                       .outputs = outputs,
                                       .axes = options_.axes,
                                       .axis = options_.axis,
                                       .keepdims = options_.keepdims,
                                       .where = where_ ? &where_.shape() : nullptr});
  for (std::size_t o = 0; o < nout_; ++o) {
    detail::checked_size(shape_.output_shapes[o], static_cast<std::int64_t>(itemsize(storage_dtype(nin_ + o))));
  }
}

void Call::check_outputs() const {
  for (std::size_t o = 0; o < nout_; ++o) {
    if (!outs_[o]) continue;
    const detail::ArrayRep& out = *outs_[o].rep();
    call::check_output(gufunc_.name(), out, out.shape, [this](std::size_t k) { return gufunc_.operand_name(k); }, nin_ + o);
    for (std::size_t other = 0; other < o; ++other) {
      if (outs_[other] && call::share_memory(out, *outs_[other].rep())) {
        call::fail_shared_outputs(gufunc_.name(), gufunc_.operand_name(nin_ + other), gufunc_.operand_name(nin_ + o));
      }
    }
  }
}

/// Inputs that share a byte with an output, the mask as number nin. A body reads and writes in its own order, so that even the
/// same window is not safe.
std::vector<std::size_t> Call::overlapping_inputs() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i <= nin_; ++i) {
    const Array& input = i < nin_ ? inputs_[i] : where_;
    const bool overlaps = input && std::any_of(outs_.begin(), outs_.end(), [&](const Array& out) {
                            return out && call::share_memory(*input.rep(), *out.rep());
                          });
    if (overlaps) found.push_back(i);
  }
  return found;
}

void Call::separate() {
  for (const std::size_t i : overlapping_inputs()) {
    // The copy is made at once, so work that is still queued must be done.
    if (queue() != nullptr) queue()->synchronize();
    Array& input = i < nin_ ? inputs_[i] : where_;
    input = input.copy();
  }
}

/// Host arrays and a GPU: the inputs are brought there, the call is made on device arrays, host outputs are fetched.
void Call::run_through_device(std::span<Array> results) {
  std::vector<Array> moved = inputs_;
  std::vector<Arg> args;
  for (std::size_t i = 0; i < nin_; ++i) {
    if (moved[i] && moved[i].is_host()) moved[i] = call::send(moved[i], place_.device);
    if (moved[i]) {
      args.emplace_back(moved[i]);
    } else {
      args.push_back(args_[i]);
    }
  }
  GufuncOptions options = options_;
  if (where_) options.where = where_.is_host() ? call::send(where_, place_.device) : where_;
  std::vector<Array> targets;
  for (std::size_t o = 0; o < nout_; ++o) {
    const Array& out = outs_[o];
    // What a mask, or a body, leaves as it is must be there.
    targets.push_back(!out ? allocate_one(o, false) : !out.is_host() ? out : call::send(out, place_.device));
  }
  options.out = Outputs(targets);
  std::vector<Array> made(nout_);
  Call on_device(gufunc_, args, options);
  on_device.compiled_ = compiled_;
  on_device.run(made);
  if (compiled_ != nullptr) return;
  call::fetch_results(outs_, made, place_, results);
}

Array Call::allocate_one(std::size_t output, bool on_host) const {
  const Shape& shape = shape_.output_shapes[output];
  const DType dtype = compute_dtype(nin_ + output);
  // Items that a mask leaves out are zero.
  if (where_) {
    const Array zeros = Array::zeros(shape, dtype);
    return on_host ? zeros : to_device(zeros, place_.device);
  }
  return on_host ? Array::empty(shape, dtype) : device_array(shape, dtype, place_.device);
}

std::vector<Array> Call::allocate() const {
  std::vector<Array> all = outs_;
  for (std::size_t o = 0; o < nout_; ++o) {
    if (!all[o]) all[o] = allocate_one(o, place_.on_host);
  }
  return all;
}

}  // namespace kiln::gufunc
