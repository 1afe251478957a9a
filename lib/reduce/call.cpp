#include "reduce/call.hpp"

#include <algorithm>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "types/convert.hpp"
#include "ufunc/axes.hpp"
#include "ufunc/reduction_plan.hpp"

namespace kiln::reduce {
Call::Call(const detail::ReductionImpl& reduction, std::span<const Arg> args, const ReductionOptions& options)
    : reduction_(reduction),
      args_(args),
      options_(options),
      nin_(reduction.loops().nin()),
      nout_(reduction.loops().nout()),
      masked_(static_cast<bool>(options.where)),
      inputs_(nin_ + (masked_ ? 1 : 0)),
      count_(inputs_ + nout_),
      operands_(count_) {
  take_arguments();
}

void Call::take_arguments() {
  const std::string& name = reduction_.name();
  if (args_.size() != nin_) {
    std::string loops;
    for (const auto& signature : reduction_.loops().signatures()) loops += (loops.empty() ? "" : "; ") + signature.text;
    throw TypeError(name + " takes " + ufunc::counted(nin_, "argument") + ", " + std::to_string(args_.size()) +
                    " given; its loops are " + loops);
  }
  if (count_ + (reduction_.indexed() ? 1 : 0) > kMaxOperands) {
    throw TypeError(name + ": .where and the index make more operands than the " + std::to_string(kMaxOperands) +
                    " that a kernel takes; use fewer inputs or outputs");
  }
  for (std::size_t k = 0; k < nin_; ++k) {
    if (!args_[k].is_array()) {
      operands_[k].scalar = &args_[k];
      continue;
    }
    if (!args_[k].array()) throw TypeError(name + ": " + name_of(k) + " is an empty Array handle, not an array");
    operands_[k].rep = args_[k].array().rep().get();
  }
  if (masked_) {
    ufunc::check_mask(names(), options_.where);
    operands_[nin_].rep = options_.where.rep().get();
  }
  const auto outs = ufunc::outs_given(names(), nin_, nout_, options_.out);
  for (std::size_t k = 0; k < outs.size(); ++k) {
    if (outs[k]) operands_[inputs_ + k].rep = outs[k].rep().get();
  }
}

ufunc::CallNames Call::names() const {
  return {reduction_.name(), [this](std::size_t operand) { return reduction_.loops().operand_name(operand); }};
}

std::string Call::name_of(std::size_t operand) const {
  if (is_mask(operand)) return ".where";
  return reduction_.loops().operand_name(is_output(operand) ? operand - inputs_ + nin_ : operand);
}

const Array& Call::array_of(std::size_t operand) const {
  return is_output(operand) ? options_.out.arrays()[operand - inputs_]
         : is_mask(operand) ? options_.where
                            : args_[operand].array();
}

DType Call::compute_dtype(std::size_t operand) const noexcept {
  return is_output(operand) ? plan_->loop.outputs[operand - inputs_]
         : is_mask(operand) ? DType::bool_
                            : plan_->loop.inputs[operand];
}

/// Everything that can be wrong, before anything is written.
void Call::check() {
  place();
  choose_loop();
  lay_out();
  name_axes();
  check_start();
  check_outputs();
  convert_scalars();
}

void Call::run(std::span<Array> results) {
  check();
  if (place_.staged) return run_through_device(results);
  for (const std::size_t operand : overlapping_inputs()) {
    // The copy is made at once, so work that is still queued must be done.
    if (place_.queue != nullptr) place_.queue->synchronize();
    held_.push_back(array_of(operand).copy());
    operands_[operand].rep = held_.back().rep().get();
  }
  for (std::size_t k = 0; k < nout_; ++k) {
    const Operand& out = operands_[inputs_ + k];
    const DType dtype = plan_->loop.outputs[k];
    results[k] = out.rep != nullptr ? options_.out.arrays()[k]
                 : place_.on_host   ? Array::empty(shape_, dtype)
                                    : device_array(shape_, dtype, place_.device);
  }
  if (outputs_ > 0) launch(results);
}

cache::Contents Call::compiled() {
  cache::Contents kernel;
  compiled_ = &kernel;
  std::vector<Array> results(nout_);
  run(results);
  ufunc::check_compiled(reduction_.name(), kernel);
  return kernel;
}

void Call::place() {
  place_ = call::choose_place(
      reduction_.name(), count_, [this](std::size_t k) { return operands_[k].rep; },
      [this](std::size_t k) { return name_of(k); }, options_.stream);
}

void Call::choose_loop() {
  const std::span<const Operand> operands(operands_);
  const ufunc::TypePlan::Key key = ufunc::key_of(operands, nin_, inputs_, count_, options_);
  plan_ = reduction_.loops().find_plan(key);
  if (plan_ != nullptr) return;
  CallOptions options;
  options.out = options_.out;
  options.casting = options_.casting;
  options.dtype = options_.dtype;
  options.signature = options_.signature;
  plan_ = &reduction_.loops().make_plan(key, ufunc::arguments_of(operands, nin_), options);
}

void Call::lay_out() {
  call::broadcast_all(
      reduction_.name(), nin_, [this](std::size_t k) { return operands_[k].rep; }, [this](std::size_t k) { return name_of(k); },
      whole_);
  detail::checked_size(whole_);
  if (masked_ && !layout::broadcasts_to(operands_[nin_].rep->shape, whole_)) {
    throw ShapeError(reduction_.name() + ": .where of shape " + to_string(operands_[nin_].rep->shape) +
                     " does not broadcast to the inputs' shape " + to_string(whole_));
  }
}

void Call::name_axes() {
  reduced_ = ufunc::named_axes([this] { return reduction_.name(); }, options_.axis, whole_);
  std::size_t several = 0;
  for (std::size_t d = 0; d < reduced_.size(); ++d) {
    if (reduced_[d] == 0) {
      shape_.push_back(whole_[d]);
      outputs_ *= whole_[d];
      continue;
    }
    ++several;
    elements_ *= whole_[d];
    if (options_.keepdims) shape_.push_back(1);
  }
  if (several > 1 && !reduction_.reorderable()) {
    throw ShapeError(reduction_.name() +
                     ": the reduction is not marked reorderable, so its order counts and it is done along one axis, not " +
                     std::to_string(several) + "; name one in .axis, or set .reorderable or .identity in the definition");
  }
}

void Call::check_start() {
  if (options_.initial) {
    if (!reduction_.takes_initial()) {
      throw TypeError(reduction_.name() +
                      ": .initial is one number, and the accumulator of this reduction has members; leave .initial out");
    }
    initial_ = ufunc::initial_value(reduction_.name(), *options_.initial, options_.stream, plan_->loop.outputs.front(),
                                    plan_->loop.text);
  }
  // One that leads stands for elements that do not count even where .initial stands in front.
  if (!options_.initial || (masked_ && reduction_.leads())) reduction_.check_identity(plan_->loop);
  if (reduction_.has_identity() || options_.initial) return;
  const std::string give =
      std::string("; give .identity in the definition") + (reduction_.takes_initial() ? ", or .initial in the call" : "");
  if (masked_) {
    throw TypeError(reduction_.name() + ": .where needs an identity, for where no element counts" + give);
  }
  if (elements_ == 0) {
    throw ShapeError(reduction_.name() + ": nothing to reduce in inputs of shape " + to_string(whole_) +
                     ", and there is no identity" + give);
  }
}

void Call::check_outputs() const {
  for (std::size_t k = inputs_; k < count_; ++k) {
    const detail::ArrayRep* rep = operands_[k].rep;
    if (rep == nullptr) continue;
    call::check_output(reduction_.name(), *rep, shape_, [this](std::size_t i) { return name_of(i); }, k);
    for (std::size_t j = inputs_; j < k; ++j) {
      if (operands_[j].rep == nullptr || !call::share_memory(*operands_[j].rep, *rep)) continue;
      call::fail_shared_outputs(reduction_.name(), name_of(j), name_of(k));
    }
  }
}

/// Inputs that a result would overwrite while they are read.
std::vector<std::size_t> Call::overlapping_inputs() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < inputs_; ++k) {
    for (std::size_t out = inputs_; out < count_; ++out) {
      if (operands_[k].rep == nullptr || operands_[out].rep == nullptr) continue;
      if (!call::share_memory(*operands_[k].rep, *operands_[out].rep)) continue;
      found.push_back(k);
      break;
    }
  }
  return found;
}

