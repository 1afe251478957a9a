#include "ufunc/call.hpp"

#include <algorithm>
#include <bit>

#include "kernel/elementwise/spec.hpp"
#include "kernel/space.hpp"
#include "kernels-src/elementwise/abi.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"

#include "autotune/session.hpp"
#include "call/shapes.hpp"
#include "kernel/counter.hpp"
#include "kernel/elementwise/launch.hpp"
#include "layout/squeeze.hpp"
#include "ufunc/beside.hpp"
#include "ufunc/constants.hpp"
#include "ufunc/packed_call.hpp"
#include "ufunc/raw_operands.hpp"
#include "ufunc/tiling.hpp"
#include "ufunc/tuning.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::ufunc {
namespace {

using kinds::Masking;

/// Arguments of the kernel beside the operands.
std::size_t more_operands(const detail::UfuncImpl& ufunc, const CallOptions& options) {
  const std::size_t preserved = options.where.valid() && !options.out.empty() ? ufunc.nout() : 0;
  const std::uint64_t read = options.out.empty() ? 0 : ufunc.inout();
  return preserved + static_cast<std::size_t>(std::popcount(read)) + (ufunc.by_elements() ? 1 : 0);
}

// A scalar takes part in no stride: it has a shape of no axes.
const Shape kNoAxes;
// Raw operands take part in none either; a loop has at most 64 dimensions.
constexpr std::array<std::int64_t, 64> kNoStrides{};

layout::Operand placed(const call::Operand& operand) {
  if (operand.rep != nullptr) return {&operand.rep->shape, &operand.rep->strides, operand.itemsize};
  if (operand.scalar != nullptr) return {&kNoAxes, &kNoAxes, operand.itemsize};
  return {nullptr, nullptr, operand.itemsize};
}

}  // namespace

// On a CPU the outputs that keep values are read, too.
Call::Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options,
           const backend::StopRequest* stop)
    : ufunc_(ufunc),
      options_(options),
      operands_(ufunc, {args, options.where, options.out.list(), {options.stream, options.device, stop}}, ufunc.nin(),
                ufunc.nout(), more_operands(ufunc, options)) {
  if (operands_.masked()) layout_.masking = options.out.empty() ? Masking::zero : Masking::keep;
  layout_.reads_outputs = ufunc.inout() != 0 && !options.out.empty();
  for (std::size_t k = 0; ufunc.raw_operands() != 0 && k < operands_.count(); ++k) {
    // In CuPy's notation a raw parameter may be a number.
    const bool number = ufunc.cupy() != nullptr && operands_.is_scalar(k);
    raw_ |= std::uint64_t{operands_.is_raw(k) && !number} << k;
  }
}

/// Everything that can be wrong, before anything is transferred or written.
void Call::check() {
  check_given();
  operands_.place();
  choose_loop();
  find_shape();
  for (std::size_t k = operands_.inputs(); k < operands_.count(); ++k) {
    if (!is_raw(k)) operands_.check_output(k, *shape_);
  }
  for (std::size_t k = 0; raw_ != 0 && k < operands_.count(); ++k) {
    if (is_raw(k)) check_raw(k);
  }
  operands_.convert_scalars(types_of(plan_->loop), options_.casting);
  if (ufunc_.constants() != 0) plan_ = &for_constants(*plan_, operands_, ufunc_);
}

void Call::run(std::span<Array> results, const PackedCall* packed) {
  check();
  if (size_ == 0) {
    allocate(results);
    return operands_.fetch(results);
  }
  separate(results);
  iterate();
  classify();
  // Compiling may throw: nothing has been written yet.
  const Variant<LayoutClass>& variant = ufunc_.variant(*plan_, layout_, operands_, tiling_);
  allocate(results);
  launch(variant, results);
  if (Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder);
  if (packed != nullptr) packed->remember(plan_->loop, variant);
  operands_.fetch(results);
}

const Loop& Call::plan(const std::optional<Device>& device) {
  operands_.plan(device);
  check();
  if (size_ == 0) call::fail_nothing(ufunc_.name());
  return plan_->loop;
}

