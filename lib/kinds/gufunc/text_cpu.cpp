// The kernel of a generalized ufunc on the CPU: numbers of the launch into registers, then the items one after the other.
#include <fmt/format.h>

#include <algorithm>

#include "kinds/gufunc/body_traits.hpp"
#include "kinds/gufunc/index_blocks.hpp"
#include "kinds/gufunc/items_text.hpp"
#include "kinds/gufunc/operands_text.hpp"
#include "kinds/kernel_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// Items of tiny cores whose strides the kernel knows: a loop whose body unrolls to arithmetic on a few elements, which the
/// compiler computes for several items at once.
std::string many_tiny(const GufuncSpec& spec, const UserText& text) {
  const bool staged = is_staged(spec);
  std::string pointers;
  std::string arguments;
  // Of those that are staged: into the buffer and back, 16 items and one.
  std::string in;
  std::string out;
  std::string one_in;
  std::string one_out;
  std::string apart = "true";
  std::int64_t most = 0;
  bool outputs = false;
  bool odd = false;
  const bool dear = is_dear(text, !spec.each.empty());
  const std::size_t levels = levels_of(spec, text);
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool output = k >= spec.inputs.size();
    const std::string type = stored_name(operands[k]->element.storage);
    if (is_staged(*operands[k])) {
      const std::int64_t elements = core_elements(spec, *operands[k]);
      most = std::max(most, elements);
      outputs |= output;
      // Behind an item there is the next one: not where one is for all, nor surely in the next page.
      constexpr std::int64_t kRegister = 16;
      const auto bytes = elements * static_cast<std::int64_t>(itemsize(operands[k]->element.storage));
      if (bytes % kRegister != 0) apart += fmt::format(" && s{0} != 0 && s{0} <= 4096 && s{0} >= -4096", k);
      const std::string which = fmt::format("<{}, {}>(t{}, q{} + x * s{}", type, elements, k, k, k);
      // A body may leave elements of an output as they are.
      const bool keeps = output && is_view(*operands[k]);
      const char* const when = keeps ? "if (launch->keeps) " : "";
      const std::string room = fmt::format("    alignas(64) {} t{}[{}];\n", type, k, elements * kStagedItems);
      pointers += fmt::format("  char* const q{0} = launch->data[{0}];\n  const int64 s{0} = launch->strides[{0}];\n", k);
      in += room;
      one_in += room;
      if (!output || keeps) {
        in += fmt::format("    {}stage_in{}, s{});\n", when, which, k);
        one_in += fmt::format("    {}stage_one_in{});\n", when, which);
      }
      if (output) out += fmt::format("    stage_out{}, s{});\n", which, k);
      if (output) one_out += fmt::format("    stage_one_out{});\n", which);
      arguments += fmt::format(", t{} + l", k);
      continue;
    }
    const std::int64_t stride = item_stride(spec, *operands[k]);
    odd = odd || (itemsize(operands[k]->element.storage) >= 4 && (stride == 5 || stride == 7));
    const std::string pointer = (output ? "" : "const ") + type + "*";
    pointers += fmt::format("  {0} const q{1} = reinterpret_cast<{0}>(launch->data[{1}]);\n", pointer, k);
    arguments += fmt::format(", q{} + {} * {}", k, staged ? "(x + l)" : "x", stride);
  }
  std::string loops;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    loops += fmt::format("    for (int64 e{0} = 0; e{0} < {1}; ++e{0})\n", e, size_of(spec, spec.each[e].dimension, "c"));
    arguments += fmt::format(", e{}", e);
  }
  const bool packed = std::all_of(operands.begin(), operands.end(), [](const CoreOperandSpec* o) { return o->packed; });
  pointers = (packed ? "  const core c{};\n" : "  core c;\n" + launch_numbers(spec)) + pointers;
  if (staged) {
    const std::string item = fmt::format("{}    one(c{});\n", loops, arguments);
    return fmt::format(
        "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n{}"
        "  walk_staged<{}, {}, {}, {}>(launch->shape[0], {}, begin, end, [&](int64 x) {{\n{}#pragma clang loop "
        "vectorize(assume_safety) unroll(disable)\n"
        "    for (int64 l = 0; l < kStaged; ++l) {{\n{}    }}\n{}  }}, [&](int64 x) {{\n    constexpr int64 l = 0;\n{}{}{}  "
        "}});\n}}\n",
        pointers, goes_along(spec, text), most, outputs, dear, apart, in, item, out, one_in, item, one_out);
  }
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n{}"
      "{}\n  for (int64 x = begin; x < end; ++x) {{\n{}    one(c{});\n  }}\n}}\n",
      pointers, odd && !dear && levels <= 1 ? "KILN_ODD_ITEMS_LOOP" : "#pragma clang loop vectorize(assume_safety)", loops,
      arguments);
}

