// From a checked call to the launches of its kernel.
#include <algorithm>

#include "reduce/call.hpp"
#include "registry/registry.hpp"
#include "ufunc/raw_operands.hpp"
#include "ufunc/uninitialized.hpp"

namespace kiln::reduce {
namespace {

/// Strides of an array that is repeated to so many axes; 0 where it repeats.
void repeat(const detail::ArrayRep& rep, std::size_t rank, std::int64_t* strides) {
  const std::size_t missing = rank - rep.shape.size();
  std::fill_n(strides, missing, 0);
  for (std::size_t d = 0; d < rep.shape.size(); ++d) strides[missing + d] = rep.shape[d] == 1 ? 0 : rep.strides[d];
}

}  // namespace

Call::Rows::Rows(std::size_t rows, std::size_t axes) : rank(axes) {
  if (rows * axes > kInline) heap_.resize(rows * axes);
}

std::int64_t* Call::Rows::add(const char* data, std::int64_t itemsize) {
  std::int64_t* const row = (heap_.empty() ? inline_.data() : heap_.data()) + count * rank;
  operands[count] = {data, itemsize};
  strides[count++] = row;
  return row;
}

Call::Laid::Laid(const Call& call, const Part& part, std::span<const call::Operand> operands)
    : rows(operands.size() + 1, call.whole_.size() + (part.segments_kept ? 1 : 0)), layout(call.arrange(part, operands, rows)) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    kinds::ReductionOperand& operand = rows.operands[row];
    operand.address = static_cast<const char*>(operand.address) + layout.offset(row);
  }
  if (!call.target_.maps() || call.outputs_ * call.elements_ <= 1) return;
  for (std::size_t k = 0; k < call.operands_.nin(); ++k) {
    if (call.operands_.is_raw(k)) continue;
    const std::int64_t* const strides = rows.strides[k];
    const bool moves = std::any_of(strides, strides + rows.rank, [](std::int64_t stride) { return stride != 0; });
    if (!moves) still |= std::uint64_t{1} << k;
  }
}

void Call::fill(Rows& rows, const Part& part, std::span<const call::Operand> operands) const {
  const std::size_t axes = whole_.size();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (k == operands_.inputs() && target_.indexed()) {
      // The number of an element among those of its output, in C order of the reduced axes.
      const Numbers* const numbers = options_.numbers;
      const auto first = static_cast<std::uintptr_t>(numbers != nullptr ? numbers->first : 0);
      std::int64_t* const row = rows.add(reinterpret_cast<const char*>(kinds::kIndexOrigin + first), sizeof(std::int64_t));
      const bool of_all = target_.texts() != nullptr && target_.texts()->counts_all();
      // Over the outputs first where all elements are counted, as in CuPy.
      std::int64_t step = of_all ? outputs_ : 1;
      std::int64_t across = 1;
      if (numbers != nullptr) std::copy(numbers->steps.begin(), numbers->steps.end(), row);
      for (std::size_t d = axes; d-- > 0 && numbers == nullptr;) {
        row[d] = reduced_[d] != 0 ? step : of_all ? across : 0;
        (reduced_[d] != 0 ? step : across) *= whole_[d];
      }
    }
    if (k == operands_.inputs() && target_.has_beside()) std::fill_n(rows.add(nullptr, sizeof(std::int64_t)), axes, 0);
    const detail::ArrayRep* const rep = operands[k].rep;
    std::int64_t* const row = rows.add(rep != nullptr ? rep->data : nullptr, operands[k].itemsize);
    // Outputs that are not there yet count as still.
    std::fill_n(row, rows.rank, 0);
    if (rep == nullptr || operands_.is_raw(k)) continue;
    if (!operands_.is_output(k)) {
      repeat(*rep, axes, row);
      continue;
    }
    // Along reduced axes a result stands still.
    std::size_t own = target_.is_part() ? 1 : 0;
    for (std::size_t d = 0; d < axes; ++d) {
      if (reduced_[d] == 0) {
        row[d] = rep->strides[own++];
      } else if (options_.keepdims || segmented()) {
        ++own;
      }
    }
    if (part.segments_kept) row[axes] = rep->strides[axis_];
  }
  if (!part.segments_kept) return;
  // The segments are one more kept axis, along which the array stands still: it moves along what is reduced, from the beginning
  // that this operand gives for the segment.
  std::int64_t* const row = rows.add(nullptr, 1);
  std::fill_n(row, axes, 0);
  row[axes] = 1;
}

