#include "ufunc/call.hpp"

#include <algorithm>
#include <atomic>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "kiln/error.hpp"
#include "types/convert.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {
Call::Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options)
    : ufunc_(ufunc),
      args_(args),
      options_(options),
      nin_(ufunc.nin()),
      inputs_(nin_ + (options.where ? 1 : 0)),
      nout_(ufunc.nout()),
      count_(inputs_ + nout_) {
  if (args.size() != nin_) {
    throw TypeError(ufunc.name() + " takes " + counted(nin_, "argument") + ", " + std::to_string(args.size()) +
                    " given; its loops are " + [&] {
                      std::string text;
                      for (const auto& signature : ufunc.signatures()) text += (text.empty() ? "" : "; ") + signature.text;
                      return text;
                    }());
  }
  for (std::size_t i = 0; i < nin_; ++i) {
    if (args[i].is_array()) {
      if (!args[i].array()) throw TypeError(ufunc.name() + ": " + name_of(i) + " is an empty Array handle, not an array");
      operands_[i] = {args[i].array().rep().get(), nullptr, 0, {}};
    } else {
      operands_[i] = {nullptr, &args[i], 0, {}};
    }
  }
  // On a CPU the outputs that keep values are read, too.
  if (options.where && count_ + (options.out.empty() ? 0 : nout_) > kMaxOperands) {
    throw TypeError(ufunc.name() + ": .where makes more operands than the " + std::to_string(kMaxOperands) +
                    " that a kernel takes; use fewer operands");
  }
  take_outputs();
  if (inputs_ == nin_) return;
  check_mask(names(), options.where);
  operands_[nin_] = {options.where.rep().get(), nullptr, 0, {}};
  layout_.masking = options.out.empty() ? codegen::Masking::zero : codegen::Masking::keep;
}

void Call::take_outputs() {
  std::span<const Array> outs;
  if (!options_.out.empty()) outs = outs_given(names(), nin_, nout_, options_.out);
  for (std::size_t i = 0; i < nout_; ++i) {
    const bool given = !outs.empty() && outs[i];
    operands_[inputs_ + i] = {given ? outs[i].rep().get() : nullptr, nullptr, 0, {}};
    some_outs_ = some_outs_ || (!outs.empty() && !given);
  }
}

std::string Call::name_of(std::size_t operand) const {
  if (is_mask(operand)) return ".where";
  return ufunc_.operand_name(is_output(operand) ? operand - inputs_ + nin_ : operand);
}

CallNames Call::names() const {
  return {ufunc_.name(), [this](std::size_t operand) { return ufunc_.operand_name(operand); }};
}

void Call::run(std::span<Array> results) {
  place();
  if (some_outs_) return run_with_fresh_outs(results);
  if (place_.staged) return run_through_device(results);
  choose_loop();
  lay_out();
  check_outputs();
  convert_scalars();
  if (size_ == 0) {
    allocate(results);
    return;
  }
  for (std::uint64_t copied = overlapping_inputs(); copied != 0; copied &= copied - 1) {
    replace_by_copy(static_cast<std::size_t>(__builtin_ctzll(copied)));
  }
  iterate();
  classify();
  backend::Backend& backend = backend::backend_for(place_.device);
  if (compiled_ != nullptr) {
    const codegen::KernelSpec spec = ufunc_.specialize(plan_->loop, storage_dtypes(), layout_, backend.kind());
    *compiled_ = program::compiled(ufunc_.request(plan_->loop, spec, backend.kind()), *backend.compiler());
    return;
  }
  const Variant::Key key = variant_key();
  const Variant* variant = find(plan_->variants, key);
  // Compiling may throw: nothing has been allocated or written yet.
  if (variant == nullptr) variant = &ufunc_.variant(*plan_, key, layout_, storage_dtypes(), backend);
  allocate(results);
  launch(*variant, backend, results);
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
}

cache::Contents Call::compiled() {
  cache::Contents kernel;
  compiled_ = &kernel;
  std::vector<Array> results(nout_);
  run(results);
  check_compiled(ufunc_.name(), kernel);
  return kernel;
}

void Call::place() {
  place_ = call::choose_place(
      ufunc_.name(), count_, [this](std::size_t i) { return operands_[i].rep; }, [this](std::size_t i) { return name_of(i); },
      options_.stream);
}

