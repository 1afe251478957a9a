// The kind as a SpecOfKind, and its kernels in words.
#include <algorithm>
#include <memory>

#include "kernel/held_spec.hpp"
#include "kernel/reduction/text.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

std::string words_of(const ReductionSpec& spec, DeviceKind device) {
  std::string what = spec.segmented ? "reduceat" : spec.part ? "part" : spec.stages ? "reduction" : "reduce";
  if (device != DeviceKind::cpu && !spec.part) what += fmt::format(" ({})", mapping_name(spec.mapping));
  Words words(what);
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) add_input(words, spec.inputs[i], input_name(i));
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) add_output(words, spec.outputs[i], output_name(i));
  const auto strided = [](const OperandSpec& input) { return input.access == Access::raw && !input.axes.packed; };
  words.add_if(std::ranges::any_of(spec.inputs, strided), "raw strided");
  words.add_if(spec.read_outputs != 0, "reads outputs");
  words.add_if(spec.identity, "with identity");
  words.add_if(spec.masked, "where");
  words.add_if(spec.ordered, "in order");
  if (device != DeviceKind::cpu) {
    words.add_if(spec.segmented && spec.inputs.front().access == Access::strided, "strided");
    words.add_count(spec.kept_rank, "{} kept axes");
    words.add_count(spec.reduced_rank, "{} reduced axes");
  }
  words.add_count(spec.width, "width {}");
  words.add_if(spec.wide_index, "64-bit index");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(ReductionSpec spec) {
  return std::make_shared<const HeldSpec<ReductionSpec>>(std::move(spec));
}

std::string_view mapping_name(Mapping mapping) noexcept {
  constexpr std::string_view kNames[] = {"thread", "warp", "block", "columns"};
  return kNames[static_cast<std::size_t>(mapping)];
}

}  // namespace kiln::kinds
