#include "codegen/gufunc_items.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/gufunc_text.hpp"
#include "codegen/kernel_text.hpp"

namespace kiln::codegen {
namespace {

/// "int64(8) * c.size[1]".
std::string elements_text(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  std::string product;
  for (const std::size_t dimension : operand.dimensions) {
    product += (product.empty() ? "" : " * ") + size_of(spec, dimension, "c");
  }
  return product.empty() ? "int64(1)" : product;
}

/// Whether a body's loop over it may have squares to turn, and several of them.
bool may_turn_in_loop(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  if (operand.dimensions.size() != 1) return false;
  const auto size = spec.dimensions[operand.dimensions[0]].size;
  return !size || *size >= 16;
}

/// Whether all items have the same one: its elements are numbers, not vectors.
bool is_shared(const CoreOperandSpec& operand) {
  return operand.item_stride == 0;
}
/// Whether the items lie side by side, the elements of each apart: a vector is read from where they are.
bool is_across(const CoreOperandSpec& operand) {
  return !operand.packed && !is_shared(operand);
}

/// The loops that indices of .each are here.
std::string loops_over_each(const GufuncSpec& spec) {
  std::string loops;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    loops += fmt::format("  for (int64 e{0} = 0; e{0} < {1}; ++e{0})\n", e, size_of(spec, spec.each[e].dimension, "c"));
  }
  return loops;
}
std::string each_indices(const GufuncSpec& spec) {
  std::string list;
  for (std::size_t e = 0; e < spec.each.size(); ++e) list += fmt::format(", e{}", e);
  return list;
}

}  // namespace

bool takes_items(const GufuncSpec& spec) {
  return spec.lanes && (spec.each.empty() || spec.folded) && spec.loop_rank > 0;
}

std::string wide_view_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t number, bool output) {
  const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
  std::string list;
  for (std::size_t a = 0; a < operand.dimensions.size(); ++a) {
    const auto& extent = spec.dimensions[operand.dimensions[a]].size;
    const auto stride = known_stride(spec, operand, a);
    list += fmt::format(", axis<{}, {}>", extent ? std::to_string(*extent) : "varies",
                        !stride              ? "varies"
                        : is_across(operand) ? std::to_string(*stride)
                                             : fmt::format("{} * N", *stride));
  }
  if (operand.as_view) list = fmt::format(", axis<1, {} * N>", size);
  return fmt::format("template <int N>\nusing wide{} = view<lane_element<{}, N>, {}{}>;\n", number,
                     type_name(operand.element.compute), output, list);
}

std::string wide_type(const CoreOperandSpec& operand, std::size_t number, bool output) {
  if (is_shared(operand)) {
    return "const ::kiln::" + (is_view(operand) ? fmt::format("operands::view{}", number) : type_name(operand.element.compute));
  }
  if (is_view(operand)) return fmt::format("const ::kiln::operands::wide{}<kiln_count>", number);
  const std::string vector = fmt::format("::kiln::lanes<::kiln::{}, kiln_count>", type_name(operand.element.compute));
  return output ? vector + "&" : "const " + vector;
}
std::string several_items_function(const GufuncSpec& spec) {
  std::string before;
  std::string arguments;
  std::string after;
  std::size_t stride = 0;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const CoreOperandSpec& operand = *operands[k];
    const bool output = k >= spec.inputs.size();
    const std::string type = type_name(operand.element.compute);
    const std::string count = elements_text(spec, operand);
    const char* const comma = k == 0 ? "" : ", ";
    if (is_shared(operand)) {
      const std::string place = fmt::format("reinterpret_cast<const {}*>(p[{}])", stored_name(operand.element.storage), k);
      if (!is_view(operand)) {
        arguments += fmt::format("{}operands::element{}::load(*{})", comma, k, place);
        continue;
      }
      arguments += fmt::format("{}operands::view{}({}{}", comma, k, place, operand.as_view ? ", 1, 0" : "");
      for (const std::size_t dimension : operand.dimensions) {
        arguments += fmt::format(", {}, c.stride[{}]", size_of(spec, dimension, "c"), stride++);
      }
      arguments += ")";
      continue;
    }
    if (is_across(operand)) {
      arguments +=
          fmt::format("{0}operands::wide{1}<N>(reinterpret_cast<typename operands::wide{1}<N>::storage*>(p[{1}])", comma, k);
      for (const std::size_t dimension : operand.dimensions) {
        arguments += fmt::format(", {}, c.stride[{}]", size_of(spec, dimension, "c"), stride++);
      }
      arguments += ")";
      continue;
    }
    before += fmt::format("  auto* const t{} = cut<{}, N>(pool, {});\n", k, type, count);
    if (!is_view(operand)) {
      arguments += fmt::format("{}*t{}", comma, k);
      if (output) before += fmt::format("  *t{} = lanes<{}, N>({}(0));\n", k, type, type);
    } else {
      std::string numbers = operand.as_view ? ", 1, 0" : "";
      for (const std::size_t dimension : operand.dimensions) {
        numbers += fmt::format(", {}, N * c.stride[{}]", size_of(spec, dimension, "c"), stride++);
      }
      arguments += fmt::format("{}operands::wide{}<N>(t{}{})", comma, k, k, numbers);
    }
    const std::string turned = fmt::format("{0}, N>(t{1}, p[{1}], step[{1}], {2});\n", type, k, count);
    if (output) after += "  turn_out<" + turned;
    // A body may leave elements of an output as they are.
    if (output && is_view(operand)) before += "  if (keeps) turn_in<" + turned;
    const bool in_loop = spec.each.empty() && may_turn_in_loop(spec, operand);
    if (!output) before += (in_loop ? "  turn_items<" : "  turn_in<") + turned;
  }
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
    if (!spec.dimensions[d].name.empty()) arguments += ", " + size_of(spec, d, "c");
  }
  before += loops_over_each(spec);
  arguments += each_indices(spec);
  return fmt::format(
      "template <int N>\nKILN_FN void several(const core& c, char* const* p, const int64* step, unsigned char* pool, bool "
      "keeps) {{\n{}  in_lanes<N>({});\n{}}}\n",
      before, arguments, after);
}

std::string several_items_kernel(const GufuncSpec& spec) {
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    arguments += fmt::format(", reinterpret_cast<{}{}*>(p[{}])", k < spec.inputs.size() ? "const " : "",
                             stored_name(operands[k]->element.storage), k);
  }
  arguments += each_indices(spec);
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const gufunc_launch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  alignas(64) unsigned char pool[{}];\n  walk_several<{}, {}>(*launch, begin, end,\n"
      "    [&](char* const* p, const int64* step) {{ several<{}>(c, p, step, pool, launch->keeps != 0); }},\n"
      "    [&](char* const* p) {{\n{}      one(c{}); }});\n}}\n",
      launch_numbers(spec), kBytesOfItems, operands.size(), kItemsAtOnce, kItemsAtOnce, loops_over_each(spec), arguments);
}

}  // namespace kiln::codegen
