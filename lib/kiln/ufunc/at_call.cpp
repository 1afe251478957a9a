#include "ufunc/at_call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "call/staging.hpp"
#include "call/window.hpp"
#include "device/capture.hpp"
#include "kernel/scatter/layout.hpp"
#include "kiln/error.hpp"
#include "layout/axes.hpp"
#include "layout/broadcast.hpp"
#include "registry/registry.hpp"
#include "types/reason.hpp"
#include "ufunc/indices.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {
namespace {

constexpr const char* kTarget = "the array";

}  // namespace

// Operands sets those that it has. NOLINTNEXTLINE(clang-analyzer-optin.cplusplus.UninitializedObject)
AtCall::AtCall(const detail::UfuncImpl& ufunc, Array target, std::span<const Array> indices, const Arg* value,
               const AtOptions& options, const backend::StopRequest* stop)
    : ufunc_(ufunc),
      target_(std::move(target)),
      out_(target_),
      indices_(indices.begin(), indices.end()),
      value_(value),
      operands_(*this, {{value, value != nullptr ? 1U : 0U}, call::kNoMask, {&out_, 1}, {options.stream, options.device, stop}},
                value != nullptr ? 1 : 0, 1) {
  check_ufunc();
  check_arrays();
}

std::string AtCall::operand_name(std::size_t operand) const {
  const std::size_t values = value_ != nullptr ? 1 : 0;
  return operand < values ? "the second operand" : operand == values ? kTarget : "the array of indices";
}

void AtCall::check_ufunc() const {
  if (ufunc_.nout() != 1 || ufunc_.nin() > 2) {
    throw TypeError(what() + ": only a ufunc of one or two inputs and one output has at; this one has " +
                    std::to_string(ufunc_.nin()) + " and " + std::to_string(ufunc_.nout()));
  }
  if (ufunc_.nin() == 2 && !has_value()) throw TypeError(what() + ": a second operand is needed: at(array, indices, b)");
  if (ufunc_.nin() == 1 && has_value()) {
    throw TypeError(what() + ": a ufunc of one input takes no second operand: at(array, indices)");
  }
}

std::string AtCall::index_name(std::size_t i) const {
  return indices_.size() == 1 ? "the array of indices" : "index array " + std::to_string(i);
}

void AtCall::check_arrays() const {
  if (target_.read_only())
    throw Because<TypeError>(Reason::read_only, what() + ": " + kTarget + " is read-only; give a writable one");
  if (indices_.empty()) throw TypeError(what() + ": no array of indices given; give one for each of the first axes");
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (!indices_[i].valid()) throw TypeError(what() + ": " + index_name(i) + " is an empty Array handle, not an array");
    if (kind(indices_[i].dtype()) == Kind::integer) continue;
    throw TypeError(what() + ": " + index_name(i) + " has dtype " + std::string(name(indices_[i].dtype())) +
                    "; indices are integers");
  }
  if (indices_.size() > target_.shape().size()) {
    throw ShapeError(what() + ": " + std::to_string(indices_.size()) + " index array" + (indices_.size() == 1 ? "" : "s") +
                     " given for an array of shape " + to_string(target_.shape()) + "; give one for each of its first axes");
  }
  const detail::ArrayRep& target = *target_.rep();
  if (!target.c_contiguous && target.size > 1 && layout::overlaps_itself(call::window_of(target))) {
    throw ShapeError(what() + ": elements of " + kTarget +
                     " share memory with one another; give one whose elements are distinct");
  }
}

