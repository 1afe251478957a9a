#include "ufunc/at_call.hpp"

#include <algorithm>
#include <utility>

#include "call/window.hpp"
#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "layout/merge.hpp"
#include "types/convert.hpp"
#include "ufunc/indices.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {
namespace {

constexpr const char* kTarget = "the array";
constexpr const char* kValue = "the second operand";

}  // namespace

AtCall::AtCall(const detail::UfuncImpl& ufunc, Array target, std::span<const Array> indices, const Arg* value,
               const AtOptions& options)
    : ufunc_(ufunc),
      what_(ufunc.name() + ".at"),
      target_(std::move(target)),
      indices_(indices.begin(), indices.end()),
      queue_(options.stream.queue().get()) {
  if (value != nullptr && value->is_array()) value_ = value->array();
  if (value != nullptr && !value->is_array()) scalar_ = value;
  if (value != nullptr && value->is_array() && !value_) {
    throw TypeError(what_ + ": " + kValue + " is an empty Array handle, not an array");
  }
  check_ufunc();
  check_arrays();
  const std::size_t count = indices_.size() + 2;
  const auto rep_of = [&](std::size_t i) { return (i == 0 ? target_ : i + 1 == count ? value_ : indices_[i - 1]).rep().get(); };
  const auto name_of = [&](std::size_t i) {
    return std::string(i == 0 ? kTarget : i + 1 == count ? kValue : "the array of indices");
  };
  place_ = call::choose_place(what_, count, rep_of, name_of, options.stream);
  gpu_ = !place_.device.is_cpu();
}

void AtCall::check_ufunc() const {
  const bool given = scalar_ != nullptr || value_;
  if (ufunc_.nout() != 1 || ufunc_.nin() > 2) {
    throw TypeError(what_ + ": only a ufunc of one or two inputs and one output has at; this one has " +
                    std::to_string(ufunc_.nin()) + " and " + std::to_string(ufunc_.nout()));
  }
  if (ufunc_.nin() == 2 && !given) throw TypeError(what_ + ": a second operand is needed: at(array, indices, b)");
  if (ufunc_.nin() == 1 && given) {
    throw TypeError(what_ + ": a ufunc of one input takes no second operand: at(array, indices)");
  }
}

std::string AtCall::index_name(std::size_t i) const {
  return indices_.size() == 1 ? "the array of indices" : "index array " + std::to_string(i);
}

void AtCall::check_arrays() const {
  if (!target_) throw TypeError(what_ + ": " + kTarget + " is an empty Array handle, not an array");
  if (target_.read_only()) throw TypeError(what_ + ": " + kTarget + " is read-only; give a writable one");
  if (indices_.empty()) throw TypeError(what_ + ": no array of indices given; give one for each of the first axes");
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (!indices_[i]) throw TypeError(what_ + ": " + index_name(i) + " is an empty Array handle, not an array");
    if (kind(indices_[i].dtype()) == Kind::integer) continue;
    throw TypeError(what_ + ": " + index_name(i) + " has dtype " + std::string(name(indices_[i].dtype())) +
                    "; indices are integers");
  }
  if (indices_.size() > target_.shape().size()) {
    throw ShapeError(what_ + ": " + std::to_string(indices_.size()) + " index array" + (indices_.size() == 1 ? "" : "s") +
                     " given for an array of shape " + to_string(target_.shape()) + "; give one for each of its first axes");
  }
  const detail::ArrayRep& target = *target_.rep();
  if (!target.c_contiguous && target.size > 1 && layout::overlaps_itself(call::window_of(target))) {
    throw ShapeError(what_ + ": elements of " + kTarget +
                     " share memory with one another; give one whose elements are distinct");
  }
}