void Call::convert_scalars() {
  const auto check = [&](std::size_t operand, DType to) {
    ufunc::check_fits(names(), plan_->loop, *operands_[operand].scalar, operand, to, options_.casting);
  };
  for (std::size_t k = 0; k < nin_; ++k) {
    if (!is_scalar(k)) continue;
    check(k, compute_dtype(k));
    const Arg& scalar = *operands_[k].scalar;
    convert_scalar(scalar.dtype(), scalar.value(), compute_dtype(k), values_[k].bytes);
  }
  for (const auto& [operand, to] : plan_->loop.narrowed) check(operand, to);
}

/// Host arrays and a GPU: they are brought there, the call is made on device arrays, host results are fetched.
void Call::run_through_device(std::span<Array> results) {
  std::vector<Array> moved(inputs_);
  std::vector<Arg> args;
  args.reserve(nin_);
  ReductionOptions options = options_;
  bool any = false;
  for (std::size_t k = 0; k < inputs_; ++k) {
    if (operands_[k].rep == nullptr) {
      args.push_back(args_[k]);
      continue;
    }
    any = true;
    moved[k] = array_of(k);
    if (moved[k].is_host()) moved[k] = call::send(moved[k], place_.device);
    if (is_mask(k)) {
      options.where = moved[k];
    } else {
      args.emplace_back(moved[k]);
    }
  }
  const auto outs = options_.out.arrays();
  const auto given = [&](std::size_t k) { return operands_[inputs_ + k].rep != nullptr; };
  std::vector<Array> targets;
  for (std::size_t k = 0; k < nout_; ++k) {
    // With scalars only, nothing else tells the inner call where to run.
    if (given(k) && !outs[k].is_host()) {
      targets.push_back(outs[k]);
    } else if (!outs.empty() || !any) {
      targets.push_back(device_array(shape_, storage_dtype(inputs_ + k), place_.device));
    }
  }
  options.out = Outputs(std::move(targets));
  std::vector<Array> computed(nout_);
  Call on_device(reduction_, args, options);
  on_device.compiled_ = compiled_;
  on_device.run(computed);
  if (compiled_ != nullptr) return;
  call::fetch_results(outs, computed, place_, results);
}