layout::Reduction Call::arrange(const Part& part, std::span<const call::Operand> operands, Rows& rows) const {
  fill(rows, part, operands);
  const std::span<const std::int64_t* const> strides(rows.strides.data(), rows.count);
  const bool in_order = !target_.reorderable() || target_.is_part() || part.segments != nullptr;
  const std::ptrdiff_t index = target_.indexed() ? static_cast<std::ptrdiff_t>(operands_.inputs()) : -1;
  if (!part.segments_kept) {
    return layout::Reduction({.shape = {part.shape.data(), part.shape.size()},
                              .reduced = {reduced_.data(), reduced_.size()},
                              .strides = strides,
                              .in_order = in_order,
                              .forwards = !kinds::commutes(plan_->loop.outputs.front(), target_.has_identity()),
                              .index = index});
  }
  Shape shape = part.shape;
  Dims reduced = reduced_;
  shape.push_back(segments_->segments);
  reduced.push_back(0);
  return layout::Reduction({.shape = {shape.data(), shape.size()},
                            .reduced = {reduced.data(), reduced.size()},
                            .strides = strides,
                            .in_order = true});
}

ReductionClass Call::class_of(const Part& part, const Laid& laid, DeviceKind kind) const {
  ReductionClass how{.masked = operands_.masked()};
  for (std::size_t k = 0, raw = 0; k < operands_.nin(); ++k) {
    if (operands_.is_raw(k)) {
      how.set_access(k, kinds::Access::broadcast);
      how.raw.set(raw++, ufunc::raw_axes_of(operands_, k));
    } else if (operands_.is_scalar(k)) {
      how.set_access(k, kinds::Access::scalar);
    } else if ((laid.still >> k & 1U) != 0) {
      how.set_access(k, kinds::Access::broadcast);
    }
  }
  for (std::size_t o = 0; o < operands_.nout(); ++o) {
    how.read_outputs |= std::uint32_t{operands_.is_inout(o) && operands_.is_given(o)} << o;
  }
  if (const codegen::Stages* const texts = target_.texts(); texts != nullptr) {
    using Places = codegen::Stages::Places;
    if (texts->asks_place(&Places::in_ind)) how.in_rank = static_cast<std::uint8_t>(whole_.size());
    const auto reduced = static_cast<std::size_t>(std::ranges::count_if(reduced_, [](std::int64_t each) { return each != 0; }));
    if (texts->asks_place(&Places::out_ind)) how.out_rank = static_cast<std::uint8_t>(whole_.size() - reduced);
  }
  if (kind == DeviceKind::cpu) return how;
  if (part.segments_kept) return kinds::classify_segments(laid.layout, laid.rows.operands[0].itemsize, !target_.reorderable());
  kinds::classify(laid.layout, {laid.rows.operands.data(), operands_.inputs()}, !target_.reorderable(), how);
  // Any kernel of a part serves all layouts of so many axes.
  if (target_.is_part()) {
    how.mapping = kinds::Mapping::block;
    how.packs = false;
  }
  return how;
}

void Call::launch(std::span<Array> results) {
  keep_ = operands_.keep(backend::backend_for(operands_.at().device), results);
  if (segmented()) return launch_segments();
  launch({.shape = whole_});
}

