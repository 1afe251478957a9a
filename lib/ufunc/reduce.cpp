#include "ufunc/reduce.hpp"

#include <algorithm>

#include "call/shapes.hpp"
#include "call/staging.hpp"
#include "call/window.hpp"
#include "kiln/error.hpp"
#include "kiln/ufunc.hpp"
#include "layout/broadcast.hpp"
#include "ufunc/axes.hpp"
#include "ufunc/identity_literal.hpp"
#include "ufunc/identity_probe.hpp"
#include "ufunc/reduction_loop.hpp"
#include "ufunc/reduction_plan.hpp"

namespace kiln::ufunc {
namespace {

// No call has a key that begins so.
constexpr std::uint8_t kReduceKey = 0xf0;
constexpr std::uint8_t kReduceatKey = 0xf1;
constexpr std::uint8_t kNoDType = 0xff;

std::uint8_t byte_of(std::optional<DType> dtype) {
  return dtype ? static_cast<std::uint8_t>(*dtype) : kNoDType;
}

/// Strides of an array that is repeated to a shape, for each axis of that; 0 where it repeats.
Strides repeated(const detail::ArrayRep& rep, const Shape& shape) {
  Strides strides(shape.size(), 0);
  const std::size_t missing = shape.size() - rep.shape.size();
  for (std::size_t i = 0; i < rep.shape.size(); ++i) strides[missing + i] = rep.shape[i] == 1 ? 0 : rep.strides[i];
  return strides;
}

/// What lies on the host with these, if anything.
bool on_host(const detail::ArrayRep* rep) {
  return rep != nullptr && rep->on_host;
}

}  // namespace

Reduce::Reduce(const detail::UfuncImpl& ufunc, const Array& array, const ReduceOptions& options)
    : ufunc_(ufunc), options_(options), given_(array) {
  array_ = array.rep().get();
  if (array_ == nullptr) throw TypeError(what() + ": the array is an empty Array handle, not an array");
  mask_ = options.where.rep().get();
  out_ = options.out.rep().get();
}

Reduce::Reduce(const detail::UfuncImpl& ufunc, const Array& array, std::span<const std::int64_t> indices,
               const ReduceOptions& options)
    : ufunc_(ufunc), options_(options), given_(array), segmented_(true), indices_(indices) {
  array_ = array.rep().get();
  if (array_ == nullptr) throw TypeError(what() + ": the array is an empty Array handle, not an array");
  out_ = options.out.rep().get();
}

Array Reduce::run() {
  choose_loop();
  name_axes();
  if (segmented_) check_segments();
  check_mask();
  check_start();
  check_out();
  convert_initial();
  place();
  if (place_.staged) return run_through_device();
  if (out_ != nullptr) separate();
  Array result = options_.out;
  if (!result) {
    result = place_.on_host ? Array::empty(shape_, loop_dtype()) : device_array(shape_, loop_dtype(), place_.device);
  }
  if (outputs_ > 0) launch(result);
  return result;
}

void Reduce::choose_loop() {
  TypePlan::Key key;
  key.bytes[0] = segmented_ ? kReduceatKey : kReduceKey;
  key.bytes[1] = static_cast<std::uint8_t>(array_->dtype);
  key.bytes[2] = byte_of(options_.dtype);
  key.bytes[3] = out_ != nullptr ? static_cast<std::uint8_t>(out_->dtype) : kNoDType;
  key.length = 4;
  plan_ = ufunc_.find_plan(key);
  if (plan_ != nullptr) return;
  Loop loop = choose_reduction_loop({.name = ufunc_.name(),
                                     .method = method(),
                                     .signatures = ufunc_.signatures(),
                                     .source = ufunc_.source(),
                                     .array = array_->dtype,
                                     .dtype = options_.dtype,
                                     .widens_integers = ufunc_.definition().widens_integers,
                                     .identity = has_identity(),
                                     .bools_are_numbers = ufunc_.definition().bools_are_numbers});
  if (out_ != nullptr && !can_cast(loop.outputs[0], out_->dtype, Casting::same_kind)) {
    throw TypeError(what() + ": cannot cast the result from " + std::string(name(loop.outputs[0])) + " to the out array's " +
                    std::string(name(out_->dtype)) + " under casting \"same_kind\" for the loop " + loop.text +
                    "; give an .out of another dtype, or choose the loop with .dtype");
  }
  if (has_identity() && !segmented_) probe_identity(ufunc_, loop.outputs[0]);
  plan_ = &ufunc_.make_plan(key, std::move(loop));
}

void Reduce::name_axes() {
  reduced_ = named_axes([this] { return what(); }, options_.axis, array_->shape);
  std::size_t several = 0;
  for (std::size_t i = 0; i < reduced_.size(); ++i) {
    const std::int64_t extent = array_->shape[i];
    if (reduced_[i] == 0) {
      shape_.push_back(extent);
      outputs_ *= extent;
    } else {
      ++several;
      count_ *= extent;
      if (options_.keepdims) shape_.push_back(1);
    }
  }
  if (several > 1 && !ufunc_.reorderable()) {
    throw ShapeError(what() +
                     ": the operation is not marked reorderable, so its order counts and it is reduced along one axis, not " +
                     std::to_string(several) + "; name one axis, or set .reorderable or .identity in the definition");
  }
}

void Reduce::check_mask() {
  if (mask_ == nullptr) return;
  if (mask_->dtype != DType::bool_) {
    throw TypeError(what() + ": cannot cast .where from " + std::string(name(mask_->dtype)) +
                    " to bool under casting \"safe\"; give an array of bool");
  }
  if (!layout::broadcasts_to(mask_->shape, array_->shape)) {
    throw ShapeError(what() + ": .where of shape " + to_string(mask_->shape) + " does not broadcast to the array's shape " +
                     to_string(array_->shape));
  }
}

void Reduce::check_start() {
  // It stands for elements that do not count even where .initial stands in front.
  if (has_identity() && !segmented_ && (!options_.initial || mask_ != nullptr)) {
    check_identity(ufunc_.name(), ufunc_.definition().identity, plan_->loop.outputs[0], plan_->loop.text);
  }
  if (has_identity() || options_.initial || segmented_) return;
  if (mask_ != nullptr) {
    throw TypeError(what() + ": the operation has no identity, so .where needs .initial: what nothing gives");
  }
  if (count_ == 0) {
    throw ShapeError(what() + ": nothing to reduce in an array of shape " + to_string(array_->shape) +
                     ", and the operation has no identity; give .initial");
  }
}

void Reduce::check_out() {
  if (out_ == nullptr) return;
  call::check_output([this] { return what(); }, *out_, shape_, [](std::size_t) { return std::string(".out"); }, 0);
}

void Reduce::place() {
  const detail::ArrayRep* const all[] = {array_, mask_, out_};
  constexpr const char* kNames[] = {"the array", ".where", ".out"};
  place_ = call::choose_place([this] { return what(); }, std::size(all), [&](std::size_t i) { return all[i]; },
                              [&](std::size_t i) { return std::string(kNames[i]); }, options_.stream);
}

/// Host arrays and a GPU: they are brought there, and a host result is fetched.
Array Reduce::run_through_device() {
  Array array = given_;
  if (on_host(array_)) array = call::send(array, place_.device);
  ReduceOptions options = options_;
  if (on_host(mask_)) options.where = call::send(options.where, place_.device);
  if (on_host(out_)) options.out = device_array(out_->shape, out_->dtype, place_.device);
  const Array computed = segmented_ ? Reduce(ufunc_, array, indices_, options).run() : Reduce(ufunc_, array, options).run();
  Array result;
  call::fetch_results({&options_.out, 1}, {&computed, 1}, place_, {&result, 1});
  return result;
}

void Reduce::convert_initial() {
  if (options_.initial) initial_ = initial_value(what(), *options_.initial, options_.stream, loop_dtype(), plan_->loop.text);
}

/// Inputs that the result would overwrite while they are read are copied first.
void Reduce::separate() {
  const auto copy = [&](const detail::ArrayRep*& rep, const Array& array) {
    if (rep == nullptr || !call::share_memory(*rep, *out_)) return;
    // The copy is made at once, so work that is still queued must be done.
    if (place_.queue != nullptr) place_.queue->synchronize();
    held_.push_back(array.copy());
    rep = held_.back().rep().get();
  };
  copy(array_, given_);
  copy(mask_, options_.where);
}

Strides Reduce::strides_of_result(const detail::ArrayRep& result) const {
  // Along reduced axes the result stands still.
  if (segmented_) {
    Strides strides = result.strides;
    strides[axis_] = 0;
    return strides;
  }
  Strides strides(reduced_.size(), 0);
  std::size_t own = 0;
  for (std::size_t i = 0; i < reduced_.size(); ++i) {
    if (reduced_[i] == 0) {
      strides[i] = result.strides[own++];
    } else if (options_.keepdims) {
      ++own;
    }
  }
  return strides;
}

void Reduce::launch(const Array& target) {
  if (segmented_) return launch_segments(target);
  launch({.shape = array_->shape}, target);
}

layout::Reduction Reduce::lay_out(const Piece& piece, const Operands& operands, Addresses& addresses) const {
  if (piece.lengths != nullptr) return lay_out_segments(operands, addresses);
  const detail::ArrayRep& array = operands.array;
  const detail::ArrayRep& result = operands.result;
  const Strides mask_strides = operands.mask != nullptr ? repeated(*operands.mask, piece.shape) : Strides();
  const Strides result_strides = strides_of_result(result);
  std::array<const std::int64_t*, kOperands> strides{};
  std::array<const char*, kOperands> begins{};
  std::size_t count = 0;
  const auto add = [&](const char* data, DType dtype, const Strides& along) {
    strides[count] = along.data();
    begins[count] = data;
    addresses[count++].itemsize = static_cast<std::int64_t>(itemsize(dtype));
  };
  const std::int64_t step = segmented_ ? array.strides[axis_] : 0;
  const std::int64_t result_step = segmented_ ? result.strides[axis_] : 0;
  add(array.data + piece.begin * step, array.dtype, array.strides);
  if (operands.mask != nullptr) add(operands.mask->data, DType::bool_, mask_strides);
  add(result.data + piece.segment * result_step, result.dtype, result_strides);
  layout::Reduction layout({.shape = {piece.shape.data(), piece.shape.size()},
                            .reduced = {reduced_.data(), reduced_.size()},
                            .strides = {strides.data(), count},
                            .in_order = !ufunc_.reorderable() || piece.segments != nullptr});
  for (std::size_t k = 0; k < count; ++k) addresses[k].address = begins[k] + layout.offset(k);
  return layout;
}

MethodVariant Reduce::variant(const Laid& laid, const Array& target) const {
  const bool ordered = !ufunc_.reorderable();
  return {.method = segmented_ ? Method::reduceat : Method::reduce,
          .array = array_->dtype,
          .result = target.dtype(),
          .masked = masked(),
          .layout = laid.piece.lengths != nullptr ? classify(laid.layout, *laid.piece.lengths, ordered)
                                                  : classify(laid.layout, {laid.addresses.data(), operands() - 1}, ordered)};
}

void Reduce::launch(const Piece& piece, const Array& target) {
  backend::Backend& backend = backend::backend_for(place_.device);
  Addresses addresses;
  const layout::Reduction layout = lay_out(piece, {*array_, mask_, *target.rep()}, addresses);
  const MethodVariant method = variant({piece, layout, addresses}, target);
  const auto spec = std::get<codegen::ReductionSpec>(ufunc_.specialize(plan_->loop, method, place_.device.kind()));
  const Variant::Key key{bits_of(spec), device_bits(place_.device)};
  const Variant* variant = find(plan_->variants, key);
  if (variant == nullptr) variant = &ufunc_.variant(*plan_, key, method, backend);
  std::array<kinds::LaunchOperand, kOperands> operands{};
  const std::size_t count = this->operands() + (piece.lengths != nullptr ? 1 : 0);
  for (std::size_t k = 0; k < count; ++k) {
    operands[k] = {const_cast<void*>(addresses[k].address), layout.strides(k), static_cast<std::uint8_t>(addresses[k].itemsize),
                   false};
  }
  const kinds::ReductionLaunch work{.operands = {operands.data(), count},
                                    .kept = layout.kept(),
                                    .reduced = layout.reduced(),
                                    .outputs = layout.outputs(),
                                    .count = layout.count(),
                                    .initial = options_.initial ? initial_.bytes.data() : nullptr,
                                    .segments = piece.segments,
                                    .columns_inside = layout.columns_inside(),
                                    .mapping = static_cast<kinds::ReductionMapping>(spec.mapping),
                                    .width = spec.width,
                                    .wide_index = spec.wide_index,
                                    .state_bytes = state_bytes(spec)};
  if (keep_ == nullptr && backend.asynchronous(place_.queue)) {
    auto kept = std::make_shared<std::vector<Array>>(held_);
    kept->insert(kept->end(), {given_, options_.where, target});
    keep_ = std::move(kept);
  }
  kinds::launch(backend, *variant->module, work, place_.queue, keep_);
  if (place_.device.is_cpu() && piece.segments != nullptr) return;
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, piece, target);
}

