#include "kinds/gufunc/items_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kinds/gufunc/operands_text.hpp"
#include "kinds/kernel_text.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kLine = 64;  // what rooms are rounded up to
/// Elements of an output from which on it is copied. One thread, AVX-512, 1e4 items of float32 side by side, nanoseconds of an
/// item in place and copied: matrix products of 4 × 4 3.8 and 3.9, of 6 × 6 11.5 and 10.3, of 7 × 7 20 and 15, of 8 × 8 35 and
/// 22, of 10 × 10 63 and 41, of 12 × 12 180 and 116, of 14 × 14 330 and 240. AVX2: of 4 × 4 3.6 and 4.7, of 8 × 8 33 both.
constexpr std::int64_t kFewestCopied = 25;

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

/// Whether its items lie one behind the other, and are turned in a buffer.
bool is_turned(const CoreOperandSpec& operand) {
  return !is_across(operand) && !is_shared(operand);
}

/// Elements of a core whose sizes are constants, else nothing; nothing of cores that have no room either (of manifests: calls
/// have none).
std::optional<std::int64_t> known_elements(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  std::int64_t elements = 1;
  for (const std::size_t dimension : operand.dimensions) {
    const auto& size = spec.dimensions[dimension].size;
    if (!size) return std::nullopt;
    elements *= *size;
    if (elements > kBytesBeside) return std::nullopt;
  }
  return elements;
}

std::int64_t room_of(const GufuncSpec& spec, const CoreOperandSpec& operand, std::int64_t elements) {
  const auto bytes = elements * static_cast<std::int64_t>(itemsize(operand.element.storage)) * items_at_once(spec);
  return (bytes + kLine - 1) / kLine * kLine;
}

/// Whether an output whose items lie side by side is large enough, and the body has more loops than it has dimensions.
bool suits_copying(const GufuncSpec& spec, const CoreOperandSpec& output, std::size_t levels) {
  const auto elements = known_elements(spec, output);
  return is_across(output) && elements && *elements >= kFewestCopied && levels > output.dimensions.size();
}

/// Whether it is an output that lies where vectors could be written to, and has a buffer nevertheless: what is written there is
/// no part of any input, so that those are read once into registers.
bool is_copied(const GufuncSpec& spec, const CoreOperandSpec& operand, bool output, std::size_t levels) {
  if (!output || !suits_copying(spec, operand, levels)) return false;
  std::int64_t room = 0;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool copied = k >= spec.inputs.size() && suits_copying(spec, *operands[k], levels);
    if (!copied && !is_turned(*operands[k])) continue;
    const auto elements = known_elements(spec, *operands[k]);
    if (!elements) return false;
    room += room_of(spec, *operands[k], *elements);
  }
  return room <= kBytesBeside;
}

/// Bytes of all buffers, at most.
std::int64_t room_of(const GufuncSpec& spec, std::size_t levels) {
  std::int64_t room = kLine;
  bool across = false;
  bool known = true;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    across = across || is_across(*operands[k]);
    if (!is_turned(*operands[k]) && !is_copied(spec, *operands[k], k >= spec.inputs.size(), levels)) continue;
    const auto elements = known_elements(spec, *operands[k]);
    known = known && elements;
    if (elements) room += room_of(spec, *operands[k], *elements);
  }
  if (known) return room;
  return across ? kBytesBeside : kBytesOfItems;
}

/// The operand as it lies in its buffer, or in memory.
CoreOperandSpec lying(const GufuncSpec& spec, const CoreOperandSpec& operand, bool output, std::size_t levels) {
  CoreOperandSpec as = operand;
  if (is_copied(spec, operand, output, levels)) {
    as.packed = true;
    as.unit = -1;
  }
  return as;
}