std::vector<program::Request> Call::requests() {
  std::vector<Array> results(operands_.nout());
  separate(results);
  iterate();
  classify();
  const DeviceKind kind = operands_.at().device.kind();
  const CallForm form{.operands = operands_.count(),
                      .inputs = operands_.inputs(),
                      .dimensions = shape_->size(),
                      .tiling = tiling_,
                      .raw = ufunc_.raw_count()};
  std::vector<program::Request> requests;
  for (const Loop& loop : for_all_values(plan_->loop)) {
    for (const LayoutClass& layout : of_all_sizes(layout_, form, kind)) {
      requests.push_back(ufunc_.request(loop, ufunc::specialize(loop, operands_.storage_dtypes(), layout, kind), kind));
    }
  }
  return requests;
}

cache::Contents Call::compiled() {
  plan();
  return program::compiled(requests().front(), *backend::backend_for(operands_.at().device).compiler());
}

void Call::choose_loop() {
  const LoopOptions options{options_.casting, options_.dtype, options_.signature};
  const PlanKey key(operands_, options);
  plan_ = ufunc_.plans().find(key);
  if (plan_ == nullptr) plan_ = &ufunc_.plans().add(key, ufunc_.choose(operands_, options));
  operands_.set_types(types_of(plan_->loop));
}

void Call::find_shape() {
  for (std::size_t k = 0; k < operands_.count(); ++k) {
    const call::Operand& operand = operands_.all()[k];
    if (operand.rep == nullptr || is_raw(k)) continue;
    if (shape_ == nullptr) {
      shape_ = &operand.rep->shape;
      size_ = operand.rep->size;
    } else {
      uniform_ &= operand.rep->shape == *shape_;
    }
  }
  if (shape_ == nullptr || options_.size) find_size();
  if (uniform_) return;
  own_shape_ = Shape{};
  call::broadcast_all(
      ufunc_.name(), operands_.count(), [this](std::size_t k) { return is_raw(k) ? nullptr : operands_.rep(k); },
      [this](std::size_t k) { return operands_.name_of(k); }, own_shape_);
  shape_ = &own_shape_;
  size_ = detail::checked_size(own_shape_);
}

void Call::separate(std::span<Array> results) {
  // The shape may be that of an array which is replaced.
  if (shape_ != &own_shape_ && operands_.at().staged) shape_ = &(own_shape_ = *shape_);
  operands_.separate(true, keeps());
  // What the mask leaves out of a fresh result beside given ones, and what is read of it.
  for (std::size_t o = 0; o < operands_.nout(); ++o) {
    if (operands_.is_given(o) || (!keeps() && !reads(o))) continue;
    results[o] = operands_.zeros(*shape_, plan_->loop.outputs[o]);
    operands_.set_output(o, results[o].rep().get());
  }
}

void Call::iterate() {
  Uninitialized<layout::Operand, kMaxOperands> storage;
  layout::Operand* const operands = storage.data();
  all_c_ = all_f_ = uniform_;
  for (std::size_t k = 0; k < operands_.count(); ++k) {
    if (is_raw(k)) {
      operands[k] = {&kNoAxes, &kNoAxes, operands_.all()[k].itemsize};
      continue;
    }
    operands[k] = placed(operands_.all()[k]);
    const detail::ArrayRep* const rep = operands_.rep(k);
    all_c_ &= rep == nullptr || rep->c_contiguous;
    all_f_ &= rep == nullptr || rep->f_contiguous;
  }
  const std::span all(operands, operands_.count());
  const bool in_order = ufunc_.place().in_order();
  all_f_ &= !in_order || all_c_;
  if (all_c_ || all_f_) {
    iteration_.emplace(size_, all);
  } else if (layout::has_ones(*shape_)) {
    const layout::Squeezed squeezed(*shape_, all);
    squeezed_ = squeezed.axes();
    iteration_.emplace(squeezed.shape(), all, in_order);
  } else {
    iteration_.emplace(*shape_, all, in_order);
  }
}

/// Allocates a result whose axes are sorted in memory as the iteration's are.
Array Call::allocate_sorted(DType dtype) const {
  const bool on_host = operands_.results_on_host();
  const Device device = on_host ? Device::cpu() : operands_.at().device;
  const std::span<const int> order = iteration_->memory_order();
  if (!squeezed_) return detail::allocate(*shape_, dtype, order, on_host, device);
  return detail::allocate(*shape_, dtype, layout::unsqueezed_order(shape_->size(), *squeezed_, order), on_host, device);
}