void AtCall::run() {
  operands_.place(indices_);
  choose_loop();
  check_shapes();
  backend::Capture::refuse(what(), "it looks at its indices when it is called");
  const auto of_host = [](const Array& each) { return each.device().is_cpu(); };
  if (std::any_of(indices_.begin(), indices_.end(), of_host)) wait_for_queue();
  checked_ = std::all_of(indices_.begin(), indices_.end(), of_host);
  if (checked_) check_indices(indices_);
  if (std::any_of(full_.begin(), full_.end(), [](std::int64_t extent) { return extent == 0; })) return;
  operands_.separate(false, true);
  const std::vector<Array> given = indices_;
  bring_to_device();
  const Device& device = operands_.at().device;
  backend::Backend& backend = backend::backend_for(device);
  MethodVariant variant = this->variant();
  kinds::ScatterLaunch launch;
  bool out_of_range = false;
  if (operands_.at().gpu()) {
    const kinds::ScatterSpec spec = this->spec();
    read_indices(spec);
    launch = this->launch();
    variant.layout = kinds::layout_of(launch, spec);
    if (!checked_) launch.out_of_range = &out_of_range;
  } else {
    launch = this->launch();
  }
  const Variant<kinds::ScatterLayout>& kernel = ufunc_.variant(*plan_, variant, device);
  launch.layout = kernel.layout;
  std::vector<Array> used = indices_;
  for (const Array& each : {target_, order_, starts_}) used.push_back(each);
  const std::shared_ptr<const void> kept = operands_.keep(backend, used);
  kinds::launch(backend, *kernel.module, launch, operands_.launch_context(kept));
  if (out_of_range) check_indices(indices_on_host());
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, given);
  operands_.fetch({&target_, 1});
}

void AtCall::record(Recorder& recorder, std::span<const Array> indices) const {
  call::Description call = operands_.description();
  call.method = name(Method::at);
  call.inputs.insert(call.inputs.begin(), call::text_of(*target_.rep()));
  for (const Array& each : indices) call.inputs.push_back(call::text_of(*each.rep()));
  call.out.clear();
  if (plan_->reported.add(call)) recorder.used(ufunc_.definition_of(plan_->loop), call);
}

const Loop& AtCall::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  operands_.place(indices_);
  choose_loop();
  check_shapes();
  return plan_->loop;
}

/// Of a GPU.
std::vector<kinds::ScatterLayout> AtCall::planned_layouts() {
  const kinds::ScatterSpec spec = this->spec();
  std::vector<kinds::ScatterLayout> all;
  if (std::all_of(full_.begin(), full_.end(), [](std::int64_t extent) { return extent > 0; })) {
    operands_.separate(false, true);
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      if (indices_[i].is_host()) {
        indices_[i] = call::as_sent(*indices_[i].rep(), true, operands_.nin() + 1 + i, operands_.at().device);
      }
    }
    all.push_back(kinds::layout_of(launch(), spec));
  }
  for (const kinds::ScatterLayout& usual : kinds::usual_layouts(spec)) {
    if (std::find(all.begin(), all.end(), usual) == all.end()) all.push_back(usual);
  }
  return all;
}

std::vector<program::Request> AtCall::requests() {
  const DeviceKind kind = operands_.at().device.kind();
  MethodVariant variant = this->variant();
  std::vector<program::Request> all;
  const auto add = [&](const kinds::ScatterLayout& layout) {
    variant.layout = layout;
    all.push_back(ufunc_.request(plan_->loop, ufunc_.specialize(plan_->loop, variant, kind), kind));
  };
  if (kind == DeviceKind::cpu) {
    add({});
  } else {
    for (const kinds::ScatterLayout& layout : planned_layouts()) add(layout);
  }
  return all;
}

