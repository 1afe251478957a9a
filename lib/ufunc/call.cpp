#include "ufunc/call.hpp"

#include <algorithm>
#include <atomic>

#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "layout/overlap.hpp"
#include "types/convert.hpp"
#include "ufunc/transfer.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {
namespace {

std::string plural(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::span<const std::int64_t> all_of(const Dims& dims) {
  return {dims.data(), dims.size()};
}

layout::Window window_of(const detail::ArrayRep& rep) {
  return {rep.data, all_of(rep.shape), all_of(rep.strides), static_cast<std::int64_t>(itemsize(rep.dtype))};
}

/// The addresses between which all elements lie.
struct Bytes {
  const char* begin;
  const char* end;
};
Bytes bytes_of(const detail::ArrayRep& rep) {
  if (rep.c_contiguous || rep.f_contiguous)
    return {rep.data, rep.data + rep.size * static_cast<std::int64_t>(itemsize(rep.dtype))};
  const layout::Extent extent = layout::extent_of(window_of(rep));
  return {extent.begin, extent.end};
}

bool same_window(const detail::ArrayRep& a, const detail::ArrayRep& b) {
  return a.data == b.data && itemsize(a.dtype) == itemsize(b.dtype) && a.shape == b.shape && a.strides == b.strides;
}

}  // namespace

Call::Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options)
    : ufunc_(ufunc), args_(args), options_(options), nin_(ufunc.nin()), nout_(ufunc.nout()), count_(nin_ + nout_) {
  if (args.size() != nin_) {
    throw TypeError(ufunc.name() + " takes " + plural(nin_, "argument") + ", " + std::to_string(args.size()) +
                    " given; its loops are " + [&] {
                      std::string text;
                      for (const auto& signature : ufunc.signatures()) text += (text.empty() ? "" : "; ") + signature.text;
                      return text;
                    }());
  }
  const auto outs = options.out.arrays();
  if (!outs.empty() && outs.size() != nout_) {
    throw TypeError(ufunc.name() + " has " + plural(nout_, "output") + ", .out names " + plural(outs.size(), "array"));
  }
  for (std::size_t i = 0; i < nin_; ++i) {
    if (args[i].is_array()) {
      if (!args[i].array())
        throw TypeError(ufunc.name() + ": " + ufunc.operand_name(i) + " is an empty Array handle, not an array");
      operands_[i] = {args[i].array().rep().get(), nullptr, 0, {}};
    } else {
      operands_[i] = {nullptr, &args[i], 0, {}};
    }
  }
  for (std::size_t i = 0; i < nout_; ++i) {
    operands_[nin_ + i] = {nullptr, nullptr, 0, {}};
    if (outs.empty()) continue;
    if (!outs[i])
      throw TypeError(ufunc.name() + ": " + ufunc.operand_name(nin_ + i) + " is an empty Array handle, not an array");
    operands_[nin_ + i].rep = outs[i].rep().get();
  }
}

void Call::run(std::span<Array> results) {
  place();
  if (through_device_) return run_through_device(results);
  choose_loop();
  lay_out();
  check_outputs();
  if (size_ == 0) {
    allocate(results);
    return;
  }
  for (std::uint64_t copied = overlapping_inputs(); copied != 0; copied &= copied - 1) {
    replace_by_copy(static_cast<std::size_t>(__builtin_ctzll(copied)));
  }
  convert_scalars();
  iterate();
  classify();
  backend::Backend& backend = backend::backend_for(device_);
  const Variant::Key key = variant_key();
  const Variant* variant = find(plan_->variants, key);
  // Compiling may throw: nothing has been allocated or written yet.
  if (variant == nullptr) variant = &ufunc_.variant(*plan_, key, layout_, storage_dtypes(), backend);
  allocate(results);
  launch(*variant, backend, results);
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
}

