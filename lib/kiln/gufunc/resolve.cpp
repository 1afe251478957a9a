// What a call would do.
#include "gufunc/call.hpp"
#include "kernel/gufunc/staged.hpp"
#include "types/value_text.hpp"

namespace kiln::gufunc {

GufuncResolution Call::resolve() {
  check();
  const signature::Layout& layout = gufunc_.layout();
  GufuncResolution resolution;
  operands_.describe(resolution, ufunc::types_of(plan_->loop), false);
  resolution.shape = shape_.loop;
  for (std::size_t d = 0; d < layout.dimensions.size(); ++d) {
    resolution.sizes.emplace_back(layout.dimensions[d].name, shape_.sizes[d]);
  }
  resolution.outputs = shape_.output_shapes;
  const CoreLayout lying = lay_out();
  const kinds::GufuncSpec spec = make_spec(lying, true, on_gpu());
  for (const kinds::CoreDimensionSpec& dimension : spec.dimensions) {
    if (dimension.size && !dimension.name.empty()) {
      resolution.constants.push_back(dimension.name + " = " + std::to_string(*dimension.size));
    }
  }
  for (std::size_t k = 0; k < nin_ && !plan_->loop.constants.empty(); ++k) {
    if (!operands_.is_constant(k)) continue;
    const std::string& name = gufunc_.signatures().front().inputs[k].name;
    resolution.constants.push_back((name.empty() ? gufunc_.operand_name(k) : name) + " = " +
                                   value_text(compute_dtype(k), operands_.value(k)));
  }
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const CoreLayout::Core& core = lying.cores[with_mask(k)];
    const kinds::CoreOperandSpec& operand = k < nin_ ? spec.inputs[k] : spec.outputs[k - nin_];
    const char* const way = operand.staging == kinds::Staging::none     ? ""
                            : operand.staging == kinds::Staging::window ? ", by windows"
                                                                        : ", in shared memory";
    resolution.layouts.push_back(gufunc_.operand_name(k) + ": " +
                                 (k < nin_ && is_scalar(k) ? "scalar" : describe(core, layout, layout.of(k))) + way);
  }
  if (nothing_to_do()) {
    resolution.variant = "nothing";
  } else if (spec.team > 0) {
    resolution.variant = "a part of an item, in a team of " + std::to_string(spec.team);
  } else if (spec.each.empty() || spec.folded) {
    resolution.variant = "an item";
  } else {
    std::string list;
    for (const kinds::EachSpec& each : spec.each) list += (list.empty() ? "" : ", ") + each.name;
    const std::string some = spec.beside > 1 ? std::to_string(spec.beside) + " neighbours of " : "";
    resolution.variant = some + "an item's (" + list + ")";
  }
  if (nothing_to_do()) return resolution;
  if (kinds::is_staged(spec)) resolution.variant += ", its cores in shared memory";
  if (kinds::has_windows(spec)) resolution.variant += ", its inputs by windows in shared memory";
  return resolution;
}

}  // namespace kiln::gufunc
