// The kernel of a generalized ufunc on a GPU: a thread for each item, or for each index of .each in it.
#include <fmt/format.h>

#include "codegen/gufunc_text.hpp"
#include "codegen/kernel_text.hpp"

namespace kiln::codegen {

std::string gufunc_gpu(const GufuncSpec& spec) {
  const std::size_t inputs = spec.inputs.size();
  const std::size_t mask = spec.masked ? 1 : 0;
  const std::size_t count = inputs + mask + spec.outputs.size();
  const std::size_t rank = static_cast<std::size_t>(spec.loop_rank) + spec.each.size();
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
    arguments += fmt::format(", moved(p{}, at.offset(s.stride[{}]))", k, k < inputs ? k : k + mask);
  }
  for (std::size_t e = 0; e < spec.each.size(); ++e) {
    arguments += fmt::format(", index(at.at[{}])", static_cast<std::size_t>(spec.loop_rank) + e);
  }
  return fmt::format(
      "using index_space = space<{0}, {1}, {2}>;\n"
      "KILN_KERNEL kiln_kernel({0} n, const index_space s, const core c{3}) {{\n"
      "  walk_items(n, [&]({0} i) {{\n    const place<{0}, {1}, 1> at(s, i);\n{4}    one(c{5});\n  }});\n}}\n",
      index, rank, count, parameters,
      spec.masked ? fmt::format("    if (*moved(mask, at.offset(s.stride[{}])) == 0) return;\n", inputs) : "", arguments);
}

}  // namespace kiln::codegen