void Call::launch(const Variant& variant, backend::Backend& backend, std::span<const Array> results) {
  Uninitialized<backend::LaunchOperand, kMaxOperands> storage;
  backend::LaunchOperand* const operands = storage.data();
  for (std::size_t i = 0; i < count_; ++i) {
    const auto size = static_cast<std::uint8_t>(operands_[i].itemsize);
    if (is_scalar(i)) {
      operands[i] = {values_[i].bytes, nullptr, size, true};
      continue;
    }
    const detail::ArrayRep* rep = operands_[i].rep != nullptr ? operands_[i].rep : results[i - nin_].rep().get();
    operands[i] = {rep->data + iteration_->offset(i), iteration_->strides(i).data(), size, false};
  }
  std::shared_ptr<const void> kept = backend.asynchronous(queue_) ? keep(results) : nullptr;
  const auto shape = iteration_->shape();
  backend::ElementwiseLaunch work;
  work.operands = {operands, count_};
  work.width = variant.width;
  work.unroll = variant.unroll;
  work.wide_index = layout_.wide_index;
  const std::size_t outer = shape.size() > backend::kMaxKernelRank ? shape.size() - backend::kMaxKernelRank : 0;
  work.shape = shape.subspan(outer);
  if (outer == 0) {
    work.size = iteration_->size();
    backend.launch(*variant.module, work, queue_, std::move(kept));
    return;
  }
  // More dimensions than a kernel takes: one launch for each index of the outermost ones.
  std::vector<std::int64_t> index(outer, 0);
  for (std::size_t i = 0; i < count_; ++i) {
    if (!operands[i].scalar) operands[i].strides += outer;
  }
  work.size = 1;
  for (const std::int64_t extent : work.shape) work.size *= extent;
  for (bool more = true; more;) {
    backend.launch(*variant.module, work, queue_, kept);
    more = false;
    for (std::size_t d = outer; d-- > 0 && !more;) {
      more = ++index[d] < shape[d];
      if (!more) index[d] = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        if (operands[i].scalar) continue;
        const std::int64_t stride = iteration_->strides(i)[d];
        operands[i].data = static_cast<char*>(operands[i].data) + (more ? stride : stride * (1 - shape[d]));
      }
    }
  }
}

/// Where to run: on the device of the arrays that have one; all-host calls on the stream's, or the best.
void Call::place() {
  const detail::ArrayRep* placed = nullptr;
  bool any_host = false;
  std::size_t placed_at = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    if (rep == nullptr) continue;
    if (rep->on_host) {
      any_host = true;
    } else if (placed == nullptr) {
      placed = rep;
      placed_at = i;
    } else if (!placed->device.same_memory(rep->device)) {
      throw DeviceError(ufunc_.name() + ": " + ufunc_.operand_name(placed_at) + " is on " + to_string(placed->device) + ", " +
                        ufunc_.operand_name(i) + " is on " + to_string(rep->device) +
                        "; bring them to one device with to_device()");
    }
  }
  const Stream& stream = options_.stream;
  if (placed != nullptr) {
    device_ = placed->device;
    result_on_host_ = false;
    if (!stream.is_default() && !stream.device().same_memory(device_)) {
      throw DeviceError(ufunc_.name() + ": the stream is on " + to_string(stream.device()) + ", the arrays are on " +
                        to_string(device_) + "; give a stream of that device");
    }
  } else {
    device_ = stream.is_default() ? Device::best() : stream.device();
  }
  queue_ = stream.queue().get();
  gpu_ = !device_.is_cpu();
  through_device_ = gpu_ && (any_host || placed == nullptr);
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
  for (std::size_t i = 0; i < nin_; ++i) {
    if (operands_[i].rep == nullptr) {
      args.push_back(args_[i]);
      continue;
    }
    moved[i] = args_[i].array();
    if (moved[i].is_host()) moved[i] = send(moved[i], device_);
    args.emplace_back(moved[i]);
  }
  CallOptions options = options_;
  const auto outs = options_.out.arrays();
  if (!outs.empty()) {
    std::vector<Array> targets;
    for (const Array& out : outs) targets.push_back(out.is_host() ? device_array(out.shape(), out.dtype(), device_) : out);
    options.out = Outputs(std::move(targets));
  }
  std::vector<Array> device_results(nout_);
  // With scalars only nothing has told the inner call where to run: an output does.
  if (outs.empty() && std::none_of(moved.begin(), moved.end(), [](const Array& array) { return static_cast<bool>(array); })) {
    std::vector<Array> targets;
    for (std::size_t i = 0; i < nout_; ++i) targets.push_back(device_array(*shape_, plan_->loop.outputs[i], device_));
    options.out = Outputs(std::move(targets));
  }
  Call on_device(ufunc_, args, options);
  on_device.brought_from_host_ = result_on_host_;
  on_device.run(device_results);
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr && result_on_host_ && size_ > 0) {
    record_as_on_host(*recorder);
  }
  // Copies are ordered after the default stream only.
  if (queue_ != nullptr) queue_->synchronize();
  for (std::size_t i = 0; i < nout_; ++i) {
    if (!outs.empty()) {
      results[i] = outs[i];
      if (outs[i].is_host()) device_results[i].copy_to_host(results[i]);
    } else if (result_on_host_) {
      const detail::ArrayRep& rep = *device_results[i].rep();
      results[i] = Array::empty(rep.shape, rep.dtype, rep.f_contiguous && !rep.c_contiguous ? Order::fortran : Order::c);
      device_results[i].copy_to_host(results[i]);
    } else {
      results[i] = device_results[i];
    }
  }
}