constexpr std::int64_t kFewestInVector = 4;

/// Units take all of small sizes, of the two innermost dimensions (kernels-src/gufunc/abi.hpp): loops over them unroll.
bool in_one_unit(const GufuncSpec& spec, std::size_t e) {
  constexpr std::int64_t kTile = 64;
  const std::optional<std::int64_t>& size = spec.dimensions[spec.each[e].dimension].size;
  return size && *size <= kTile && spec.each.size() - e <= 2;
}

/// Names that a body has for numbers of the launch.
std::vector<std::string> constants_of(const GufuncSpec& spec) {
  std::vector<std::string> names;
  for (const EachSpec& each : spec.each) names.push_back(each.name);
  for (const CoreDimensionSpec& dimension : spec.dimensions) names.push_back(dimension.name);
  return names;
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
std::string item_text(const GufuncSpec& spec, const UserText& text, const std::string& arguments) {
  std::string loops = limits_text(spec);
  std::string indices;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    const bool last = e + 1 == spec.each.size();
    // Threads of a GPU would run them at once: nothing that one writes is read by another.
    // Unrolled before it is vectorized, it would never be: 143 ns instead of 20 for a product of 8 × 8 matrices. Three
    // elements make no vector: they are unrolled.
    const std::optional<std::int64_t>& known = spec.dimensions[spec.each[e].dimension].size;
    if (last && !spec.lanes) {
      loops += fmt::format("#pragma clang loop vectorize(assume_safety){}\n",
                           known && *known >= kFewestInVector ? " unroll(disable)" : "");
    }
    if (!last || !spec.lanes) loops += fmt::format("    for (int64 e{0} = begin{0}; e{0} < end{0}; ++e{0})", e);
    loops += last ? " {\n" : "\n";
    indices += fmt::format(", e{}", e);
  }
  std::string calls = fmt::format("    one(c{}{});\n", arguments, indices);
  if (spec.lanes) {
    const std::size_t e = spec.each.size() - 1;
    const std::optional<std::int64_t> all = in_one_unit(spec, e) ? spec.dimensions[spec.each[e].dimension].size : std::nullopt;
    calls = index_loops(e, all, may_run_twice(text, constants_of(spec)), "c" + arguments + indices);
  }
  return loops + calls + (spec.each.empty() ? "" : "    }\n");
}

/// "int64(8) * c.size[1] * 4": bytes of its core.
std::string bytes_text(const GufuncSpec& spec, const CoreOperandSpec& operand) {
  std::string product = fmt::format("int64({})", itemsize(operand.element.storage));
  for (const std::size_t dimension : operand.dimensions) product += " * " + size_of(spec, dimension, "c");
  return product;
}

/// Bytes from an item's core to the next one's.
std::string step_text(const CoreOperandSpec& operand, std::size_t at) {
  if (operand.item_stride < 0) return fmt::format("step[{}]", at);
  return fmt::format("int64({})", operand.item_stride * static_cast<std::int64_t>(itemsize(operand.element.storage)));
}

