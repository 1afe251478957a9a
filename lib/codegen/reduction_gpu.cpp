// A reduction on a GPU: where the elements of an output are, and the loop of its mapping.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/kernel_text.hpp"
#include "codegen/reduction_text.hpp"

namespace kiln::codegen {
namespace {

/// Packs that a thread loads before it combines.
int unroll(const ReductionSpec& spec) {
  return std::clamp(16 / spec.width, 2, 4);
}

std::string loop_of(const ReductionSpec& spec) {
  if (spec.ordered) return "reduce_in_order<reduction>(call, w);";
  const int u = unroll(spec);
  switch (spec.mapping) {
    case Mapping::thread:
      return fmt::format("reduce_by_threads<reduction, {}, {}>(call, w);", spec.width, u);
    case Mapping::warp:
      return fmt::format("reduce_by_warps<reduction, {}, {}>(call, w);", spec.width, u);
    case Mapping::block:
      return fmt::format("reduce_by_blocks<reduction, {}, {}>(call, w, cells);", spec.width, u);
    case Mapping::columns:
      break;
  }
  return fmt::format("reduce_by_columns<reduction, {}>(call, w, cells);", u);
}

}  // namespace

std::string reduction_gpu(const ReductionSpec& spec) {
  const std::string input = stored_name(spec.inputs.front().storage);
  const std::string output = stored_name(spec.outputs.front().storage);
  const std::string index = spec.wide_index ? "uint64" : "uint32";
  const int operands = spec.masked ? 3 : 2;
  const bool shares = !spec.ordered && (spec.mapping == Mapping::block || spec.mapping == Mapping::columns);
  std::string out = fmt::format("struct reduction {{\n{}}};\n", reduction_members(spec));
  out += fmt::format("using kept_space = space<{}, {}, {}>;\nusing reduced_space = space<{}, {}, {}>;\n", index, spec.kept_rank,
                     operands, index, spec.reduced_rank, operands);
  out += fmt::format(
      "struct work {{\n  const kept_space& kept;\n  const reduced_space& reduced;\n  const {0}* x;\n  const uint8* mask;\n  "
      "{1}* y;\n"
      "  using elements_of = elements<reduction, reduced_space, {2}, {3}, {4}, {0}>;\n"
      "  KILN_FN elements_of source(uint64 output) const {{\n"
      "    const place<{2}, {5}, 1> at(kept, {2}(output));\n"
      "    return {{reduced, moved(x, at.offset(kept.stride[0])), {6}}};\n  }}\n"
      "  KILN_FN void put(uint64 output, const reduction::accumulator& a) const {{\n"
      "    const place<{2}, {5}, 1> at(kept, {2}(output));\n"
      "    reduction::post(a, *moved(y, at.offset(kept.stride[{7}])));\n  }}\n}};\n",
      input, output, index, spec.reduced_rank, spec.width, spec.kept_rank,
      spec.masked ? "moved(mask, at.offset(kept.stride[1]))" : "nullptr", operands - 1);
  out += fmt::format(
      "KILN_KERNEL kiln_kernel(const kept_space kept, const reduced_space reduced, const reduction_call call, "
      "const {}* __restrict__ x{}, {}* __restrict__ y) {{\n",
      input, spec.masked ? ", const uint8* __restrict__ mask" : "", output);
  if (shares) {
    out += fmt::format("  alignas(16) KILN_SHARED unsigned char cells[sizeof(counted<reduction>::state) * {}];\n",
                       spec.mapping == Mapping::columns ? 256 : 32);
  }
  out += fmt::format("  const work w{{kept, reduced, x, {}, y}};\n  {}\n}}\n", spec.masked ? "mask" : "nullptr", loop_of(spec));
  return out;
}

}  // namespace kiln::codegen
