#include "kernel/reduction/beside_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/elementwise/text.hpp"
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::Stages;
using codegen::UserText;

namespace {

std::string beside_axes(int rank) {
  return fmt::format("raw_axes<{}>", std::max(rank, 1));
}

bool is_raw_input(const OperandSpec& input) {
  return input.access == Access::raw;
}

/// One of the two sets of axes as a parameter and as what it gets.
std::string axes_parameter(Stages::Axes asked, int rank, const char* name) {
  if (asked == Stages::Axes::none) return "";
  if (asked == Stages::Axes::size) return fmt::format(", const ::kiln::size_of_axes& {}", name);
  return fmt::format(", const ::kiln::place_of_axes<{}>& {}", rank, name);
}

std::string axes_argument(Stages::Axes asked, int rank, const char* number, const char* size, const char* axes) {
  if (asked == Stages::Axes::none) return "";
  if (asked == Stages::Axes::size) return fmt::format(", size_of_axes{{b.{}}}", size);
  return fmt::format(", place_of_axes<{}>({}, b.{}, b.{})", rank, number, size, axes);
}

std::string inputs_behind(const ReductionSpec& spec, std::uint64_t inputs, const Reached& at) {
  std::string list;
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if ((inputs >> k & 1U) == 0) continue;
    const OperandSpec& input = spec.inputs[k];
    list += ", ";
    if (is_raw_input(input)) {
      list += raw_value(input, k, fmt::format("{}x{}", at.arrays, k), at.beside);
    } else if (input.access == Access::scalar && !at.by_pointer) {
      list += fmt::format("{}x{}", at.scalar, k);
    } else {
      list += fmt::format("{}x{}[0]", at.arrays, k);
    }
  }
  return list;
}

}  // namespace

bool has_beside(const ReductionSpec& spec, const UserText& text) {
  return std::ranges::any_of(spec.inputs, is_raw_input) || (text.stages && text.stages->asks_sizes());
}

std::string beside_struct(const ReductionSpec& spec, const UserText& text) {
  if (!has_beside(spec, text)) return "";
  std::string members;
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if (is_raw_input(spec.inputs[k])) members += fmt::format("  {} n{};\n", beside_axes(spec.inputs[k].axes.rank), k);
  }
  const Stages& stages = *text.stages;
  if (stages.asks_sizes()) members += "  int64 outputs;\n  int64 all;\n";
  if (stages.asks_place(&Stages::Places::in_ind)) members += fmt::format("  {} in_axes;\n", beside_axes(spec.in_rank));
  if (stages.asks_place(&Stages::Places::out_ind)) members += fmt::format("  {} out_axes;\n", beside_axes(spec.out_rank));
  return "struct beside {\n" + members + "};\n";
}

std::string raw_value(const OperandSpec& input, std::size_t number, const std::string& address, const std::string& beside) {
  return fmt::format("{0}(reinterpret_cast<const ::kiln::{1}*>({2}), {3}.n{4})", raw_type(input, number, false),
                     type_name(input.compute), address, beside, number);
}

std::string place_parameters(const Stages::Places& places, const ReductionSpec& spec) {
  std::string list;
  if (places.i) list += ", ::kiln::ptrdiff_t _i";
  if (places.j) list += ", ::kiln::ptrdiff_t _j";
  if (places.of_reduced) list += ", ::kiln::ptrdiff_t _J";
  return list + axes_parameter(places.in_ind, spec.in_rank, "_in_ind") +
         axes_parameter(places.out_ind, spec.out_rank, "_out_ind");
}

// Numbers of all elements go over the outputs first, as in CuPy.
std::string map_places(const Stages& stages, const ReductionSpec& spec) {
  const Stages::Places& places = stages.map_places;
  std::string list;
  const char* const output = "int64(uint64(i) % uint64(b.outputs))";
  if (places.i) list += fmt::format(", {}", output);
  if (places.j) list += ", i";
  if (places.of_reduced) list += stages.counts_all() ? ", int64(uint64(i) / uint64(b.outputs))" : ", i";
  return list + axes_argument(places.in_ind, spec.in_rank, "i", "all", "in_axes") +
         axes_argument(places.out_ind, spec.out_rank, output, "outputs", "out_axes");
}

std::string post_places(const Stages& stages, const ReductionSpec& spec) {
  const Stages::Places& places = stages.post_places;
  std::string list;
  if (places.i) list += ", i";
  return list + axes_argument(places.in_ind, spec.in_rank, "0", "all", "in_axes") +
         axes_argument(places.out_ind, spec.out_rank, "i", "outputs", "out_axes");
}

std::string input_type(const ReductionSpec& spec, std::size_t input) {
  const OperandSpec& operand = spec.inputs[input];
  return is_raw_input(operand) ? "const ::kiln::" + raw_type(operand, input, false) + "&" : body_type(operand.compute);
}

bool numbers_outputs(const UserText& text) {
  return text.stages && text.stages->post_places.outputs();
}

bool identity_takes(const ReductionSpec& spec, const UserText& text) {
  return spec.identity && text.stages && text.stages->identity_inputs != 0;
}

std::string post_arguments(const ReductionSpec& spec, const UserText& text, const Reached& at) {
  if (!text.stages) return "";
  std::string list = inputs_behind(spec, text.stages->post_inputs, at);
  if (numbers_outputs(text)) list += ", " + at.number;
  if (text.stages->post_places.any_axes()) list += ", " + at.beside;
  return list;
}

std::string identity_arguments(const ReductionSpec& spec, const UserText& text, const Reached& at) {
  const std::string list = inputs_behind(spec, text.stages->identity_inputs, at);
  return list.empty() ? list : list.substr(2);
}

}  // namespace kiln::kinds
