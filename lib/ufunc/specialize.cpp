// Which variant of a loop a call runs, and the report of it to a recorder.
#include <algorithm>

#include "call/staging.hpp"
#include "ufunc/call.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

std::uint64_t bits_of(const LayoutClass& layout) noexcept {
  std::uint64_t bits = layout.rank;
  const auto flag = [&bits](bool value, int shift) { bits |= static_cast<std::uint64_t>(value) << shift; };
  flag(layout.packs, 8);
  flag(layout.wide_index, 9);
  flag(layout.in_place, 10);
  flag(layout.large, 11);
  bits |= static_cast<std::uint64_t>(layout.masking) << 12;
  return bits;
}

/// Everything, for whatever processor.
LayoutClass classify_whole(const Placement& at, bool in_place, codegen::Masking masking) noexcept {
  LayoutClass layout;
  layout.masking = masking;
  for (std::size_t i = 0; i < at.operands.size(); ++i) layout.set_access(i, at.operands[i].access);
  layout.rank = static_cast<std::uint8_t>(std::min(at.iteration.rank(), backend::kMaxKernelRank));
  layout.packs = divides_into_packs(at);
  layout.wide_index = at.iteration.size() > tuning::kMaxNarrowIndex;
  layout.in_place = in_place;
  layout.large = masking != codegen::Masking::keep && stores_past_cache(at);
  return layout;
}

}  // namespace

// The class that operands would have in a loop of this shape.
LayoutClass Call::classify_as_placed(const Shape& shape, std::span<PlacedOperand> operands, bool in_place) const {
  static const Shape none;
  std::vector<layout::Operand> all;
  for (const PlacedOperand& operand : operands) {
    all.push_back(operand.rep != nullptr      ? layout::Operand{&operand.rep->shape, &operand.rep->strides, operand.itemsize}
                  : operand.scalar != nullptr ? layout::Operand{&none, &none, operand.itemsize}
                                              : layout::Operand{nullptr, nullptr, operand.itemsize});
  }
  const layout::Iteration iteration(shape, all);
  const Placement at{iteration, operands, inputs_};
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i].access = access_of(at, i);
  return classify_whole(at, in_place, layout_.masking);
}

Variant::Key Call::variant_key() const noexcept {
  Variant::Key key;
  key.access = layout_.access;
  key.rest = bits_of(layout_) | device_bits(place_.device);
  return key;
}

// Only what this device's variants differ by: layouts that differ in the rest share a variant.
void Call::classify() {
  const Placement at = placement();
  for (std::size_t i = 0; i < count_; ++i) layout_.set_access(i, access(i));
  if (place_.gpu()) {
    layout_.rank = static_cast<std::uint8_t>(std::min(iteration_->rank(), backend::kMaxKernelRank));
    layout_.wide_index = iteration_->size() > tuning::kMaxNarrowIndex;
    layout_.packs = divides_into_packs(at);
    layout_.in_place = aliased_;
  } else {
    layout_.rank = static_cast<std::uint8_t>(std::min(iteration_->rank(), 2));
    layout_.large = layout_.masking != codegen::Masking::keep && !ufunc_.arithmetic_bound() && stores_past_cache(at);
  }
}

void Call::record(Recorder& recorder) {
  const LayoutClass here = classify_whole(placement(), aliased_, layout_.masking);
  if (!place_.on_host) return report(recorder, here, brought_from_host_ ? Processors::gpu : Processors::all);
  // On a GPU the same call would run on copies of its host arrays, outputs that keep values included.
  const bool keeps = layout_.masking == codegen::Masking::keep;
  std::vector<PlacedOperand> operands(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
  std::vector<detail::ArrayRep> copies;
  copies.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    // An input that overlaps an output was replaced by a copy, which a GPU needs not.
    const detail::ArrayRep* rep = is_output(i) || is_scalar(i) ? operands[i].rep : array_of(i).rep().get();
    if (rep != nullptr) operands[i].rep = &copies.emplace_back(call::as_sent(*rep, !is_output(i) || keeps, i));
  }
  const LayoutClass there = classify_as_placed(*shape_, operands, false);
  if (here == there) return report(recorder, here, Processors::all);
  report(recorder, here, Processors::cpu);
  report(recorder, there, Processors::gpu);
}

// A call on host arrays that ran on a GPU: on a CPU it would run on them as they are.
void Call::record_as_on_host(Recorder& recorder) {
  const std::uint64_t copied = overlapping_inputs();
  std::vector<PlacedOperand> operands(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(count_));
  std::vector<detail::ArrayRep> copies;
  copies.reserve(count_);
  for (std::size_t i = 0; i < inputs_; ++i) {
    if ((copied >> i & 1U) != 0) {
      detail::ArrayRep& copy = copies.emplace_back(*operands[i].rep);
      copy.strides = detail::packed_strides(copy.shape, operands[i].itemsize, Order::c);
      copy.data = reinterpret_cast<char*>(static_cast<std::uintptr_t>(i + 1) << 20);
      operands[i].rep = &copy;
    }
  }
  report(recorder, classify_as_placed(*shape_, operands, aliased_), Processors::cpu);
}

void Call::report(Recorder& recorder, LayoutClass layout, Processors processors) {
  // What the others do not look at would only tell apart what is the same.
  if (processors == Processors::cpu) {
    layout.rank = std::min<std::uint8_t>(layout.rank, 2);
    layout.packs = true;
    layout.wide_index = layout.in_place = false;
  } else if (processors == Processors::gpu) {
    layout.large = false;
  }
  const Recorded::Key key{layout.access, bits_of(layout) | static_cast<std::uint64_t>(processors) << 16};
  if (find(plan_->recorded, key) != nullptr) return;
  const std::vector<DType> storage = storage_dtypes();
  recorder.used({.definition = ufunc_.definition_of(plan_->loop),
                 .loop = plan_->loop,
                 .storage = storage,
                 .layout = layout,
                 .processors = processors});
  publish(plan_->recorded, std::make_unique<Recorded>(Recorded{key, nullptr}).release());
}

std::vector<DType> Call::storage_dtypes() const {
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < count_; ++i) dtypes.push_back(storage_dtype(i));
  return dtypes;
}

}  // namespace kiln::ufunc