/// Copies an output's core of N items to its buffer or back, row by row; `stride`: the first of its numbers in c.stride.
std::string copied_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t k, std::size_t stride,
                        const char* function) {
  std::string loops;
  std::string number = "0";
  std::string place = fmt::format("p[{}]", k);
  const std::size_t last = operand.dimensions.size() - 1;
  for (std::size_t a = 0; a < last; ++a) {
    const std::string size = size_of(spec, operand.dimensions[a], "c");
    loops += fmt::format("#pragma clang loop unroll(disable)\n  for (int64 i{0} = 0; i{0} < {1}; ++i{0})\n", a, size);
    number = fmt::format("({} * {} + i{})", number, size, a);
    place += fmt::format(" + i{} * c.stride[{}]", a, stride + a);
  }
  const std::string size = size_of(spec, operand.dimensions[last], "c");
  return fmt::format("{}  {}<{}, N>(t{} + {} * {}, {}, c.stride[{}], {});\n", loops, function,
                     type_name(operand.element.compute), k, number, size, place, stride + last, size);
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

bool has_lanes(DType dtype) noexcept {
  return (kind(dtype) == Kind::floating || kind(dtype) == Kind::integer) && itemsize(dtype) >= sizeof(float);
}

bool has_whole_numbers(const GufuncSpec& spec) {
  const auto operands = operands_of(spec);
  return std::any_of(operands.begin(), operands.end(),
                     [](const CoreOperandSpec* operand) { return kind(operand->element.compute) == Kind::integer; });
}

int items_at_once(const GufuncSpec& spec) {
  const auto operands = operands_of(spec);
  const bool wide = std::any_of(operands.begin(), operands.end(), [](const CoreOperandSpec* operand) {
    return itemsize(operand->element.compute) > sizeof(float);
  });
  return wide ? kMostItemsAtOnce / 2 : kMostItemsAtOnce;
}

bool takes_items(const GufuncSpec& spec) {
  return spec.lanes && (spec.each.empty() || spec.folded) && spec.loop_rank > 0;
}

std::string wide_view_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t number, bool output,
                           std::size_t levels) {
  const auto size = static_cast<std::int64_t>(itemsize(operand.element.storage));
  std::string list;
  for (std::size_t a = 0; a < operand.dimensions.size(); ++a) {
    const auto& extent = spec.dimensions[operand.dimensions[a]].size;
    const CoreOperandSpec as = lying(spec, operand, output, levels);
    const auto stride = known_stride(spec, as, a);
    list += fmt::format(", axis<{}, {}>", extent ? std::to_string(*extent) : "varies",
                        !stride         ? "varies"
                        : is_across(as) ? std::to_string(*stride)
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
std::string several_items_function(const GufuncSpec& spec, std::size_t levels) {
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
    if (is_copied(spec, operand, output, levels)) {
      before += fmt::format("  auto* const t{} = cut<{}, N>(pool, {});\n", k, type, count);
      before += "  if (keeps) {\n" + copied_text(spec, operand, k, stride, "copy_in") + "  }\n";
      after += copied_text(spec, operand, k, stride, "copy_out");
      std::string numbers;
      for (const std::size_t dimension : operand.dimensions) numbers += fmt::format(", {}, 0", size_of(spec, dimension, "c"));
      arguments += fmt::format("{}operands::wide{}<N>(t{}{})", comma, k, k, numbers);
      stride += operand.dimensions.size();
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

std::string several_items_kernel(const GufuncSpec& spec, std::size_t levels) {
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    arguments += fmt::format(", reinterpret_cast<{}{}*>(p[{}])", k < spec.inputs.size() ? "const " : "",
                             stored_name(operands[k]->element.storage), k);
  }
  arguments += each_indices(spec);
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  alignas(64) unsigned char pool[{}];\n  walk_several<{}, {}>(*launch, begin, end,\n"
      "    [&](char* const* p, const int64* step) {{ several<{}>(c, p, step, pool, launch->keeps != 0); }},\n"
      "    [&](char* const* p) {{\n{}      one(c{}); }});\n}}\n",
      launch_numbers(spec), room_of(spec, levels), operands.size(), items_at_once(spec), items_at_once(spec),
      loops_over_each(spec), arguments);
}

}  // namespace kiln::kinds
