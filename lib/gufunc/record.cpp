// What a call tells the recorder.
#include <algorithm>

#include "gufunc/call.hpp"
#include "gufunc/tuning.hpp"
#include "gufunc/use.hpp"

namespace kiln::gufunc {

codegen::GufuncSpec spec_for(codegen::GufuncSpec spec, DeviceKind kind) {
  if (kind != DeviceKind::cpu) {
    spec.lanes = spec.folded = false;
    spec.brought = 0;
    return spec;
  }
  for (codegen::CoreOperandSpec& input : spec.inputs) input.element.access = codegen::Access::contiguous;
  spec.loop_rank = std::min(spec.loop_rank, 1);
  spec.wide_index = false;
  return spec;
}

void Call::record(ufunc::Recorder& recorder, const CoreLayout& layout, const codegen::GufuncSpec& spec) const {
  const auto tell = [&](const codegen::GufuncSpec& used, ufunc::Processors processors) {
    recorder.used(Use{.gufunc = gufunc_, .loop = plan_->loop, .spec = used, .processors = processors});
  };
  // Not so in the kernel that is left where too many have been compiled.
  bool constants = true;
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
    constants = constants && (spec.dimensions[d].size || shape_.sizes[d] > tuning::kSmallCore);
  }
  codegen::GufuncSpec here = on_gpu() ? make_spec(layout, constants, false) : spec;
  for (std::size_t i = 0; i < nin_; ++i) {
    if (is_scalar(i)) here.inputs[i].element.access = codegen::Access::scalar;
  }
  // What a team shares depends on its lanes, of which a CPU has one.
  if (spec.team > 0) return tell(on_gpu() ? spec : here, on_gpu() ? ufunc::Processors::gpu : ufunc::Processors::cpu);
  const call::Operands::Elsewhere sent = operands_.as_on(DeviceKind::cuda, true);
  const codegen::GufuncSpec there = make_spec(lay_out(sent.operands), constants, true);
  bool alike = here.loop_rank > 0 && !here.lanes && here.brought == 0 &&
               std::equal(here.each.begin(), here.each.end(), there.each.begin(),
                          [](const codegen::EachSpec& a, const codegen::EachSpec& b) { return a.name == b.name; });
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const codegen::CoreOperandSpec& a = k < nin_ ? here.inputs[k] : here.outputs[k - nin_];
    const codegen::CoreOperandSpec& b = k < nin_ ? there.inputs[k] : there.outputs[k - nin_];
    alike = alike && a.unit == b.unit && a.packed == b.packed;
  }
  if (alike) return tell(there, ufunc::Processors::all);
  tell(here, ufunc::Processors::cpu);
  tell(there, ufunc::Processors::gpu);
}

}  // namespace kiln::gufunc
