// What a call's kernel is launched with.
#include <algorithm>

#include "codegen/gufunc_items.hpp"
#include "gufunc/call.hpp"
#include "types/convert.hpp"

namespace kiln::gufunc {

bool Call::nothing_to_do(const codegen::GufuncSpec& spec) const {
  std::int64_t work = 1;
  for (const std::int64_t extent : shape_.loop) work *= extent;
  for (const codegen::EachSpec& each : spec.each) work *= shape_.sizes[each.dimension];
  // Where every output is empty, too, there is nothing that a body could write.
  const bool written = std::any_of(shape_.output_shapes.begin(), shape_.output_shapes.end(), [](const Shape& shape) {
    return std::none_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
  });
  return work == 0 || !written;
}

kinds::GufuncLaunch Call::make_launch(const CoreLayout& layout, const codegen::GufuncSpec& spec,
                                      std::span<const Array> results) const {
  kinds::GufuncLaunch launch;
  const layout::Iteration& iteration = layout.iteration;
  launch.shape.assign(iteration.shape().begin(), iteration.shape().end());
  launch.items = iteration.size();
  const auto add = [&](const Array& array, std::size_t core_rank) {
    const std::size_t k = launch.operands.size();
    const auto strides = iteration.strides(k);
    launch.strides.insert(launch.strides.end(), strides.begin(), strides.end());
    launch.operands.push_back({.data = array ? array.rep()->data + iteration.offset(k) : nullptr, .core_rank = core_rank});
  };
  for (std::size_t i = 0; i < nin_; ++i) {
    add(inputs_[i], spec.inputs[i].dimensions.size());
    if (!is_scalar(i)) continue;
    launch.operands.back().scalar = true;
    convert_scalar(args_[i].dtype(), args_[i].value(), compute_dtype(i), launch.operands.back().value.data());
  }
  if (where_) add(where_, 0);
  for (std::size_t o = 0; o < nout_; ++o) add(results[o], spec.outputs[o].dimensions.size());
  launch.sizes.assign(shape_.sizes.begin(), shape_.sizes.end());
  launch.core_strides = layout.core_strides;
  for (const codegen::EachSpec& each : spec.each) {
    if (!spec.folded && spec.brought == 0) launch.each.push_back(shape_.sizes[each.dimension]);
  }
  if (codegen::takes_items(spec)) launch.items_at_once = codegen::items_at_once(spec);
  if (spec.brought > 0) launch.items_at_once = spec.brought;
  launch.team = spec.team;
  launch.wide_index = spec.wide_index;
  launch.keeps = std::any_of(outs_.begin(), outs_.end(), [](const Array& out) { return static_cast<bool>(out); });
  return launch;
}

}  // namespace kiln::gufunc