void Call::launch_segments() {
  Shape shape = whole_;
  const kinds::ReductionSegments segments{begins_, shape[axis_], operands_.rep(operands_.inputs())->strides[axis_]};
  if (operands_.at().device.is_cpu()) {
    // Any extent that the layout does not leave out.
    shape[axis_] = 2;
    return launch({.shape = shape, .segments = &segments});
  }
  launch({.shape = whole_, .segments = &segments, .segments_kept = true});
}

void Call::launch(const Part& part) {
  const Laid laid(*this, part, operands_.all());
  const call::Place& place = operands_.at();
  const ReductionClass how = class_of(part, laid, place.device.kind());
  backend::Backend& backend = backend::backend_for(place.device);
  const ufunc::Variant<ReductionClass>& variant = target_.variant(*plan_, how, operands_);
  variant_ = &variant;
  const bool indexed = target_.indexed();
  ufunc::Uninitialized<kinds::LaunchOperand, kMaxRows> storage;
  kinds::LaunchOperand* const operands = storage.data();
  std::vector<std::int64_t> beside;
  if (target_.has_beside()) beside = this->beside();
  for (std::size_t row = 0; row < laid.rows.count; ++row) {
    const auto size = static_cast<std::uint8_t>(laid.rows.operands[row].itemsize);
    if (row < operands_.nin() && operands_.is_scalar(row)) {
      operands[row] = {const_cast<void*>(operands_.value(row)), nullptr, size, true};
      continue;
    }
    if (!beside.empty() && row == beside_row()) {
      operands[row] = {beside.data(), nullptr, static_cast<std::uint16_t>(beside.size() * sizeof(std::int64_t)), true};
      continue;
    }
    // Standing still is an access of its own on the CPU; a GPU reads it through the cache.
    const bool fixed =
        place.device.is_cpu() && row < operands_.nin() && (variant.layout.is_still(row) || operands_.is_raw(row));
    operands[row] = {const_cast<void*>(laid.rows.operands[row].address), laid.layout.strides(row), size, fixed};
  }
  kinds::ReductionLaunch work{.operands = {operands, laid.rows.count},
                              .index = indexed ? static_cast<int>(operands_.inputs()) : -1,
                              .kept = laid.layout.kept(),
                              .reduced = laid.layout.reduced(),
                              .outputs = laid.layout.outputs(),
                              .count = laid.layout.count(),
                              .initial = options_.initial ? initial_.bytes.data() : nullptr,
                              .segments = part.segments,
                              .columns_inside = laid.layout.columns_inside(),
                              .mapping = variant.layout.mapping,
                              .kept_rank = variant.layout.kept_rank,
                              .reduced_rank = variant.layout.reduced_rank,
                              .width = variant.width,
                              .wide_index = variant.layout.wide_index,
                              .part = target_.is_part(),
                              .state_bytes = variant.state_bytes};
  if (!target_.is_part()) return kinds::launch(backend, *variant.module, work, operands_.launch_context(keep_));
  const std::size_t first = laid.rows.count - operands_.nout();
  for (const Window& window : options_.windows) {
    work.from = window.from;
    work.count = window.count;
    kinds::launch(backend, *variant.module, work, operands_.launch_context(keep_));
    for (std::size_t o = 0; o < operands_.nout(); ++o) {
      operands[first + o].data =
          static_cast<char*>(operands[first + o].data) + operands_.rep(operands_.inputs() + o)->strides[0];
    }
  }
}

void Call::record(ufunc::Recorder& recorder) const {
  const bool forced = options_.loop.force() || plan_->loop.definition != nullptr;
  call::Description call = operands_.description(!plan_->loop.constants.empty());
  call.set_axes(options_.axis);
  call.keepdims = options_.keepdims;
  call.initial = options_.initial.has_value();
  if (segmented()) call.segments = kinds::lengths_of({begins_, whole_[axis_]});
  target_.report(recorder, *plan_, forced, call);
}

}  // namespace kiln::reduce