// Only what this device's variants differ by: layouts that differ in the rest share a variant.
void Call::classify() {
  const Placement at{*iteration_, operands_.all(), operands_.inputs(), raw_};
  const bool by_elements = this->by_elements();
  for (std::size_t k = 0, raw = 0; raw_ != 0 && k < operands_.count(); ++k) {
    if (is_raw(k)) layout_.set_raw_axes(raw++, raw_axes_of(operands_, k));
  }
  if (ufunc_.place().indexer) {
    if (shape_->size() > LayoutClass::kMaxRawRank) {
      throw ShapeError(ufunc_.name() + ": the body asks for the index along each axis, and there are " +
                       std::to_string(shape_->size()) + "; at most " + std::to_string(LayoutClass::kMaxRawRank) +
                       " are possible");
    }
    layout_.set_raw_axes(static_cast<std::size_t>(std::popcount(raw_)),
                         {.rank = static_cast<std::uint8_t>(shape_->size()), .packed = true});
  }
  for (std::size_t k = 0; k < operands_.count(); ++k) layout_.set_access(k, access_of(at, k));
  if (operands_.at().gpu()) {
    layout_.rank = static_cast<std::uint8_t>(std::min(iteration_->rank(), backend::kMaxKernelRank));
    layout_.wide_index = iteration_->size() > kinds::kMaxNarrowIndex;
    layout_.packs = packing_of(at);
    layout_.in_place = operands_.aliased() || layout_.reads_outputs;
    if (by_elements && layout_.packs == Packing::strips) layout_.packs = Packing::single;
    if (!by_elements && iteration_->rank() > 1 && layout_.any_strided(operands_.count()))
      tiling_ = tiling_of(at, layout_.masking);
    if (tiling_.pays) {
      layout_.tile = tiling_.side;
      layout_.across = tiling_.across;
    }
  } else {
    layout_.rank = static_cast<std::uint8_t>(std::min(iteration_->rank(), 2));
    past_cache_ = !by_elements && !layout_.reads_outputs && !keeps() && !ufunc_.arithmetic_bound() && stores_past_cache(at);
  }
}

void Call::allocate(std::span<Array> results) const {
  operands_.give(results);
  for (std::size_t o = 0; o < operands_.nout(); ++o) {
    if (operands_.rep(operands_.inputs() + o) != nullptr) continue;  // given, or made by separate()
    const DType dtype = plan_->loop.outputs[o];
    if (size_ == 0 || all_c_ || all_f_) {
      results[o] = operands_.allocate(*shape_, dtype, all_c_ || !all_f_ ? Order::c : Order::fortran);
    } else {
      results[o] = allocate_sorted(dtype);
    }
  }
}

