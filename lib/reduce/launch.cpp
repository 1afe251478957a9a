// From a checked call to the launch of its kernel.
#include <algorithm>

#include "call/staging.hpp"
#include "kinds/reduction/launch.hpp"
#include "reduce/call.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduction_plan.hpp"

namespace kiln::reduce {

/// Strides of an array that is repeated to the inputs' shape; 0 where it repeats.
Strides Call::repeated(const detail::ArrayRep& rep) const {
  Strides strides(whole_.size(), 0);
  const std::size_t missing = whole_.size() - rep.shape.size();
  for (std::size_t d = 0; d < rep.shape.size(); ++d) strides[missing + d] = rep.shape[d] == 1 ? 0 : rep.strides[d];
  return strides;
}

/// Along reduced axes a result stands still.
Strides Call::of_result(const detail::ArrayRep& rep) const {
  Strides strides(whole_.size(), 0);
  std::size_t own = 0;
  for (std::size_t d = 0; d < whole_.size(); ++d) {
    if (reduced_[d] == 0) {
      strides[d] = rep.strides[own++];
    } else if (options_.keepdims) {
      ++own;
    }
  }
  return strides;
}

/// The number of an element among those of its output, in C order of the reduced axes.
Strides Call::of_index() const {
  Strides strides(whole_.size(), 0);
  std::int64_t step = 1;
  for (std::size_t d = whole_.size(); d-- > 0;) {
    if (reduced_[d] == 0) continue;
    strides[d] = step;
    step *= whole_[d];
  }
  return strides;
}

/// The layout of all operands, the index behind the inputs. Outputs that are not there yet count as still.
layout::Reduction Call::arrange() {
  std::vector<const std::int64_t*> rows;
  const Strides none(whole_.size(), 0);
  const Strides index = of_index();
  for (std::size_t k = 0; k < count_; ++k) {
    if (k == inputs_ && reduction_.indexed()) rows.push_back(index.data());
    Operand& operand = operands_[k];
    if (operand.rep != nullptr) operand.strides = is_output(k) ? of_result(*operand.rep) : repeated(*operand.rep);
    rows.push_back(operand.rep != nullptr ? operand.strides.data() : none.data());
  }
  return layout::Reduction({.shape = {whole_.data(), whole_.size()},
                            .reduced = {reduced_.data(), reduced_.size()},
                            .strides = rows,
                            .in_order = !reduction_.reorderable(),
                            .index = reduction_.indexed() ? static_cast<std::ptrdiff_t>(inputs_) : -1});
}

/// What the kernel is specialized for but for the layout. `still` has a bit for each input that is one value for all elements.
codegen::ReductionSpec Call::spec_for(std::span<const Array> results, std::uint64_t& still) const {
  codegen::ReductionSpec spec = reduction_.spec_of(plan_->loop);
  still = 0;
  for (std::size_t k = 0; k < nin_; ++k) {
    codegen::OperandSpec& input = spec.inputs[k];
    input.storage = storage_dtype(k);
    if (is_scalar(k)) {
      input.access = codegen::Access::scalar;
      continue;
    }
    const Strides& strides = operands_[k].strides;
    const bool moves = std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride != 0; });
    if (moves || outputs_ * elements_ <= 1) continue;
    input.access = codegen::Access::broadcast;
    still |= std::uint64_t{1} << k;
  }
  for (std::size_t k = 0; k < nout_; ++k) spec.outputs[k].storage = results[k].dtype();
  spec.masked = masked_;
  return spec;
}