void AtCall::run() {
  choose_loop();
  check_shapes();
  // Queued work may still write them.
  if (queue_ != nullptr) queue_->synchronize();
  checked_ = std::all_of(indices_.begin(), indices_.end(), [](const Array& each) { return each.device().is_cpu(); });
  if (checked_) check_indices(indices_);
  if (std::any_of(full_.begin(), full_.end(), [](std::int64_t extent) { return extent == 0; })) return;
  const Array given = target_;
  if (gpu_) bring_to_device();
  separate_overlaps();
  backend::Backend& backend = backend::backend_for(place_.device);
  kernel_ = &ufunc_.variant(*plan_, variant(), place_.device);
  if (gpu_) {
    if (!checked_) look_for_bad_indices(backend);
    read_indices();
  }
  std::shared_ptr<const void> keep;
  if (backend.asynchronous(queue_)) {
    auto kept = std::make_shared<std::vector<Array>>(indices_);
    kept->push_back(target_);
    for (const Array& each : {value_, order_, starts_}) kept->push_back(each);
    keep = std::move(kept);
  }
  kinds::launch(backend, *kernel_->module, launch(), queue_, keep);
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, *given.rep());
  if (gpu_ && given.is_host()) {
    if (queue_ != nullptr) queue_->synchronize();
    target_.copy_to_host(given);
  }
}

void AtCall::record(Recorder& recorder, const detail::ArrayRep& target) const {
  call::Description call{.method = std::string(name(Method::at)), .inputs = {call::text_of(target)}};
  if (scalar_ != nullptr) call.inputs.emplace_back(name(scalar_->dtype()));
  if (scalar_ == nullptr && value_) call.inputs.push_back(call::text_of(*value_.rep()));
  if (plan_->reported.add(call)) recorder.used(ufunc_.definition_of(plan_->loop), call);
}

const Loop& AtCall::plan() {
  choose_loop();
  return plan_->loop;
}

std::vector<program::Request> AtCall::requests(DeviceKind kind) const {
  return {ufunc_.request(plan_->loop, ufunc_.specialize(plan_->loop, variant(), kind), kind)};
}

void AtCall::choose_loop() {
  PlanKey key(Method::at);
  key.add(target_.dtype());
  std::vector<Argument> arguments{{target_.dtype(), false}};
  if (value_ || scalar_ != nullptr) {
    arguments.push_back({value_ ? value_.dtype() : scalar_->dtype(), !value_});
    key.add(arguments[1].dtype);
    key.add(static_cast<std::uint8_t>(arguments[1].weak));
  }
  plan_ = ufunc_.methods().find(key);
  if (plan_ == nullptr) {
    Loop loop = ufunc_.choose({.name = what_,
                               .options = "",
                               .signatures = ufunc_.signatures(),
                               .arguments = arguments,
                               .bools_are_numbers = ufunc_.definition().bools_are_numbers});
    if (!can_cast(loop.outputs[0], target_.dtype(), Casting::same_kind)) {
      throw TypeError(what_ + ": cannot cast the result from " + std::string(name(loop.outputs[0])) + " to the array's " +
                      std::string(name(target_.dtype())) + " under casting \"same_kind\" for the loop " + loop.text +
                      "; give one of " + std::string(name(loop.outputs[0])));
    }
    plan_ = &ufunc_.methods().add(key, std::move(loop));
  }
  if (scalar_ != nullptr) convert_scalar_operand();
}

void AtCall::convert_scalar_operand() {
  const DType to = plan_->loop.inputs[1];
  const auto check = [&](DType as) {
    if (kind(scalar_->dtype()) != Kind::integer || kind(as) != Kind::integer ||
        integer_fits(scalar_->dtype(), scalar_->value(), as)) {
      return;
    }
    throw TypeError(what_ + ": the integer " + integer_text(scalar_->dtype(), scalar_->value()) + " given as " + kValue +
                    " does not fit in " + std::string(name(as)) + ", the dtype of the loop " + plan_->loop.text);
  };
  check(to);
  for (const auto& [operand, as] : plan_->loop.narrowed) check(as);
  value_ = Array::empty({}, to);
  convert_scalar(scalar_->dtype(), scalar_->value(), to, value_.rep()->data);
}

void AtCall::check_shapes() {
  for (const Array& each : indices_) {
    if (layout::broadcast_into(shape_, each.shape())) continue;
    std::string shapes;
    for (const Array& one : indices_) shapes += (shapes.empty() ? "" : ", ") + to_string(one.shape());
    throw ShapeError(what_ + ": index arrays of shapes " + shapes + " do not broadcast together");
  }
  full_ = shape_;
  for (std::size_t d = indices_.size(); d < target_.shape().size(); ++d) full_.push_back(target_.shape()[d]);
  detail::checked_size(full_);
  if (value_ && !layout::broadcasts_to(value_.shape(), full_)) {
    throw ShapeError(what_ + ": " + kValue + " has shape " + to_string(value_.shape()) + ", which does not broadcast to " +
                     to_string(full_) + ", the shape of the indices and the axes behind them");
  }
}

