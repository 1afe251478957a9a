#include "ufunc/at_call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/capture.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "layout/merge.hpp"
#include "ufunc/indices.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {
namespace {

constexpr const char* kTarget = "the array";

}  // namespace

// Operands sets those that it has. NOLINTNEXTLINE(clang-analyzer-optin.cplusplus.UninitializedObject)
AtCall::AtCall(const detail::UfuncImpl& ufunc, Array target, std::span<const Array> indices, const Arg* value,
               const AtOptions& options)
    : ufunc_(ufunc),
      target_(std::move(target)),
      indices_(indices.begin(), indices.end()),
      value_(value),
      operands_(*this, {{value, value != nullptr ? 1U : 0U}, call::kNoMask, {&target_, 1}, {options.stream, options.device}},
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
  if (target_.read_only()) throw TypeError(what() + ": " + kTarget + " is read-only; give a writable one");
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
  backend::Queue* const queue = operands_.at().queue;
  // Queued work may still write them.
  if (queue != nullptr) queue->synchronize();
  checked_ = std::all_of(indices_.begin(), indices_.end(), [](const Array& each) { return each.device().is_cpu(); });
  if (checked_) check_indices(indices_);
  if (std::any_of(full_.begin(), full_.end(), [](std::int64_t extent) { return extent == 0; })) return;
  operands_.separate(false, true);
  bring_to_device();
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  kernel_ = &ufunc_.variant(*plan_, variant(), operands_.at().device);
  if (operands_.at().gpu()) {
    if (!checked_) look_for_bad_indices(backend);
    read_indices();
  }
  std::vector<Array> used = indices_;
  for (const Array& each : {target_, order_, starts_}) used.push_back(each);
  kinds::launch(backend, *kernel_->module, launch(), queue, operands_.keep(backend, used));
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
  operands_.fetch({&target_, 1});
}

void AtCall::record(Recorder& recorder) const {
  call::Description call = operands_.description();
  call.method = name(Method::at);
  call.inputs.insert(call.inputs.begin(), call::text_of(*target_.rep()));
  call.out.clear();
  if (plan_->reported.add(call)) recorder.used(ufunc_.definition_of(plan_->loop), call);
}

const Loop& AtCall::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  operands_.place(indices_);
  choose_loop();
  return plan_->loop;
}

program::Request AtCall::request() const {
  const DeviceKind kind = operands_.at().device.kind();
  return ufunc_.request(plan_->loop, ufunc_.specialize(plan_->loop, variant(), kind), kind);
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
  plan_ = ufunc_.methods().find(key);
  if (plan_ == nullptr) {
    Loop loop = ufunc_.choose({.name = what(),
                               .options = "",
                               .signatures = ufunc_.signatures(),
                               .arguments = arguments,
                               .bools_are_numbers = ufunc_.definition().bools_are_numbers});
    if (!can_cast(loop.outputs[0], target_.dtype(), Casting::same_kind)) {
      throw TypeError(what() + ": cannot cast the result from " + std::string(name(loop.outputs[0])) + " to the array's " +
                      std::string(name(target_.dtype())) + " under casting \"same_kind\" for the loop " + loop.text +
                      "; give one of " + std::string(name(loop.outputs[0])));
    }
    plan_ = &ufunc_.methods().add(key, std::move(loop));
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
    throw ShapeError(what() + ": index arrays of shapes " + shapes + " do not broadcast together");
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
    throw ShapeError(what() + ": index " + bad->text + " at position " + position + " of " + index_name(i) +
                     " is out of range for axis " + std::to_string(i) + " of extent " + std::to_string(target_.shape()[i]));
  }
}

void AtCall::bring_to_device() {
  // A scalar, which is an array of the host's by now: arrays beside it on the device do not bring it.
  if (operands_.at().gpu() && has_value() && operands_.array(0).is_host()) {
    operands_.replace(0, to_device(operands_.array(0), operands_.at().device));
  }
  for (Array& each : indices_) {
    if (operands_.at().gpu() && each.is_host()) each = to_device(each, operands_.at().device);
    if (call::share_memory(target(), *each.rep())) each = each.copy();
  }
}

void AtCall::look_for_bad_indices(backend::Backend& backend) {
  const bool fits = indices_.size() <= kinds::kMaxScatterIndices && launch().shape.size() <= backend::kMaxKernelRank;
  if (fits) {
    const Array bad = to_device(Array::full({1}, UINT64_MAX), operands_.at().device);
    kinds::ScatterLaunch check = launch();
    check.first_bad = static_cast<std::uint64_t*>(bad.data());
    kinds::launch(backend, *kernel_->module, check, nullptr, nullptr);
    if (bad.copy_to_host().item<std::uint64_t>() == UINT64_MAX) return;
  }
  std::vector<Array> here;
  for (const Array& each : indices_) here.push_back(each.copy_to_host());
  check_indices(here);
}

// What the kernels cannot take as it is, and the order that they must keep, are made on the host.
void AtCall::read_indices() {
  const bool ordered =
      std::get<kinds::ScatterSpec>(ufunc_.specialize(plan_->loop, variant(), operands_.at().device.kind())).ordered;
  kinds::ScatterLaunch plain = launch();
  if (has_value() && plain.shape.size() > std::size_t{backend::kMaxKernelRank}) {
    operands_.replace(0, operands_.array(0).broadcast_to(full_).copy());
  }
  const bool fold = indices_.size() > kinds::kMaxScatterIndices || plain.shape.size() > std::size_t{backend::kMaxKernelRank};
  if (!ordered && !fold) return;
  std::vector<Array> here;
  for (const Array& each : indices_) here.push_back(each.copy_to_host());
  const std::vector<std::int64_t> offsets = target_offsets(here, shape_, target());
  if (fold) fold_into_one(offsets);
  if (!ordered) return;
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
  layout::Merged positions = layout::merge_in_order({shape_.data(), rank}, over_positions);
  layout::Merged row = layout::merge_in_order({full_.data() + rank, full_.size() - rank}, over_row);
  kinds::ScatterLaunch launch;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const detail::ArrayRep& index = *indices_[i].rep();
    launch.indices.push_back({.data = index.data,
                              .dtype = index.dtype,
                              .extent = one_index_ ? 0 : target.shape[i],
                              .stride = one_index_ ? 1 : target.strides[i],
                              .strides = std::move(positions.strides[i])});
  }
  launch.shape = std::move(positions.shape);
  launch.target = target.data;
  launch.row_shape = std::move(row.shape);
  launch.target_strides = std::move(row.strides[0]);
  if (value != nullptr) {
    launch.value = value->data;
    launch.value_strides = std::move(positions.strides[indices_.size()]);
    launch.value_strides.insert(launch.value_strides.end(), row.strides[1].begin(), row.strides[1].end());
  }
  if (order_.valid()) {
    launch.order = static_cast<const std::int64_t*>(order_.data());
    launch.starts = static_cast<const std::int64_t*>(starts_.data());
    launch.targets = starts_.size() - 1;
  }
  return launch;
}

}  // namespace kiln::ufunc
