#include "kernel/variant_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace kiln::kinds {
namespace {

/// Words between commas.
class Words {
 public:
  explicit Words(std::string_view first) : text_(first) {}
  void add(std::string_view words) { text_.append(", ").append(words); }
  void add_if(bool present, std::string_view words) {
    if (present) add(words);
  }
  void add_count(int count, std::string_view words) {
    if (count > 1) add(fmt::format(fmt::runtime(words), count));
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string input_name(std::size_t index) {
  return fmt::format("input {}", index);
}
std::string output_name(std::size_t index) {
  return fmt::format("output {}", index);
}

bool is_strided(const OperandSpec& operand) {
  return operand.access == Access::strided;
}
bool is_contiguous(const OperandSpec& operand) {
  return operand.access == Access::contiguous || operand.access == Access::across;
}
bool is_strided(const CoreOperandSpec& operand) {
  return !operand.packed && !operand.dimensions.empty();
}
bool is_contiguous(const CoreOperandSpec& operand) {
  return operand.packed && !operand.dimensions.empty();
}

/// "strided" where no array is contiguous, "strided (input 0)" where some are; empty where none is strided.
template <class Operand>
std::string strided(std::span<const Operand> inputs, std::span<const Operand> outputs) {
  std::vector<std::string> names;
  bool all = true;
  const auto look = [&](const Operand& operand, std::string name) {
    if (is_strided(operand)) names.push_back(std::move(name));
    all = all && !is_contiguous(operand);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) look(inputs[i], input_name(i));
  for (std::size_t i = 0; i < outputs.size(); ++i) look(outputs[i], output_name(i));
  if (names.empty()) return "";
  return all ? "strided" : fmt::format("strided ({})", fmt::join(names, ", "));
}

void add_input(Words& words, const OperandSpec& input, const std::string& name) {
  words.add_if(input.access == Access::scalar, name + " scalar");
  words.add_if(input.access == Access::broadcast, name + " broadcast");
  words.add_if(input.access == Access::across, name + " across");
  if (input.storage != input.compute) words.add(fmt::format("{} from {}", name, kiln::name(input.storage)));
}

void add_output(Words& words, const OperandSpec& output, const std::string& name) {
  words.add_if(output.access == Access::across, name + " across");
  if (output.storage != output.compute) words.add(fmt::format("{} to {}", name, kiln::name(output.storage)));
}

std::string text_of(const ElementwiseSpec& spec, DeviceKind device) {
  const std::span<const OperandSpec> inputs(spec.inputs.data(),
                                            spec.masking == Masking::none ? spec.inputs.size() : spec.arguments);
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
  words.add_if(spec.aliased, "in place");
  return std::move(words).text();
}

std::string text_of(const ReductionSpec& spec, DeviceKind device) {
  std::string what = spec.segmented ? "reduceat" : spec.stages ? "reduction" : "reduce";
  if (device != DeviceKind::cpu) what += fmt::format(" ({})", mapping_name(spec.mapping));
  Words words(what);
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) add_input(words, spec.inputs[i], input_name(i));
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) add_output(words, spec.outputs[i], output_name(i));
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

std::string text_of(const ScanSpec& spec, DeviceKind device) {
  Words words("accumulate");
  add_input(words, spec.input, "input");
  add_output(words, {.storage = spec.output, .compute = spec.input.compute}, "output");
  words.add_if(!spec.reorderable && device != DeviceKind::cpu, "in order");
  words.add_if(spec.layout.looks_back, "chunks look back");
  return std::move(words).text();
}

std::string text_of(const ScatterSpec& spec, DeviceKind device) {
  Words words("at");
  add_input(words, spec.target, "array");
  if (spec.value) add_input(words, *spec.value, "value");
  if (device == DeviceKind::cpu) return std::move(words).text();
  const ScatterLayout& layout = spec.layout;
  for (std::size_t i = 0; i < layout.arrays; ++i) words.add("index " + std::string(name(layout.indices[i])));
  words.add_if(layout.any(), "any layout");
  words.add_count(layout.rank, "{} dimensions");
  words.add_if(layout.row_rank == 1, "rows");
  words.add_count(layout.row_rank, "rows of {} dimensions");
  words.add_if(spec.ordered, "in order");
  words.add_if(layout.bins, "bins");
  words.add_if(layout.wide_index, "64-bit index");
  return std::move(words).text();
}

void add_core(Words& words, const CoreOperandSpec& operand, const std::string& name, bool input) {
  if (operand.unit >= 0 && !operand.packed) words.add(fmt::format("{} along {}", name, operand.unit));
  words.add_if(operand.step == ItemStep::none, name + " shared");
  words.add_if(operand.step == ItemStep::beside, name + " side by side");
  words.add_if(operand.step == ItemStep::behind, name + " one behind the other");
  words.add_if(operand.staging != Staging::none, name + " in shared memory");
  input ? add_input(words, operand.element, name) : add_output(words, operand.element, name);
}

std::string text_of(const GufuncSpec& spec, DeviceKind) {
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
  words.add_count(spec.beside, "{} neighbours");
  words.add_count(spec.loop_rank, "rank {}");
  words.add_if(spec.wide_index, "64-bit index");
  return std::move(words).text();
}

std::string text_of(const RawSpec& spec, DeviceKind) {
  Words words(form_name(spec.form));
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    words.add_if(spec.parameters[i].strided, fmt::format("strided (argument {})", i));
  }
  words.add_if(spec.shares, "shared");
  words.add_if(spec.finds_races, "race");
  return std::move(words).text();
}

}  // namespace

std::string variant_text(const KernelSpec& spec, DeviceKind device) {
  return std::visit([&](const auto& each) { return text_of(each, device); }, spec);
}

std::string_view mapping_name(Mapping mapping) noexcept {
  constexpr std::string_view kNames[] = {"thread", "warp", "block", "columns"};
  return kNames[static_cast<std::size_t>(mapping)];
}

std::string_view form_name(RawForm form) noexcept {
  constexpr std::string_view kNames[] = {"items", "blocks", "single"};
  return kNames[static_cast<std::size_t>(form)];
}

}  // namespace kiln::kinds