Resolution Call::resolve() {
  check();
  Resolution resolution;
  resolution.loop = plan_->loop.text;
  resolution.dtypes = plan_->loop.inputs;
  resolution.dtypes.insert(resolution.dtypes.end(), plan_->loop.outputs.begin(), plan_->loop.outputs.end());
  for (std::size_t k = 0; k < count_; ++k) {
    if (is_scalar(k) || storage_dtype(k) == compute_dtype(k)) continue;
    const std::string stored(name(storage_dtype(k)));
    const std::string computed(name(compute_dtype(k)));
    resolution.casts.push_back(name_of(k) + " from " +
                               (is_output(k) ? computed + " to " + stored : stored + " to " + computed));
  }
  resolution.shape = shape_;
  resolution.device = place_.device;
  if (place_.staged) {
    for (std::size_t k = 0; k < count_; ++k) {
      if (operands_[k].rep == nullptr || !operands_[k].rep->on_host) continue;
      resolution.copies.push_back(name_of(k) + (is_output(k) ? " is fetched from " : " is sent to ") +
                                  to_string(place_.device));
    }
  }
  for (const std::size_t operand : overlapping_inputs()) {
    resolution.copies.push_back(name_of(operand) + " overlaps an output and is copied first");
  }
  if (outputs_ == 0 || elements_ == 0) {
    resolution.variant = "empty";
    return resolution;
  }
  const layout::Reduction layout = arrange();
  const std::size_t rank = layout.kept().size() + layout.reduced().size();
  bool contiguous = true;
  for (std::size_t k = 0; k < nin_ && !layout.reduced().empty(); ++k) {
    const std::int64_t stride = layout.strides(k)[rank - 1];
    contiguous = contiguous && (stride == 0 || stride == static_cast<std::int64_t>(itemsize(storage_dtype(k))));
  }
  resolution.variant = !layout.kept().empty() && layout.columns_inside() ? "columns" : contiguous ? "contiguous" : "strided";
  return resolution;
}

}  // namespace kiln::reduce