/// The loop over items that the body takes whole.
std::string items_kernel(const GufuncSpec& spec, const UserText& text) {
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
    if (spec.tile_bytes > 0 && operand.packed && is_view(operand) && !operand.dimensions.empty()) {
      const std::string bytes = bytes_text(spec, operand);
      // What the launch says, in terms of sizes: whole elements.
      std::string step = fmt::format("int64({})", itemsize(operand.element.storage));
      for (std::size_t a = operand.dimensions.size(); a-- > 0;) {
        numbers += fmt::format("  c.stride[{}] = {};\n", stride + a, step);
        step += " * " + size_of(spec, operand.dimensions[a], "c");
      }
      places += fmt::format("    char* const q{0} = kiln_core(p[{0}], step[{0}], x, {1}, {2}, {3}, {0});\n", at, bytes,
                            spec.tile_bytes, output ? "launch->keeps" : "1");
      if (output) ends += fmt::format("    kiln_core_end(q{0}, p[{0}], step[{0}], x, {1});\n", at, bytes);
    } else {
      places += fmt::format("    char* const q{0} = p[{0}] + x * {1};\n", at, step_text(operand, at));
    }
    stride += operand.dimensions.size();
    arguments +=
        fmt::format(", reinterpret_cast<{}{}*>(q{})", output ? "" : "const ", stored_name(operand.element.storage), at);
  }
  const std::string masked = fmt::format("    if (p[{0}][x * step[{0}]] == 0) return;\n", inputs);
  return fmt::format(
      "KILN_ROWS KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  walk_cores<{}>(*launch, begin, end, [&](char* const* p, const int64* step, int64 x) KILN_INLINE {{\n{}{}{}{}"
      "  }});\n}}\n",
      numbers, operands.size() + mask, spec.masked ? masked : "", places, item_text(spec, text, arguments), ends);
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
      "  const shared_item item = all;\n  auto* const pool = static_cast<unsigned char*>(shared);\n"
      "  const index first = kiln_together() == {1} ? 0 : item.first;\n"
      "#pragma clang loop vectorize(assume_safety) vectorize_width({1}) unroll(disable)\n"
      "  for (int64 x = 0; x < kiln_lanes(); ++x) {{\n"
      "    one(item.c, team<{1}>(pool, pool + {2}, first, x){3});\n  }}\n  return nullptr;\n}}\n"
      "KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n"
      "  alignas(64) unsigned char shared[{2} + 2 * team<{1}>::kCells];\n  shared_item item;\n  core& c = item.c;\n{4}"
      "  walk_items<{0}, 0>(*launch, begin, end, [&](char* const* p, const int64*) KILN_INLINE {{\n{5}"
      "    for (int k = 0; k < {0}; ++k) item.p[k] = p[k];\n"
      "    share_item<{1}>(launch->waits, shared, item, kiln_threads);\n  }});\n}}\n",
      count, spec.team, pool, item_arguments(spec, "item.p"), launch_numbers(spec),
      spec.masked ? fmt::format("    if (*p[{}] == 0) return;\n", inputs) : "");
}

}  // namespace

std::string launch_numbers(const GufuncSpec& spec) {
  std::string text;
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) text += fmt::format("  c.size[{0}] = launch->sizes[{0}];\n", d);
  for (std::size_t s = 0; s < core_strides_of(spec); ++s) text += fmt::format("  c.stride[{0}] = launch->core[{0}];\n", s);
  return text;
}

std::string gufunc_cpu(const GufuncSpec& spec, const UserText& text) {
  if (spec.team > 0) return team_kernel(spec);
  if (spec.loop_rank == 0) return many_tiny(spec, text);
  if (takes_items(spec)) return several_items_kernel(spec, levels_of(spec, text));
  if (spec.each.empty() || spec.folded) return items_kernel(spec, text);
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const std::size_t count = inputs + mask + spec.outputs.size();
  return fmt::format(
      "KILN_ROWS KILN_KERNEL kiln_kernel(const kinds::CpuGufuncLaunch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  walk_items<{}, {}>(*launch, begin, end, [&](char* const* p, const int64* first) KILN_INLINE {{\n{}{}"
      "  }});\n}}\n",
      launch_numbers(spec), count, spec.each.size(), spec.masked ? fmt::format("    if (*p[{}] == 0) return;\n", inputs) : "",
      item_text(spec, text, item_arguments(spec, "p")));
}

}  // namespace kiln::kinds