void Call::choose_loop() {
  TypePlan::Key key;
  std::size_t n = 0;
  for (std::size_t i = 0; i < nin_; ++i) {
    key.bytes[n++] = is_scalar(i) ? static_cast<std::uint8_t>(static_cast<unsigned>(operands_[i].scalar->dtype()) | 0x80U)
                                  : static_cast<std::uint8_t>(operands_[i].rep->dtype);
  }
  for (std::size_t i = nin_; i < count_; ++i) {
    key.bytes[n++] = operands_[i].rep == nullptr ? std::uint8_t{0xff} : static_cast<std::uint8_t>(operands_[i].rep->dtype);
  }
  key.bytes[n++] = static_cast<std::uint8_t>(options_.casting);
  key.bytes[n++] = options_.dtype ? static_cast<std::uint8_t>(*options_.dtype) : std::uint8_t{0xff};
  key.length = static_cast<std::uint8_t>(n);
  key.signature = options_.signature;
  plan_ = ufunc_.find_plan(key);
  if (plan_ == nullptr) {
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < nin_; ++i) {
      arguments.push_back({is_scalar(i) ? operands_[i].scalar->dtype() : operands_[i].rep->dtype, is_scalar(i)});
    }
    plan_ = &ufunc_.make_plan(key, arguments, options_);
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
  for (std::size_t i = 0; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    if (rep == nullptr || layout::broadcast_into(own_shape_, rep->shape)) continue;
    std::string text;
    for (std::size_t j = 0; j <= i; ++j) {
      if (operands_[j].rep != nullptr)
        text += (text.empty() ? "" : ", ") + ufunc_.operand_name(j) + " " + to_string(operands_[j].rep->shape);
    }
    throw ShapeError(ufunc_.name() + ": shapes do not broadcast: " + text +
                     "; extents must be equal or 1, counted from the last axis");
  }
  shape_ = &own_shape_;
  size_ = detail::checked_size(own_shape_, 16);
}

void Call::check_outputs() {
  for (std::size_t i = nin_; i < count_; ++i) {
    const detail::ArrayRep* rep = operands_[i].rep;
    if (rep == nullptr) continue;
    if (rep->read_only) {
      throw TypeError(ufunc_.name() + ": " + ufunc_.operand_name(i) + " is read-only; give a writable array as .out");
    }
    if (&rep->shape != shape_ && !(rep->shape == *shape_)) {
      throw ShapeError(ufunc_.name() + ": " + ufunc_.operand_name(i) + " has shape " + to_string(rep->shape) +
                       ", the result has shape " + to_string(*shape_) + "; .out is never broadcast");
    }
    if (!rep->c_contiguous && size_ > 1 && layout::overlaps_itself(window_of(*rep))) {
      throw ShapeError(ufunc_.name() + ": elements of " + ufunc_.operand_name(i) +
                       " share memory with one another; give an .out whose elements are distinct");
    }
  }
}

