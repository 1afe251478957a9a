// The kernel of a generalized ufunc on a GPU: a thread for each item, or for each index of .each in it.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/gufunc/operands_text.hpp"
#include "kernel/gufunc/staged.hpp"
#include "kernel/gufunc/text.hpp"

namespace kiln::kinds {

std::string gufunc_gpu(const GufuncSpec& spec, const Debug& debug, DeviceKind target) {
  if (is_staged(spec)) return staged_kernel(spec);
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const std::size_t count = inputs + mask + spec.outputs.size();
  const std::size_t rank = static_cast<std::size_t>(spec.loop_rank) + spec.each.size();
  // Of the indices of .each a thread has one, or some neighbours of the last.
  std::string item = spec.beside > 1 ? fmt::format("int64(i) * {}", spec.beside) : "int64(i)";
  for (const EachSpec& each : spec.each) item += " / " + size_of(spec, each.dimension, "c");
  const std::string offset = fmt::format("at.template offset<{}>", spec.loop_rank);
  const std::string entered = debug.any() ? "    KILN_ENTER_ITEM(" + item + ");\n" : "";
  const char* const index = spec.wide_index ? "uint64" : "uint32";
  std::string parameters;
  std::string arguments;
  const auto operands = operands_of(spec);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (k == inputs && spec.masked) parameters += ", const uint8* __restrict__ mask";
    const std::string type = stored_name(operands[k]->element.storage);
    if (!in_memory(*operands[k])) {
      parameters += fmt::format(", const {} p{}", type, k);
      arguments += fmt::format(", p{}", k);
      continue;
    }
    parameters += fmt::format(", {}{}* __restrict__ p{}", k < inputs ? "const " : "", type, k);
    arguments += fmt::format(", moved(p{}, {}(s.stride[{}]))", k, offset, k < inputs ? k : k + mask);
  }
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    const bool beside = spec.beside > 1 && e + 1 == spec.each.size();
    arguments += fmt::format(", index(at.at[{}]){}", static_cast<std::size_t>(spec.loop_rank) + e,
                             beside ? fmt::format(" * {} + beside", spec.beside) : "");
  }
  const std::string mask_text = entered + (spec.masked ? fmt::format("    if (*moved(mask, {}(s.stride[{}])) == 0) {};\n",
                                                                     offset, inputs, spec.team > 0 ? "continue" : "return")
                                                       : "");
  if (spec.team > 0) {
    // All threads of a team go the same way, and those of a block where it is one.
    const int teams = teams_of_block(spec, target);
    const std::string own = teams > 1 ? fmt::format(" + threadIdx.x / {}", spec.team) : "";
    const int bytes = std::max(spec.team_bytes, 16);
    return fmt::format(
        "using index_space = space<{0}, {1}, {2}>;\n"
        "KILN_KERNEL kiln_kernel({0} n, const index_space s, const core c{3}) {{\n"
        "  alignas(16) KILN_SHARED unsigned char pool[{4}];\n"
        "  alignas(16) KILN_SHARED unsigned char cells[team<{5}>::kCells + 16];\n"
        "  for (uint64 i = uint64(blockIdx.x) * {8}{9}; i < n; i += uint64(KILN_GRID_BLOCKS({11})) * {8}) {{\n"
        "    const place<{0}, {1}, 1> at(s, {0}(i));\n{6}"
        "    const team<{5}> t(pool{10}, cells, {12});\n    one(c, t{7});\n    t.sync();\n  }}\n}}\n",
        index, rank, count, parameters, teams * bytes, spec.team, mask_text, arguments, teams, own,
        teams > 1 ? fmt::format(" + threadIdx.x / {} * {}", spec.team, bytes) : "", teams * spec.team, spec.declared_bytes);
  }
  const std::string neighbours =
      spec.beside > 1 ? fmt::format("#pragma unroll\n    for (index beside = 0; beside < {}; ++beside) ", spec.beside) : "    ";
  return fmt::format(
      "using index_space = space<{0}, {1}, {2}>;\n"
      "KILN_KERNEL kiln_kernel({0} n, const index_space s, const core c{3}) {{\n"
      "  walk_items(n, [&]({0} i) {{\n    const place<{0}, {1}, 1> at(s, i);\n{4}{6}one(c{5});\n  }});\n}}\n",
      index, rank, count, parameters, mask_text, arguments, neighbours);
}

}  // namespace kiln::kinds
