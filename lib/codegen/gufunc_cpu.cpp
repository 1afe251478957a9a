// The kernel of a generalized ufunc on the CPU: numbers of the launch into registers, then the items one after the other.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/gufunc_items.hpp"
#include "codegen/gufunc_text.hpp"
#include "codegen/kernel_text.hpp"

namespace kiln::codegen {

namespace {

/// Items of tiny cores whose strides the kernel knows: a loop whose body unrolls to arithmetic on a few elements, which the
/// compiler computes for several items at once.
std::string many_tiny(const GufuncSpec& spec) {
  std::string pointers;
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string type =
        fmt::format("{}{}*", k < spec.inputs.size() ? "const " : "", stored_name(operands[k]->element.storage));
    pointers += fmt::format("  {0} const q{1} = reinterpret_cast<{0}>(launch->data[{1}]);\n", type, k);
    arguments += fmt::format(", q{} + x * {}", k, item_stride(spec, *operands[k]));
  }
  std::string loops;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    loops += fmt::format("    for (int64 e{0} = 0; e{0} < {1}; ++e{0})\n", e, size_of(spec, spec.each[e].dimension, "c"));
    arguments += fmt::format(", e{}", e);
  }
  const bool packed = std::all_of(operands.begin(), operands.end(), [](const CoreOperandSpec* o) { return o->packed; });
  pointers = (packed ? "  const core c{};\n" : "  core c;\n" + launch_numbers(spec)) + pointers;
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const gufunc_launch* launch, int64 begin, int64 end) {{\n{}"
      "#pragma clang loop vectorize(assume_safety)\n  for (int64 x = begin; x < end; ++x) {{\n{}    one(c{});\n  }}\n}}\n",
      pointers, loops, arguments);
}

constexpr std::int64_t kFewestInVector = 4;

/// Units take all of small sizes, of the two innermost dimensions (backend/kernel_abi.hpp): loops over them unroll.
bool in_one_unit(const GufuncSpec& spec, std::size_t e) {
  constexpr std::int64_t kTile = 64;
  const std::optional<std::int64_t>& size = spec.dimensions[spec.each[e].dimension].size;
  return size && *size <= kTile && spec.each.size() - e <= 2;
}

}  // namespace

std::string launch_numbers(const GufuncSpec& spec) {
  std::string text;
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) text += fmt::format("  c.size[{0}] = launch->sizes[{0}];\n", d);
  for (std::size_t s = 0; s < core_strides_of(spec); ++s) text += fmt::format("  c.stride[{0}] = launch->core[{0}];\n", s);
  return text;
}

std::string gufunc_cpu(const GufuncSpec& spec) {
  if (spec.loop_rank == 0) return many_tiny(spec);
  if (takes_items(spec)) return several_items_kernel(spec);
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const std::size_t count = inputs + mask + spec.outputs.size();
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string type = stored_name(operands[k]->element.storage);
    arguments += fmt::format(", reinterpret_cast<{}{}*>(p[{}])", k < inputs ? "const " : "", type, k < inputs ? k : k + mask);
  }
  std::string loops;
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    const std::string size = size_of(spec, spec.each[e].dimension, "c");
    if (in_one_unit(spec, e)) {
      loops += fmt::format("    constexpr int64 begin{} = 0, end{} = {};\n", e, e, size);
      continue;
    }
    loops += fmt::format("    const int64 begin{} = first[{}];\n", e, e);
    loops += fmt::format("    const int64 end{} = first[{}] + launch->tile[{}] < {} ? first[{}] + launch->tile[{}] : {};\n", e,
                         e, e, size, e, e, size);
  }
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
  std::string calls =
      fmt::format("    one(c{}{}{});\n", spec.team > 0 ? fmt::format(", team<{}>{{pool}}", spec.team) : "", arguments, indices);
  if (spec.lanes) {
    const std::size_t e = spec.each.size() - 1;
    const auto block = [&](int lanes) {
      return fmt::format("    for (; e{0} + {1} <= end{0}; e{0} += {1}) several<{1}>(c{2}{3});\n", e, lanes, arguments,
                         indices);
    };
    calls = fmt::format("    int64 e{0} = begin{0};\n{1}{2}    for (; e{0} < end{0}; ++e{0}) one(c{3}{4});\n", e, block(64),
                        block(16), arguments, indices);
  }
  if (!spec.each.empty()) calls += "    }\n";
  std::string numbers;
  if (spec.team > 0) numbers = fmt::format("  alignas(64) unsigned char pool[{}];\n", std::max(spec.team_bytes, 16));
  numbers += launch_numbers(spec);
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const gufunc_launch* launch, int64 begin, int64 end) {{\n  core c;\n{}"
      "  walk_items<{}, {}>(*launch, begin, end, [&](char* const* p, const int64* first) {{\n{}{}{}"
      "  }});\n}}\n",
      numbers, count, spec.each.size(), spec.masked ? fmt::format("    if (*p[{}] == 0) return;\n", inputs) : "", loops, calls);
}

}  // namespace kiln::codegen
