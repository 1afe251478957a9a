// What a call tells the recorder.
#include <algorithm>

#include "gufunc/call.hpp"
#include "gufunc/use.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::gufunc {

codegen::GufuncSpec spec_for(codegen::GufuncSpec spec, DeviceKind kind) {
  if (kind != DeviceKind::cpu) {
    spec.lanes = false;
    return spec;
  }
  for (codegen::CoreOperandSpec& input : spec.inputs) input.element.access = codegen::Access::contiguous;
  spec.loop_rank = std::min(spec.loop_rank, 1);
  spec.wide_index = false;
  return spec;
}

void Call::record(ufunc::Recorder& recorder, const CoreLayout& layout, codegen::GufuncSpec spec) const {
  // For a GPU host arrays have been packed: a CPU's kernel for items apart is not among those that a GPU's program records.
  const bool tiny = many_tiny(layout, spec, true);
  std::int64_t threads = layout.iteration.size();
  for (const codegen::EachSpec& each : spec.each) threads *= shape_.sizes[each.dimension];
  spec.loop_rank = std::min(layout.iteration.rank(), backend::kMaxKernelRank - static_cast<int>(spec.each.size()));
  spec.wide_index = threads > ufunc::tuning::kMaxNarrowIndex;
  bool alike = true;
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const Array& array = k < nin_ ? inputs_[k] : outs_[k - nin_];
    if (k < nin_ && is_scalar(k)) spec.inputs[k].element.access = codegen::Access::scalar;
    alike = alike && (!array || !array.is_host() || array.rep()->c_contiguous);
  }
  const auto tell = [&](ufunc::Processors processors) {
    recorder.used(Use{.gufunc = gufunc_, .loop = plan_->loop, .spec = spec, .processors = processors});
  };
  // What a team shares depends on its lanes, of which a CPU has one.
  if (spec.team > 0) return tell(gpu_ ? ufunc::Processors::gpu : ufunc::Processors::cpu);
  if (alike && !tiny && !spec.lanes) return tell(ufunc::Processors::all);
  const int rank = spec.loop_rank;
  if (tiny) {
    spec.loop_rank = 0;
    take_item_strides(layout, spec);
  }
  if (tiny || !gpu_) tell(ufunc::Processors::cpu);
  spec.loop_rank = rank;
  spec.lanes = false;
  // Host arrays are packed on their way to a GPU.
  for (auto* operands : {&spec.inputs, &spec.outputs}) {
    for (codegen::CoreOperandSpec& operand : *operands) {
      operand.item_stride = -1;
      if (alike) continue;
      operand.packed = true;
      operand.unit = static_cast<int>(operand.dimensions.size()) - 1;
    }
  }
  tell(ufunc::Processors::gpu);
}

}  // namespace kiln::gufunc