void Call::launch(std::span<const Array> results) {
  for (std::size_t k = 0; k < nout_; ++k) operands_[inputs_ + k].rep = results[k].rep().get();
  const layout::Reduction layout = arrange();
  std::uint64_t still = 0;
  codegen::ReductionSpec spec = spec_for(results, still);
  const bool indexed = reduction_.indexed();
  std::array<kinds::LaunchOperand, kMaxOperands> operands;
  std::array<ufunc::ReductionOperand, kMaxOperands> inputs;
  std::size_t row = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    if (k == inputs_ && indexed) {
      auto* const origin = reinterpret_cast<char*>(kinds::kIndexOrigin);  // NOLINT(performance-no-int-to-ptr): never read
      operands[row] = {origin + layout.offset(row), layout.strides(row), sizeof(std::int64_t), false};
      ++row;
    }
    const auto size = static_cast<std::uint8_t>(itemsize(storage_dtype(k)));
    if (is_scalar(k)) {
      operands[row] = {values_[k].bytes, nullptr, size, true};
    } else {
      // Standing still is an access of its own on the CPU; a GPU reads it through the cache.
      const bool fixed = place_.device.is_cpu() && k < nin_ && (still >> k & 1U) != 0;
      operands[row] = {operands_[k].rep->data + layout.offset(row), layout.strides(row), size, fixed};
    }
    if (k < inputs_) inputs[row] = {operands[row].data, size};
    ++row;
  }
  spec = ufunc::specialize(std::move(spec), layout, {inputs.data(), inputs_}, place_.device.kind());
  const ufunc::Variant::Key key{ufunc::bits_of(spec), ufunc::device_bits(place_.device) | still};
  backend::Backend& backend = backend::backend_for(place_.device);
  if (compiled_ != nullptr) {
    *compiled_ = program::compiled(reduction_.request(plan_->loop, spec, backend.kind()), *backend.compiler());
    return;
  }
  const ufunc::Variant* variant = ufunc::find(plan_->variants, key);
  if (variant == nullptr) variant = &reduction_.variant(*plan_, key, spec, backend);
  const kinds::ReductionLaunch work{.operands = {operands.data(), row},
                                    .index = indexed ? static_cast<int>(inputs_) : -1,
                                    .kept = layout.kept(),
                                    .reduced = layout.reduced(),
                                    .outputs = layout.outputs(),
                                    .count = layout.count(),
                                    .initial = options_.initial ? initial_.bytes.data() : nullptr,
                                    .columns_inside = layout.columns_inside(),
                                    .mapping = static_cast<kinds::ReductionMapping>(spec.mapping),
                                    .width = spec.width,
                                    .wide_index = spec.wide_index,
                                    .state_bytes = ufunc::state_bytes(spec)};
  std::shared_ptr<const void> keep;
  if (backend.asynchronous(place_.queue)) {
    auto kept = std::make_shared<std::vector<Array>>(held_);
    for (std::size_t k = 0; k < inputs_; ++k) {
      if (!is_scalar(k)) kept->push_back(array_of(k));
    }
    kept->insert(kept->end(), results.begin(), results.end());
    keep = std::move(kept);
  }
  kinds::launch(backend, *variant->module, work, place_.queue, std::move(keep));
  if (ufunc::Recorder* const recorder = ufunc::recorder(); recorder != nullptr) record(*recorder, results);
}

// A CPU's kernel is one for all layouts. Which ones a GPU runs follows from how the operands lie there, host arrays as they are
// sent.
void Call::record(ufunc::Recorder& recorder, std::span<const Array> results) {
  std::uint64_t still = 0;
  const codegen::ReductionSpec here = spec_for(results, still);
  const std::vector<Operand> own = operands_;
  std::vector<detail::ArrayRep> sent;
  sent.reserve(count_);
  for (std::size_t k = 0; k < count_; ++k) {
    const detail::ArrayRep* const rep = operands_[k].rep;
    if (rep != nullptr && rep->on_host) operands_[k].rep = &sent.emplace_back(call::as_sent(*rep, !is_output(k), k));
  }
  const layout::Reduction layout = arrange();
  std::array<ufunc::ReductionOperand, kMaxOperands> inputs;
  for (std::size_t k = 0; k < inputs_; ++k) {
    const char* const data = is_scalar(k) ? nullptr : operands_[k].rep->data + layout.offset(k);
    inputs[k] = {data, static_cast<std::int64_t>(itemsize(storage_dtype(k)))};
  }
  std::uint64_t still_there = 0;
  const codegen::ReductionSpec there =
      ufunc::specialize(spec_for(results, still_there), layout, {inputs.data(), inputs_}, DeviceKind::cuda);
  operands_ = own;
  const ufunc::Recorded::Key key{ufunc::bits_of(there), still | still_there << 32};
  if (ufunc::find(plan_->recorded, key) != nullptr) return;
  const KernelVariant variant = variant_of(there);
  const auto tell = [&](const KernelVariant& of, ufunc::Processors processors) {
    recorder.used(Use{.reduction = reduction_, .loop = plan_->loop, .variant = of, .processors = processors});
  };
  if (still == still_there) {
    tell(variant, ufunc::Processors::all);
  } else {
    KernelVariant of_cpu = variant;
    for (std::size_t k = 0; k < nin_; ++k) of_cpu.access[k] = here.inputs[k].access;
    tell(of_cpu, ufunc::Processors::cpu);
    tell(variant, ufunc::Processors::gpu);
  }
  ufunc::publish(plan_->recorded, std::make_unique<ufunc::Recorded>(ufunc::Recorded{key, nullptr}).release());
}

}  // namespace kiln::reduce