// The CPU has one kernel for every layout, so that a GPU's decides. Host arrays lie there as they are sent.
void Reduce::record(Recorder& recorder, const Piece& piece, const Array& target) const {
  // An array that overlaps the result was replaced by a copy, which a GPU needs not where it is sent.
  const detail::ArrayRep& given = on_host(given_.rep().get()) ? *given_.rep() : *array_;
  const detail::ArrayRep* const mask = on_host(options_.where.rep().get()) ? options_.where.rep().get() : mask_;
  const auto there = [](const detail::ArrayRep& rep, bool input, std::size_t index) {
    return rep.on_host ? call::as_sent(rep, input, index) : rep;
  };
  const detail::ArrayRep array_there = there(given, true, 0);
  const std::optional<detail::ArrayRep> mask_there = mask != nullptr ? std::optional(there(*mask, true, 1)) : std::nullopt;
  const detail::ArrayRep target_there = there(*target.rep(), false, 2);
  Addresses addresses;
  const layout::Reduction layout = lay_out(piece, {array_there, mask_there ? &*mask_there : nullptr, target_there}, addresses);
  const MethodVariant used = variant({piece, layout, addresses}, target);
  const ReductionClass& of = used.layout;
  const Recorded::Key key{static_cast<std::uint64_t>(of.mapping) | static_cast<std::uint64_t>(of.kept_rank) << 8 |
                              static_cast<std::uint64_t>(of.reduced_rank) << 16,
                          static_cast<std::uint64_t>(of.packs) | static_cast<std::uint64_t>(of.wide_index) << 1 |
                              static_cast<std::uint64_t>(used.masked) << 2 | static_cast<std::uint64_t>(of.segmented) << 3};
  if (find(plan_->recorded, key) != nullptr) return;
  recorder.used(MethodUse{.definition = ufunc_.definition_of(plan_->loop), .loop = plan_->loop, .variant = used});
  publish(plan_->recorded, std::make_unique<Recorded>(Recorded{key, nullptr}).release());
}

}  // namespace kiln::ufunc

namespace kiln {

Array Ufunc::reduce(const Array& a, const ReduceOptions& options) const {
  return ufunc::Reduce(*impl_, a, options).run();
}

}  // namespace kiln
