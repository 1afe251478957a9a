// The kernel of a generalized ufunc on the CPU: numbers of the launch into registers, then the items one after the other.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/gufunc/operands_text.hpp"
#include "kernel/gufunc/text.hpp"

namespace kiln::kinds {

namespace {

constexpr std::int64_t kFewestInVector = 4;

/// Units take all of small sizes, of the two innermost dimensions (kernels-src/gufunc/abi.hpp): loops over them unroll.
bool in_one_unit(const GufuncSpec& spec, std::size_t e) {
  constexpr std::int64_t kTile = 64;
  const std::optional<std::int64_t>& size = spec.dimensions[spec.each[e].dimension].size;
  return size && *size <= kTile && spec.each.size() - e <= 2;
}

/// begin0, end0, …: which indices of .each a unit takes.
std::string limits_text(const GufuncSpec& spec) {
  std::string limits;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    const std::string size = size_of(spec, spec.each[e].dimension, "c");
    if (in_one_unit(spec, e)) {
      limits += fmt::format("    constexpr int64 begin{} = 0, end{} = {};\n", e, e, size);
    } else if (spec.folded) {
      limits += fmt::format("    const int64 begin{} = 0, end{} = {};\n", e, e, size);
    } else {
      limits += fmt::format("    const int64 begin{} = first[{}];\n", e, e);
      limits += fmt::format("    const int64 end{} = first[{}] + launch->tile[{}] < {} ? first[{}] + launch->tile[{}] : {};\n",
                            e, e, e, size, e, e, size);
    }
  }
  return limits;
}

/// Calls the body for an item, or for those of its indices.
std::string item_text(const GufuncSpec& spec, const std::string& arguments) {
  std::string loops = limits_text(spec);
  std::string indices;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    const bool last = e + 1 == spec.each.size();
    // Threads of a GPU would run them at once: nothing that one writes is read by another.
    // Unrolled before it is vectorized, it would never be. Three elements make no vector: they are unrolled.
    const std::optional<std::int64_t>& known = spec.dimensions[spec.each[e].dimension].size;
    if (last) {
      loops += fmt::format("#pragma clang loop vectorize(assume_safety){}\n",
                           known && *known >= kFewestInVector ? " unroll(disable)" : "");
    }
    loops += fmt::format("    for (int64 e{0} = begin{0}; e{0} < end{0}; ++e{0})", e);
    loops += last ? " {\n" : "\n";
    indices += fmt::format(", e{}", e);
  }
  const std::string calls = fmt::format("    one(c{}{});\n", arguments, indices);
  return loops + calls + (spec.each.empty() ? "" : "    }\n");
}

/// "int64(8) * c.size[1] * 4": bytes of its core.
std::string bytes_text(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  std::string product = fmt::format("int64({})", itemsize(operand.element.storage));
  for (const std::size_t dimension : operand.dimensions) product += " * " + size_of(spec, dimension, "c");
  return product;
}

/// Bytes from an item's core to the next one's.
std::string step_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t at) {
  switch (operand.step) {
    case ItemStep::none:
      return "int64(0)";
    case ItemStep::beside:
      return fmt::format("int64({})", itemsize(operand.element.storage));
    case ItemStep::behind:
      return bytes_text(spec, operand);
    case ItemStep::any:
      break;
  }
  return fmt::format("step[{}]", at);
}

/// "whole(c, p0, …)": the body for all indices of .each of an item.
std::string whole_function(const GufuncSpec& spec) {
  std::string parameters;
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    parameters += fmt::format(", {}{}* __restrict__ p{}", k < spec.inputs.size() ? "const " : "",
                              stored_name(operands[k]->element.storage), k);
    arguments += fmt::format(", p{}", k);
  }
  return fmt::format("KILN_ROWS static void whole(const core& c{}) {{\n{}}}\n", parameters, item_text(spec, arguments));
}

