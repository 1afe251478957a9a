// What a call would do.
#include "codegen/gufunc_text.hpp"
#include "gufunc/call.hpp"
#include "kiln/error.hpp"

namespace kiln::gufunc {

GufuncResolution Call::resolve() {
  place();
  choose_loop();
  resolve_shapes();
  check_outputs();
  const signature::Layout& layout = gufunc_.layout();
  GufuncResolution resolution;
  resolution.loop = plan_->loop.text;
  resolution.dtypes = plan_->loop.inputs;
  resolution.dtypes.insert(resolution.dtypes.end(), plan_->loop.outputs.begin(), plan_->loop.outputs.end());
  const auto text = [](DType dtype) { return std::string(name(dtype)); };
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const DType from = k < nin_ ? storage_dtype(k) : compute_dtype(k);
    const DType to = k < nin_ ? compute_dtype(k) : storage_dtype(k);
    if (from != to) resolution.casts.push_back(gufunc_.operand_name(k) + " from " + text(from) + " to " + text(to));
  }
  resolution.shape = shape_.loop;
  for (std::size_t d = 0; d < layout.dimensions.size(); ++d) {
    resolution.sizes.emplace_back(layout.dimensions[d].name, shape_.sizes[d]);
  }
  resolution.outputs = shape_.output_shapes;
  resolution.device = place_.device;
  const auto copied = [&](std::size_t k, const Array& array) {
    if (!gpu_ || !array || !array.is_host()) return;
    resolution.copies.push_back((k == nin_ + nout_ ? ".where" : gufunc_.operand_name(k)) +
                                (k >= nin_ && k < nin_ + nout_ ? " is fetched from " : " is sent to ") +
                                to_string(place_.device));
  };
  for (std::size_t i = 0; i < nin_; ++i) copied(i, inputs_[i]);
  copied(nin_ + nout_, where_);
  for (std::size_t o = 0; o < nout_; ++o) copied(nin_ + o, outs_[o]);
  for (const std::size_t i : overlapping_inputs()) {
    resolution.copies.push_back((i == nin_ ? ".where" : gufunc_.operand_name(i)) + " overlaps an output and is copied first");
  }
  const CoreLayout lying = lay_out();
  const codegen::GufuncSpec spec = make_spec(lying, true, gpu_);
  for (const codegen::CoreDimensionSpec& dimension : spec.dimensions) {
    if (dimension.size && !dimension.name.empty()) {
      resolution.constants.push_back(dimension.name + " = " + std::to_string(*dimension.size));
    }
  }
  for (std::size_t k = 0; k < nin_ + nout_; ++k) {
    const CoreLayout::Core& core = lying.cores[k < nin_ || !where_ ? k : k + 1];
    resolution.variants.push_back(gufunc_.operand_name(k) + ": " +
                                  (k < nin_ && is_scalar(k) ? "scalar" : describe(core, layout, layout.of(k))));
  }
  if (nothing_to_do(spec)) {
    resolution.mapping = "nothing";
  } else if (spec.team > 0 && gpu_) {
    resolution.mapping = "a part of an item, in a team of " + std::to_string(spec.team);
  } else if (spec.loop_rank == 0 && !gpu_) {
    const bool along = codegen::goes_along(spec, gufunc_.text_of(plan_->loop));
    resolution.mapping = along ? "an item, several elements at once" : "an item, several at once";
  } else if (spec.brought > 0) {
    resolution.mapping = "an item, " + std::to_string(spec.brought) + " packed into a buffer at once" +
                         (spec.lanes ? ", several " + spec.each.back().name + " at once" : "");
  } else if (spec.each.empty() || spec.folded) {
    resolution.mapping = spec.lanes ? "an item, several at once" : "an item";
  } else {
    std::string list;
    for (const codegen::EachSpec& each : spec.each) list += (list.empty() ? "" : ", ") + each.name;
    resolution.mapping = "an item's (" + list + ")" + (spec.lanes ? ", several " + spec.each.back().name + " at once" : "");
  }
  return resolution;
}

}  // namespace kiln::gufunc
