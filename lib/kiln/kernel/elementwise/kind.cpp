// The kind as a SpecOfKind, and its kernels in words.
#include <algorithm>
#include <memory>

#include "kernel/elementwise/text.hpp"
#include "kernel/held_spec.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

static bool strided_raw(const OperandSpec& operand) {
  return operand.access == Access::raw && !operand.axes.packed;
}

std::string words_of(const ElementwiseSpec& spec, DeviceKind device) {
  const std::span<const OperandSpec> inputs(spec.inputs.data(), arguments_of(spec));
  const std::string strides = strided<OperandSpec>(inputs, spec.outputs);
  const bool flat = strides.empty();
  Words words(spec.tile > 0 ? "tiled" : !flat ? strides : spec.rank == 1 ? "contiguous" : "inner-contiguous");
  words.add_if(spec.tile > 0 && !flat, strides);
  for (std::size_t i = 0; i < inputs.size(); ++i) add_input(words, inputs[i], input_name(i));
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) add_output(words, spec.outputs[i], output_name(i));
  if (spec.masking != Masking::none) {
    words.add(spec.masking == Masking::zero ? "where (zero)" : "where (keep)");
    const OperandSpec& mask = spec.inputs[spec.arguments];
    words.add_if(mask.access == Access::broadcast || mask.access == Access::scalar, "where broadcast");
    words.add_if(mask.access == Access::strided, "where strided");
    words.add_if(mask.access == Access::across, "where across");
  }
  if (device == DeviceKind::cpu) {
    words.add_if(!flat && spec.rank > 1, "any rank");
  } else {
    words.add_count(spec.rank, "rank {}");
  }
  words.add_if(spec.walk == Walk::peeled, "peeled");
  words.add_count(spec.width, spec.walk == Walk::strips ? "by strips of {}" : "width {}");
  words.add_count(spec.unroll, "unrolled {}");
  words.add_if(spec.wide_index, "64-bit index");
  words.add_if(!spec.read_outputs.empty(), "outputs read");
  words.add_if(spec.aliased, "in place");
  words.add_if(spec.finds_races, "race");
  words.add_if(std::ranges::any_of(inputs, strided_raw) || std::ranges::any_of(spec.outputs, strided_raw), "raw strided");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(ElementwiseSpec spec) {
  return std::make_shared<const HeldSpec<ElementwiseSpec>>(std::move(spec));
}

}  // namespace kiln::kinds
