// reduceat on a GPU: where the elements of segments are, and the loop that takes them.
#include <fmt/format.h>

#include "kernel/reduction/members_text.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernel/reduction/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// Blocks that a multiprocessor has registers for, where the limit makes nothing go to memory. 1 is no limit.
int blocks_with_segments(const ReductionSpec& spec) {
  constexpr std::int64_t kSmall = 4;
  constexpr std::int64_t kSmallState = 8;
  // Coordinates take more than can be foreseen.
  if (spec.wide_index || spec.kept_rank > 2) return 1;
  const auto size = static_cast<std::int64_t>(itemsize(spec.inputs.front().storage));
  if (size > kSmall || state_bytes(spec) > kSmallState) return 1;
  if (spec.mapping == Mapping::columns) return 5;
  if (spec.inputs.front().access != Access::contiguous) return 1;
  return size == kSmall ? 4 : 3;  // what is smaller takes registers for its conversion
}

const char* form_of(const ReductionSpec& spec) {
  if (spec.ordered) return "segments::in_order";
  return spec.mapping == Mapping::columns ? "segments::columns" : "segments::rows";
}

}  // namespace

std::string segments_gpu(const ReductionSpec& spec, const UserText& text) {
  const std::string index = spec.wide_index ? "uint64" : "uint32";
  const std::string in = stored_name(spec.inputs.front().storage);
  const std::string out = stored_name(spec.outputs.front().storage);
  std::string all = fmt::format("struct reduction {{\n{}}};\n", reduction_members(spec, text));
  all += fmt::format("using kept_space = space<{0}, {1}, 3>;\nusing reduced_space = space<{0}, {2}, 3>;\n", index,
                     spec.kept_rank, spec.reduced_rank);
  all += fmt::format(
      "struct elements_of_axis {{\n  const {0}* x;\n"
      "  struct loaded {{\n    {0} x;\n"
      "    KILN_FN reduction::accumulator at(int64) const {{ return reduction::mapped(x); }}\n"
      "    KILN_FN bool counts(int64) const {{ return true; }}\n  }};\n"
      "  KILN_FN loaded load(int64 bytes) const {{ return {{*moved(x, bytes)}}; }}\n"
      "  KILN_FN void move(int64 bytes) {{ x = moved(x, bytes); }}\n}};\n",
      in);
  const bool contiguous = spec.inputs.front().access == Access::contiguous;
  const std::string stride =
      contiguous ? fmt::format("sizeof({})", in) : fmt::format("reduced.stride[0][{}]", spec.reduced_rank - 1);
  // Beginnings are numbers as wide as the index, with the axis' extent behind them; their strides are in elements.
  all += fmt::format(
      "struct work {{\n  using index = {0};\n  using elements = elements_of_axis;\n"
      "  static constexpr bool contiguous = {5};\n"
      "  const kept_space& kept;\n  const reduced_space& reduced;\n"
      "  const {2}* x;\n  {3}* y;\n  const index* begins;\n"
      "  using coordinates = place<index, {1}, 1>;\n"
      "  KILN_FN int64 stride() const {{ return {4}; }}\n"
      "  KILN_FN elements elements_from(int64 start) const {{ return {{moved(x, start)}}; }}\n"
      "  KILN_FN int64 start_of(uint64 output) const {{ return coordinates(kept, index(output)).offset(kept.stride[0]); }}\n"
      "  KILN_FN segment<index> segment_of(uint64 output) const {{\n"
      "    const coordinates at(kept, index(output));\n"
      "    const index* const here = begins + at.offset(kept.stride[2]);\n"
      "    const index begin = here[0], end = here[1];\n"
      "    return {{at.offset(kept.stride[0]) + int64(begin) * stride(), begin, end > begin ? end - begin : 1}};\n  }}\n"
      "  KILN_FN void put(uint64 output, const reduction::accumulator& a) const {{\n"
      "    reduction::post(a, *moved(y, coordinates(kept, index(output)).offset(kept.stride[1])));\n  }}\n}};\n",
      index, spec.kept_rank, in, out, stride, contiguous);
  all += fmt::format(
      "KILN_KERNEL_OF({0}) kiln_kernel(const kept_space kept, const reduced_space reduced, const kinds::SegmentCall call, "
      "const {1}* __restrict__ x, {2}* __restrict__ y, const {3}* __restrict__ begins) {{\n"
      "  alignas(16) KILN_SHARED unsigned char cells[segment_bytes<reduction, elements_of_axis, {4}>()];\n"
      "  const work w{{kept, reduced, x, y, begins}};\n"
      "  reduce_segments<reduction, {4}>(call, w, cells);\n}}\n",
      blocks_with_segments(spec), in, out, index, form_of(spec));
  return all;
}

}  // namespace kiln::kinds