/// The loop over items that the body takes whole.
std::string items_kernel(const GufuncSpec& spec) {
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const auto operands = operands_of(spec);
  std::string places;
  std::string arguments;
  std::string ends;
  std::string numbers = launch_numbers(spec);
  std::size_t stride = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const CoreOperandSpec& operand = *operands[k];
    const bool output = k >= inputs;
    const std::size_t at = output ? k + mask : k;
    const bool tiled = spec.tile_bytes > 0 && operand.packed && is_view(operand) && !operand.dimensions.empty();
    if (tiled && !(output && spec.masked)) {
      const std::string bytes = bytes_text(spec, operand);
      // What the launch says, in terms of sizes: whole elements.
      std::string step = fmt::format("int64({})", itemsize(operand.element.storage));
      for (std::size_t a = operand.dimensions.size(); a-- > 0;) {
        numbers += fmt::format("  c.stride[{}] = {};\n", stride + a, step);
        step += " * " + size_of(spec, operand.dimensions[a], "c");
      }
      const std::string behind = step_text(spec, operand, at);
      places += fmt::format("    char* const q{0} = kiln_core(p[{0}], {1}, x, {2}, {3}, {4}, {0});\n", at, behind, bytes,
                            spec.tile_bytes, output ? "launch->keeps" : "1");
      if (output) ends += fmt::format("    kiln_core_end(q{0}, p[{0}], {1}, x, {2});\n", at, behind, bytes);
    } else {
      places += fmt::format("    char* const q{0} = p[{0}] + x * {1};\n", at, step_text(spec, operand, at));
    }
    stride += operand.dimensions.size();
    arguments +=
        fmt::format(", reinterpret_cast<{}{}*>(q{})", output ? "" : "const ", stored_name(operand.element.storage), at);
  }
  const std::string masked = fmt::format("    if (p[{0}][x * step[{0}]] == 0) return;\n", inputs);
  return fmt::format(
      "{}KILN_ROWS KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  walk_cores<{}, {}>(*launch, begin, end, [&](char* const* p, const int64* step, int64 x) KILN_INLINE {{\n{}{}{}{}"
      "  }});\n}}\n",
      spec.folded ? whole_function(spec) : "", numbers, operands.size() + mask, spec.most_items, spec.masked ? masked : "",
      places, spec.folded ? fmt::format("    whole(c{});\n", arguments) : item_text(spec, arguments), ends);
}

/// Addresses of an item's operands as the body's function takes them.
std::string item_arguments(const GufuncSpec& spec, const char* from) {
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    arguments += fmt::format(", reinterpret_cast<{}{}*>({}[{}])", k < inputs ? "const " : "",
                             stored_name(operands[k]->element.storage), from, k < inputs ? k : k + mask);
  }
  return arguments;
}

/// Items one after the other, each by all threads of a team.
std::string team_kernel(const GufuncSpec& spec) {
  const std::size_t inputs = spec.inputs.size();
  const std::size_t count = inputs + (spec.masked ? 1 : 0) + spec.outputs.size();
  const int pool = std::max(spec.team_bytes, 16);
  return fmt::format(
      "struct shared_item {{\n  core c;\n  char* p[{0}];\n  index first;\n}};\n"
      "extern \"C\" KILN_NOINLINE void* kiln_threads(const kinds::CpuWaiting*, void* shared, const shared_item& all) {{\n"
      "  kiln_share(shared);\n  const shared_item item = all;\n"
      "  auto* const pool = static_cast<unsigned char*>(shared) + variable_bytes();\n"
      "  const index first = kiln_together() == {1} ? 0 : item.first;\n"
      "#pragma clang loop vectorize(assume_safety) vectorize_width({1}) unroll(disable)\n"
      "  for (int64 x = 0; x < kiln_lanes(); ++x) {{\n"
      "    one(item.c, team<{1}>(pool, pool + {2}, {6}, first, x){3});\n  }}\n  return nullptr;\n}}\n"
      "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n"
      "  void* const shared = __builtin_alloca_with_align(variable_bytes() + {2} + 2 * team<{1}>::kCells, 512);\n"
      "  shared_item item;\n  core& c = item.c;\n{4}"
      "  walk_items<{0}, 0>(*launch, begin, end, [&](char* const* p, const int64*) KILN_INLINE {{\n{5}"
      "    for (int k = 0; k < {0}; ++k) item.p[k] = p[k];\n"
      "    share_item<{1}>(launch->waits, shared, item, kiln_threads);\n  }});\n}}\n",
      count, spec.team, pool, item_arguments(spec, "item.p"), launch_numbers(spec),
      spec.masked ? fmt::format("    if (*p[{}] == 0) return;\n", inputs) : "", spec.declared_bytes);
}

}  // namespace

std::string launch_numbers(const GufuncSpec& spec) {
  std::string text;
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) text += fmt::format("  c.size[{0}] = launch->sizes[{0}];\n", d);
  for (std::size_t s = 0; s < core_strides_of(spec); ++s) text += fmt::format("  c.stride[{0}] = launch->core[{0}];\n", s);
  return text;
}

std::string gufunc_cpu(const GufuncSpec& spec) {
  if (spec.team > 0) return team_kernel(spec);
  if (spec.each.empty() || spec.folded) return items_kernel(spec);
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const std::size_t count = inputs + mask + spec.outputs.size();
  return fmt::format(
      "KILN_ROWS KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  walk_items<{}, {}>(*launch, begin, end, [&](char* const* p, const int64* first) KILN_INLINE {{\n{}{}"
      "  }});\n}}\n",
      launch_numbers(spec), count, spec.each.size(), spec.masked ? fmt::format("    if (*p[{}] == 0) return;\n", inputs) : "",
      item_text(spec, item_arguments(spec, "p")));
}

}  // namespace kiln::kinds