/// A bit for each input that an output would overwrite before it is read. Equal windows are safe: each element is read before
/// it is written.
std::uint64_t Call::overlapping_inputs(std::vector<std::string>* report) {
  std::uint64_t found = 0;
  for (std::size_t o = nin_; o < count_; ++o) {
    const detail::ArrayRep* out = operands_[o].rep;
    if (out == nullptr) continue;
    const Bytes written = bytes_of(*out);
    for (std::size_t i = 0; i < count_; ++i) {
      const detail::ArrayRep* rep = operands_[i].rep;
      if (rep == nullptr || i == o || (is_output(i) && i < o)) continue;
      if (!is_output(i) && same_window(*rep, *out)) {
        aliased_ = true;
        continue;
      }
      const Bytes read = bytes_of(*rep);
      if (read.begin >= written.end || written.begin >= read.end || !layout::overlaps(window_of(*rep), window_of(*out)))
        continue;
      if (is_output(i)) {
        throw ShapeError(ufunc_.name() + ": " + ufunc_.operand_name(o) + " and " + ufunc_.operand_name(i) +
                         " share memory; give outputs that do not overlap");
      }
      found |= std::uint64_t{1} << i;
      if (report != nullptr) {
        report->push_back(ufunc_.operand_name(i) + " overlaps " + ufunc_.operand_name(o) + " and is copied first");
      }
    }
  }
  return found;
}

void Call::replace_by_copy(std::size_t operand) {
  // The copy is made at once, so work that is still queued must be done.
  if (queue_ != nullptr) queue_->synchronize();
  held_.push_back(args_[operand].array().copy());
  operands_[operand].rep = held_.back().rep().get();
  all_c_ &= operands_[operand].rep->c_contiguous;
  all_f_ &= operands_[operand].rep->f_contiguous;
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
    if (!outs.empty()) {
      results[i] = outs[i];
      continue;
    }
    const DType dtype = plan_->loop.outputs[i];
    if (size_ == 0 || !iteration_ || all_c_ || all_f_) {
      const Order order = all_c_ || !all_f_ ? Order::c : Order::fortran;
      results[i] = result_on_host_ ? Array::empty(*shape_, dtype, order) : device_array(*shape_, dtype, device_, order);
    } else {
      results[i] = detail::allocate(*shape_, dtype, iteration_->memory_order(), result_on_host_, device_);
    }
  }
}

void Call::convert_scalars() {
  for (std::size_t i = 0; i < nin_; ++i) {
    const Arg* scalar = operands_[i].scalar;
    if (scalar == nullptr) continue;
    const DType to = compute_dtype(i);
    if (kind(scalar->dtype()) == Kind::integer && kind(to) == Kind::integer && options_.casting != Casting::unsafe &&
        !integer_fits(scalar->dtype(), scalar->value(), to)) {
      throw TypeError(ufunc_.name() + ": the integer " + integer_text(scalar->dtype(), scalar->value()) + " given as " +
                      ufunc_.operand_name(i) + " does not fit in " + std::string(name(to)) + ", the dtype of the loop " +
                      plan_->loop.text);
    }
    convert_scalar(scalar->dtype(), scalar->value(), to, values_[i].bytes);
  }
}

std::shared_ptr<const void> Call::keep(std::span<const Array> results) const {
  auto kept = std::make_shared<std::vector<Array>>(results.begin(), results.end());
  for (std::size_t i = 0; i < nin_; ++i) {
    if (args_[i].is_array()) kept->push_back(args_[i].array());
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
  resolution.shape = *shape_;
  resolution.device = device_;
  if (through_device_) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (operands_[i].rep == nullptr || !operands_[i].rep->on_host) continue;
      resolution.copies.push_back(ufunc_.operand_name(i) + (is_output(i) ? " is fetched from " : " is sent to ") +
                                  to_string(device_));
    }
  }
  if (size_ > 0) {
    overlapping_inputs(&resolution.copies);
    convert_scalars();
    iterate();
    classify();
    resolution.variant = variant_name(layout_, count_);
  } else {
    resolution.variant = "empty";
  }
  return resolution;
}

}  // namespace kiln::ufunc
