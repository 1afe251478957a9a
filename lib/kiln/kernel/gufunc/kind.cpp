// The kind as a SpecOfKind, and its kernels in words.
#include <memory>

#include "kernel/gufunc/text.hpp"
#include "kernel/held_spec.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

// Found by the argument's namespace, from variant_words.hpp.
static bool is_strided(const CoreOperandSpec& operand) {
  return !operand.packed && !operand.dimensions.empty();
}
static bool is_contiguous(const CoreOperandSpec& operand) {
  return operand.packed && !operand.dimensions.empty();
}

namespace {

void add_core(Words& words, const CoreOperandSpec& operand, const std::string& name, bool input) {
  if (operand.unit >= 0 && !operand.packed) words.add(fmt::format("{} along {}", name, operand.unit));
  words.add_if(operand.step == ItemStep::none, name + " shared");
  words.add_if(operand.step == ItemStep::beside, name + " as SoA");
  words.add_if(operand.step == ItemStep::behind, name + " as AoS");
  words.add_if(operand.staging == Staging::window, name + " by windows");
  words.add_if(operand.staging == Staging::item || operand.staging == Staging::common, name + " in shared memory");
  input ? add_input(words, operand.element, name) : add_output(words, operand.element, name);
}

}  // namespace

std::string words_of(const GufuncSpec& spec, DeviceKind) {
  const std::string layout = strided<CoreOperandSpec>(spec.inputs, spec.outputs);
  Words words(layout.empty() ? "contiguous" : layout);
  for (const CoreDimensionSpec& dimension : spec.dimensions) {
    if (dimension.size && !dimension.name.empty()) words.add(fmt::format("{} = {}", dimension.name, *dimension.size));
  }
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) add_core(words, spec.inputs[i], input_name(i), true);
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) add_core(words, spec.outputs[i], output_name(i), false);
  words.add_if(spec.masked, "where");
  std::vector<std::string> indices;
  for (const EachSpec& each : spec.each) indices.push_back(each.name);
  words.add_if(indices.size() > 1, fmt::format("each {}", fmt::join(indices, " ")));
  words.add_if(spec.folded, "whole items");
  words.add_if(spec.most_items > 0, "few items");
  words.add_count(spec.team, "team of {}");
  words.add_count(spec.team_bytes, "{} bytes shared");
  words.add_count(spec.declared_bytes, "{} bytes declared");
  words.add_if(spec.own_block, "in a block of its own");
  words.add_count(spec.beside, "{} neighbours");
  words.add_count(spec.loop_rank, "rank {}");
  words.add_if(spec.wide_index, "64-bit index");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(GufuncSpec spec) {
  return std::make_shared<const HeldSpec<GufuncSpec>>(std::move(spec));
}

}  // namespace kiln::kinds