/// .out names some of the outputs: the others are made, and the call is one that names them all.
void Call::run_with_fresh_outs(std::span<Array> results) {
  choose_loop();
  lay_out();
  check_outputs();
  convert_scalars();
  if (size_ > 0) iterate();
  allocate(results);
  for (std::size_t i = 0; i < nout_; ++i) {
    if (!options_.where || options_.out.arrays()[i]) continue;
    // What the mask leaves out.
    const Array zeros = Array::zeros(*shape_, compute_dtype(inputs_ + i));
    results[i] = place_.on_host ? zeros : to_device(zeros, place_.device);
  }
  CallOptions options = options_;
  options.out = Outputs(std::vector<Array>(results.begin(), results.end()));
  Call named(ufunc_, args_, options);
  named.compiled_ = compiled_;
  named.run(results);
}

/// Host arrays and a GPU: the inputs are brought there, the call is made on device arrays, host outputs are fetched.
void Call::run_through_device(std::span<Array> results) {
  // What cannot succeed must fail before anything is transferred.
  choose_loop();
  lay_out();
  check_outputs();
  if (size_ > 0) overlapping_inputs();  // for outputs that overlap; inputs are copied anyway
  std::vector<Array> moved(count_);
  std::vector<Arg> args;
  args.reserve(nin_);
  CallOptions options = options_;
  for (std::size_t i = 0; i < inputs_; ++i) {
    if (operands_[i].rep == nullptr) {
      args.push_back(args_[i]);
      continue;
    }
    moved[i] = array_of(i);
    if (moved[i].is_host()) moved[i] = call::send(moved[i], place_.device);
    if (is_mask(i)) {
      options.where = moved[i];
    } else {
      args.emplace_back(moved[i]);
    }
  }
  const auto outs = options_.out.arrays();
  if (!outs.empty()) {
    std::vector<Array> targets;
    for (const Array& out : outs) {
      // What a mask leaves as it is must be there.
      targets.push_back(!out.is_host()   ? out
                        : options_.where ? call::send(out, place_.device)
                                         : device_array(out.shape(), out.dtype(), place_.device));
    }
    options.out = Outputs(std::move(targets));
  }
  std::vector<Array> device_results(nout_);
  // With scalars only nothing has told the inner call where to run: an output does.
  if (outs.empty() && std::none_of(moved.begin(), moved.end(), [](const Array& array) { return static_cast<bool>(array); })) {
    std::vector<Array> targets;
    for (std::size_t i = 0; i < nout_; ++i) targets.push_back(device_array(*shape_, plan_->loop.outputs[i], place_.device));
    options.out = Outputs(std::move(targets));
  }
  Call on_device(ufunc_, args, options);
  on_device.brought_from_host_ = place_.on_host;
  on_device.compiled_ = compiled_;
  on_device.run(device_results);
  if (compiled_ != nullptr) return;
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr && place_.on_host && size_ > 0) {
    record_as_on_host(*recorder);
  }
  call::fetch_results(outs, device_results, place_, results);
}

void Call::choose_loop() {
  const TypePlan::Key key = key_of(std::span<const PlacedOperand>(operands_), nin_, inputs_, count_, options_);
  plan_ = ufunc_.find_plan(key);
  if (plan_ == nullptr) {
    plan_ = &ufunc_.make_plan(key, arguments_of(std::span<const PlacedOperand>(operands_), nin_), options_);
  }
  for (std::size_t i = 0; i < count_; ++i) operands_[i].itemsize = static_cast<std::int64_t>(itemsize(storage_dtype(i)));
}

void Call::lay_out() {
  bool uniform = true;
  for (std::size_t i = 0; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    if (rep == nullptr) continue;
    all_c_ &= rep->c_contiguous;
    all_f_ &= rep->f_contiguous;
    if (shape_ == nullptr) {
      shape_ = &rep->shape;
      size_ = rep->size;
    } else {
      uniform &= rep->shape == *shape_;
    }
  }
  if (shape_ == nullptr) shape_ = &own_shape_;  // scalars only: 0-d
  if (uniform) return;
  all_c_ = all_f_ = false;
  own_shape_ = Shape{};
  call::broadcast_all(
      ufunc_.name(), count_, [this](std::size_t i) { return operands_[i].rep; }, [this](std::size_t i) { return name_of(i); },
      own_shape_);
  shape_ = &own_shape_;
  size_ = detail::checked_size(own_shape_);
}