void AtCall::check_indices(std::span<const Array> indices) const {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::optional<BadIndex> bad = find_bad_index(*indices[i].rep(), target_.shape()[i]);
    if (!bad) continue;
    const std::string position = bad->position.size() == 1 ? std::to_string(bad->position[0]) : to_string(bad->position);
    throw ShapeError(what_ + ": index " + bad->text + " at position " + position + " of " + index_name(i) +
                     " is out of range for axis " + std::to_string(i) + " of extent " + std::to_string(target_.shape()[i]));
  }
}

void AtCall::bring_to_device() {
  const auto bring = [this](Array& array) {
    if (array && array.is_host()) array = to_device(array, place_.device);
  };
  bring(target_);
  bring(value_);
  for (Array& each : indices_) bring(each);
}

void AtCall::separate_overlaps() {
  const detail::ArrayRep& target = *target_.rep();
  if (value_ && call::share_memory(target, *value_.rep())) value_ = value_.copy();
  for (Array& each : indices_) {
    if (call::share_memory(target, *each.rep())) each = each.copy();
  }
}

void AtCall::look_for_bad_indices(backend::Backend& backend) {
  const bool fits = indices_.size() <= kinds::kMaxScatterIndices && launch().shape.size() <= backend::kMaxKernelRank;
  if (fits) {
    const Array bad = to_device(Array::full({1}, UINT64_MAX), place_.device);
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
  const bool ordered = std::get<codegen::ScatterSpec>(ufunc_.specialize(plan_->loop, variant(), place_.device.kind())).ordered;
  kinds::ScatterLaunch plain = launch();
  if (value_ && plain.shape.size() > std::size_t{backend::kMaxKernelRank}) value_ = value_.broadcast_to(full_).copy();
  const bool fold = indices_.size() > kinds::kMaxScatterIndices || plain.shape.size() > std::size_t{backend::kMaxKernelRank};
  if (!ordered && !fold) return;
  std::vector<Array> here;
  for (const Array& each : indices_) here.push_back(each.copy_to_host());
  const std::vector<std::int64_t> offsets = target_offsets(here, shape_, *target_.rep());
  if (fold) fold_into_one(offsets);
  if (!ordered) return;
  const Collisions collisions = collisions_of(offsets);
  order_ = to_device(Array::from(collisions.order), place_.device);
  starts_ = to_device(Array::from(collisions.starts), place_.device);
}

void AtCall::fold_into_one(const std::vector<std::int64_t>& offsets) {
  indices_.assign(1, to_device(Array::from(offsets, shape_), place_.device));
  one_index_ = true;
}

MethodVariant AtCall::variant() const {
  MethodVariant variant{.method = Method::at, .array = target_.dtype()};
  if (value_) variant.value = value_.dtype();
  return variant;
}

kinds::ScatterLaunch AtCall::launch() const {
  const detail::ArrayRep& target = *target_.rep();
  const std::size_t indexed = target.shape.size() - (full_.size() - shape_.size());
  const std::size_t rank = shape_.size();
  std::vector<Strides> over_positions;
  for (const Array& each : indices_) over_positions.push_back(layout::broadcast_strides(each.shape(), each.strides(), shape_));
  std::vector<Strides> over_row{Strides(std::span(target.strides.begin() + indexed, target.strides.end()))};
  if (value_) {
    const Strides strides = layout::broadcast_strides(value_.shape(), value_.strides(), full_);
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
  if (value_) {
    launch.value = value_.rep()->data;
    launch.value_strides = std::move(positions.strides[indices_.size()]);
    launch.value_strides.insert(launch.value_strides.end(), row.strides[1].begin(), row.strides[1].end());
  }
  if (order_) {
    launch.order = static_cast<const std::int64_t*>(order_.data());
    launch.starts = static_cast<const std::int64_t*>(starts_.data());
    launch.targets = starts_.size() - 1;
  }
  return launch;
}

}  // namespace kiln::ufunc