void Call::launch(const Variant<LayoutClass>& variant, std::span<const Array> results) const {
  Uninitialized<kinds::LaunchOperand, kMaxOperands> storage;
  kinds::LaunchOperand* const operands = storage.data();
  const std::size_t inputs = operands_.inputs();
  std::size_t count = 0;
  const auto add = [&](std::size_t k) {
    const auto size = static_cast<std::uint16_t>(operands_.all()[k].itemsize);
    if (operands_.is_scalar(k)) {
      operands[count++] = {const_cast<void*>(operands_.value(k)), nullptr, size, true};
      return;
    }
    const detail::ArrayRep* const rep = operands_.rep(k) != nullptr ? operands_.rep(k) : results[k - inputs].rep().get();
    if (is_raw(k)) {
      operands[count++] = {rep->data, kNoStrides.data(), size, false};
      return;
    }
    operands[count++] = {rep->data + iteration_->offset(k), iteration_->strides(k).data(), size, false};
  };
  for (std::size_t k = 0; k < inputs; ++k) add(k);
  for (std::size_t o = 0; layout_.reads_outputs && o < operands_.nout(); ++o) {
    if (reads(o)) add(inputs + o);
  }
  for (std::size_t times = keeps() && !operands_.at().gpu() ? 2 : 1; times > 0; --times) {
    for (std::size_t k = inputs; k < operands_.count(); ++k) add(k);
  }
  Beside beside;
  std::vector<kinds::RawOperand> raw;
  if (by_elements()) {
    for (std::size_t k = 0; k < operands_.count(); ++k) {
      if (!is_raw(k)) continue;
      const Shape& extents = operands_.rep(k)->shape;
      beside.add(extents, operands_.rep(k)->strides);
      if (!ufunc_.finds_races()) continue;
      const bool output = operands_.is_output(k);
      raw.push_back({.operand = static_cast<std::uint8_t>(output ? count - operands_.nout() + (k - inputs) : k),
                     .argument = static_cast<std::uint8_t>(output ? operands_.nin() + (k - inputs) : k),
                     .rank = static_cast<std::uint8_t>(extents.size())});
    }
    if (ufunc_.place().indexer) beside.add(*shape_, kNoStrides);
    if (ufunc_.place().any()) beside.add_range(size_);
    operands[count++] = beside.operand();
  }
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  const std::shared_ptr<const void> kept = operands_.keep(backend, results);
  const backend::LaunchContext context = operands_.launch_context(kept);
  const auto shape = iteration_->shape();
  kinds::ElementwiseLaunch work;
  work.operands = {operands, count};
  work.raw = raw;
  work.width = variant.width;
  work.walk = walk_of(variant.layout);
  work.unroll = variant.unroll;
  work.wide_index = variant.layout.wide_index && variant.layout.tile == 0;
  work.rank = variant.layout.rank;
  work.nested = variant.layout.any_strided(operands_.count());
  work.past_cache = past_cache_;
  work.tile = variant.layout.tile;
  const std::size_t outer = shape.size() > backend::kMaxKernelRank ? shape.size() - backend::kMaxKernelRank : 0;
  work.shape = shape.subspan(outer);
  work.tile_dimension = tiling_.dimension - static_cast<int>(outer);
  if (outer == 0) {
    work.size = iteration_->size();
    if (autotune::maybe_wanted()) [[unlikely]]
      tune(variant, work);
    const backend::Module* module = variant.module.get();
    if (const auto* const measured = variant.tuned != nullptr ? variant.tuned->find(work.size) : nullptr) {
      work.block = measured->choice.block;
      work.unroll = measured->choice.accesses;
      if (measured->module != nullptr) module = measured->module.get();
    }
    kinds::launch(backend, *module, work, context);
    return;
  }
  // More dimensions than a kernel takes.
  const std::vector<kinds::LaunchOperand> first(operands, operands + count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!operands[i].scalar) operands[i].strides += outer;
  }
  work.size = kinds::product(work.shape);
  kinds::for_each_outer(shape.first(outer), [&](const kinds::Counter& index) {
    for (std::size_t i = 0; i < count; ++i) {
      if (operands[i].scalar) continue;
      operands[i].data = static_cast<char*>(first[i].data) + index.offset({first[i].strides, outer});
    }
    kinds::launch(backend, *variant.module, work, context);
    beside.move_on(work.size);
  });
}

void Call::record(Recorder& recorder) const {
  call::Description call = operands_.description(!plan_->loop.constants.empty());
  // Another loop than the one that the dtypes choose, or one that was made for them.
  const bool forced = LoopOptions{options_.casting, options_.dtype, options_.signature}.force();
  if (forced || plan_->loop.definition != nullptr) call.loop = loop_text(plan_->loop);
  call.size = options_.size;
  if (!plan_->reported.add(call)) return;
  if (ufunc_.cupy() != nullptr) return recorder.used(*ufunc_.cupy(), call);
  recorder.used(ufunc_.definition_of(plan_->loop), call);
}

Resolution Call::resolve() {
  check();
  Resolution resolution;
  operands_.describe(resolution, types_of(plan_->loop), true);
  resolution.shape = *shape_;
  if (size_ > 0) {
    iterate();
    classify();
    resolution.variant = variant_name(layout_, operands_.count());
  } else {
    resolution.variant = "empty";
  }
  return resolution;
}

}  // namespace kiln::ufunc