void Call::iterate() {
  Uninitialized<layout::Operand, kMaxOperands> storage;
  layout::Operand* const operands = storage.data();
  // A scalar takes part in no stride: it has a shape of no axes.
  static const Shape none;
  for (std::size_t i = 0; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    operands[i] = rep != nullptr ? layout::Operand{&rep->shape, &rep->strides, operands_[i].itemsize}
                  : is_scalar(i) ? layout::Operand{&none, &none, operands_[i].itemsize}
                                 : layout::Operand{nullptr, nullptr, operands_[i].itemsize};
  }
  const std::span<const layout::Operand> all(operands, count_);
  if (all_c_ || all_f_) {
    iteration_.emplace(size_, all);
  } else {
    iteration_.emplace(*shape_, all);
  }
  for (std::size_t i = 0; i < count_; ++i) operands_[i].access = access_of(placement(), i);
}

void Call::allocate(std::span<Array> results) {
  const auto outs = options_.out.arrays();
  for (std::size_t i = 0; i < nout_; ++i) {
    if (!outs.empty() && outs[i]) {
      results[i] = outs[i];
      continue;
    }
    const DType dtype = plan_->loop.outputs[i];
    if (size_ == 0 || !iteration_ || all_c_ || all_f_) {
      const Order order = all_c_ || !all_f_ ? Order::c : Order::fortran;
      results[i] = place_.on_host ? Array::empty(*shape_, dtype, order) : device_array(*shape_, dtype, place_.device, order);
    } else {
      results[i] = detail::allocate(*shape_, dtype, iteration_->memory_order(), place_.on_host,
                                    place_.on_host ? Device::cpu() : place_.device);
    }
  }
}

void Call::convert_scalars() {
  for (std::size_t i = 0; i < nin_; ++i) {
    const Arg* scalar = operands_[i].scalar;
    if (scalar == nullptr) continue;
    check_fits(names(), plan_->loop, *scalar, i, compute_dtype(i), options_.casting);
    convert_scalar(scalar->dtype(), scalar->value(), compute_dtype(i), values_[i].bytes);
  }
  for (const auto& [operand, to] : plan_->loop.narrowed) {
    check_fits(names(), plan_->loop, *operands_[operand].scalar, operand, to, options_.casting);
  }
}

std::shared_ptr<const void> Call::keep(std::span<const Array> results) const {
  auto kept = std::make_shared<std::vector<Array>>(results.begin(), results.end());
  for (std::size_t i = 0; i < inputs_; ++i) {
    if (!is_scalar(i)) kept->push_back(array_of(i));
  }
  kept->insert(kept->end(), held_.begin(), held_.end());
  return kept;
}

Resolution Call::resolve() {
  place();
  choose_loop();
  lay_out();
  check_outputs();
  Resolution resolution;
  resolution.loop = plan_->loop.text;
  resolution.dtypes = plan_->loop.inputs;
  resolution.dtypes.insert(resolution.dtypes.end(), plan_->loop.outputs.begin(), plan_->loop.outputs.end());
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_scalar(i) || storage_dtype(i) == compute_dtype(i)) continue;
    const auto text = [](DType dtype) { return std::string(name(dtype)); };
    resolution.casts.push_back(name_of(i) + " from " + text(is_output(i) ? compute_dtype(i) : storage_dtype(i)) + " to " +
                               text(is_output(i) ? storage_dtype(i) : compute_dtype(i)));
  }
  resolution.shape = *shape_;
  resolution.device = place_.device;
  if (place_.staged) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (operands_[i].rep == nullptr || !operands_[i].rep->on_host) continue;
      resolution.copies.push_back(name_of(i) + (is_output(i) ? " is fetched from " : " is sent to ") +
                                  to_string(place_.device));
    }
  }
  convert_scalars();
  if (size_ > 0) {
    overlapping_inputs(&resolution.copies);
    iterate();
    classify();
    resolution.variant = variant_name(layout_, count_);
  } else {
    resolution.variant = "empty";
  }
  return resolution;
}

}  // namespace kiln::ufunc