void AtCall::choose_loop() {
  PlanKey key(Method::at);
  key.add(target_.dtype());
  std::vector<Argument> arguments{{target_.dtype(), false}};
  if (has_value()) {
    const bool weak = operands_.is_scalar(0);
    arguments.push_back({weak ? value_->dtype() : operands_.rep(0)->dtype, weak});
    key.add(arguments[1].dtype);
    key.add(static_cast<std::uint8_t>(weak));
  }
  plan_ = ufunc_.scatters().find(key);
  if (plan_ == nullptr) {
    Loop loop = ufunc_.choose({.name = what(),
                               .options = "",
                               .signatures = ufunc_.signatures(),
                               .arguments = arguments,
                               .definition = &ufunc_.definition()});
    if (!can_cast(loop.outputs[0], target_.dtype(), Casting::same_kind)) {
      throw Because<TypeError>(Reason::casting, what() + ": cannot cast the result from " + std::string(name(loop.outputs[0])) +
                                                    " to the array's " + std::string(name(target_.dtype())) +
                                                    " under casting \"same_kind\" for the loop " + loop.text +
                                                    "; give one of " + std::string(name(loop.outputs[0])));
    }
    plan_ = &ufunc_.scatters().add(key, std::move(loop));
  }
  convert_scalar();
}

/// The kernel reads it as an array.
void AtCall::convert_scalar() {
  const Loop& loop = plan_->loop;
  for (const auto& [operand, to] : loop.narrowed) narrowed_.emplace_back(0, to);
  const call::Types types{std::span(loop.inputs).subspan(1), loop.outputs, loop.text, narrowed_};
  operands_.set_types(types);
  if (!has_value() || !operands_.is_scalar(0)) return;
  operands_.convert_scalars(types, Casting::same_kind);
  const Array made = Array::empty({}, loop.inputs[1]);
  std::memcpy(made.data(), operands_.value(0), itemsize(made.dtype()));
  operands_.replace(0, made);
}

void AtCall::check_shapes() {
  for (const Array& each : indices_) {
    if (layout::broadcast_into(shape_, each.shape())) continue;
    std::string shapes;
    for (const Array& one : indices_) shapes += (shapes.empty() ? "" : ", ") + to_string(one.shape());
    throw Because<ShapeError>(Reason::broadcast, what() + ": index arrays of shapes " + shapes + " do not broadcast together");
  }
  full_ = shape_;
  for (std::size_t d = indices_.size(); d < target_.shape().size(); ++d) full_.push_back(target_.shape()[d]);
  detail::checked_size(full_);
  if (has_value() && !layout::broadcasts_to(operands_.rep(0)->shape, full_)) {
    throw ShapeError(what() + ": " + operand_name(0) + " has shape " + to_string(operands_.rep(0)->shape) +
                     ", which does not broadcast to " + to_string(full_) +
                     ", the shape of the indices and the axes behind them");
  }
}

void AtCall::check_indices(std::span<const Array> indices) const {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::optional<BadIndex> bad = find_bad_index(*indices[i].rep(), target_.shape()[i]);
    if (!bad) continue;
    const std::string position = bad->position.size() == 1 ? std::to_string(bad->position[0]) : to_string(bad->position);
    throw Because<ShapeError>(Reason::index, what() + ": index " + bad->text + " at position " + position + " of " +
                                                 index_name(i) + " is out of range for axis " + std::to_string(i) +
                                                 " of extent " + std::to_string(target_.shape()[i]));
  }
}

/// Work that is queued may write the indices.
void AtCall::wait_for_queue() const {
  if (operands_.at().queue != nullptr) operands_.at().queue->synchronize();
}

void AtCall::bring_to_device() {
  // A scalar, which is an array of the host's by now: arrays beside it on the device do not bring it.
  if (operands_.at().gpu() && has_value() && operands_.array(0).is_host()) {
    operands_.replace(0, to_device(operands_.array(0), operands_.at().device));
  }
  for (Array& each : indices_) {
    if (operands_.at().gpu() && each.is_host()) each = to_device(each, operands_.at().device);
    if (!call::share_memory(target(), *each.rep())) continue;
    wait_for_queue();
    each = each.copy();
  }
}

std::vector<Array> AtCall::indices_on_host() const {
  wait_for_queue();
  std::vector<Array> here;
  for (const Array& each : indices_) here.push_back(each.copy_to_host());
  return here;
}

// What the kernels cannot take as it is, and the order that they must keep, are made on the host.
void AtCall::read_indices(const kinds::ScatterSpec& spec) {
  const kinds::ScatterLaunch plain = launch();
  const bool many_dimensions = plain.shape.size() > std::size_t{backend::kMaxKernelRank};
  if (has_value() && many_dimensions) operands_.replace(0, operands_.array(0).broadcast_to(full_).copy());
  const bool fold = indices_.size() > kinds::kMaxScatterIndices || many_dimensions;
  if (!spec.ordered && !fold) return;
  const std::vector<Array> here = indices_on_host();
  if (!checked_) check_indices(here);
  checked_ = true;
  const std::vector<std::int64_t> offsets = target_offsets(here, shape_, target());
  if (fold) fold_into_one(offsets);
  if (!spec.ordered) return;
  const Collisions collisions = collisions_of(offsets);
  order_ = to_device(Array::from(collisions.order), operands_.at().device);
  starts_ = to_device(Array::from(collisions.starts), operands_.at().device);
}

void AtCall::fold_into_one(const std::vector<std::int64_t>& offsets) {
  indices_.assign(1, to_device(Array::from(offsets, shape_), operands_.at().device));
  one_index_ = true;
}

MethodVariant AtCall::variant() const {
  MethodVariant variant{.method = Method::at, .array = target_.dtype()};
  if (has_value()) variant.value = operands_.rep(0)->dtype;
  return variant;
}

kinds::ScatterSpec AtCall::spec() const {
  return *ufunc_.specialize(plan_->loop, variant(), operands_.at().device.kind()).get_if<kinds::ScatterSpec>();
}

kinds::ScatterLaunch AtCall::launch() const {
  const detail::ArrayRep& target = this->target();
  const detail::ArrayRep* const value = has_value() ? operands_.rep(0) : nullptr;
  const std::size_t indexed = target.shape.size() - (full_.size() - shape_.size());
  const std::size_t rank = shape_.size();
  std::vector<Strides> over_positions;
  for (const Array& each : indices_) over_positions.push_back(layout::broadcast_strides(each.shape(), each.strides(), shape_));
  std::vector<Strides> over_row{Strides(std::span(target.strides.begin() + indexed, target.strides.end()))};
  if (value != nullptr) {
    const Strides strides = layout::broadcast_strides(value->shape, value->strides, full_);
    over_positions.emplace_back(std::span(strides.begin(), strides.begin() + rank));
    over_row.emplace_back(std::span(strides.begin() + rank, strides.end()));
  }
  const layout::Axes positions = layout::merge_in_order({shape_.data(), rank}, over_positions);
  const layout::Axes row = layout::merge_in_order({full_.data() + rank, full_.size() - rank}, over_row);
  const auto list = [](std::span<const std::int64_t> numbers) { return std::vector(numbers.begin(), numbers.end()); };
  kinds::ScatterLaunch launch;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const detail::ArrayRep& index = *indices_[i].rep();
    launch.indices.push_back({.data = index.data,
                              .dtype = index.dtype,
                              .extent = one_index_ ? 0 : target.shape[i],
                              .stride = one_index_ ? 1 : target.strides[i],
                              .strides = list(positions.strides(i))});
  }
  launch.shape = list(positions.extents());
  launch.target = target.data;
  launch.itemsize = static_cast<std::int64_t>(itemsize(target.dtype));
  launch.row_shape = list(row.extents());
  launch.target_strides = list(row.strides(0));
  if (value != nullptr) {
    launch.value = value->data;
    launch.value_strides = list(positions.strides(indices_.size()));
    launch.value_strides.insert(launch.value_strides.end(), row.strides(1).begin(), row.strides(1).end());
  }
  if (order_.valid()) {
    launch.order = static_cast<const std::int64_t*>(order_.data());
    launch.starts = static_cast<const std::int64_t*>(starts_.data());
    launch.targets = starts_.size() - 1;
  }
  return launch;
}

}  // namespace kiln::ufunc
