#include "ufunc/reduction_plan.hpp"

#include <algorithm>
#include <cstdint>

#include "kinds/reduction/launch.hpp"
#include "types/is_half.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

using codegen::Mapping;

// Elements up to which one thread takes an output, and a warp does.
constexpr std::int64_t kThreadElements = 16;
constexpr std::int64_t kWarpElements = 2048;
// Outputs that warps need to fill a GPU; with fewer, blocks do it better.
constexpr std::int64_t kWarpOutputs = 1024;
constexpr std::int64_t kBlockElements = 256;

Mapping mapping_of(const layout::Reduction& layout, bool ordered) noexcept {
  const std::int64_t columns = layout.kept().empty() ? 1 : layout.kept().back();
  if (ordered) return Mapping::thread;
  if (layout.columns_inside() && columns >= kSideBySideOutputs)
    return layout.count() <= kThreadElements ? Mapping::thread : Mapping::columns;
  if (layout.count() <= kThreadElements) return Mapping::thread;
  if (layout.count() < kBlockElements) return Mapping::warp;
  return layout.count() <= kWarpElements && layout.outputs() >= kWarpOutputs ? Mapping::warp : Mapping::block;
}

/// Elements of a 16-byte access to the largest of the inputs that move, where every row of what is reduced begins on its
/// boundary and fills it.
int width_of(const codegen::ReductionSpec& spec, const layout::Reduction& layout,
             std::span<const ReductionOperand> inputs) noexcept {
  if (layout.reduced().empty() || (spec.mapping != Mapping::warp && spec.mapping != Mapping::block)) return 1;
  const std::size_t rank = layout.kept().size() + layout.reduced().size();
  const auto still = [&](std::size_t k) {
    return k < spec.inputs.size() &&
           (spec.inputs[k].access == codegen::Access::scalar || spec.inputs[k].access == codegen::Access::broadcast);
  };
  std::int64_t largest = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) largest = still(k) ? largest : std::max(largest, inputs[k].itemsize);
  if (largest == 0) return 1;
  const std::int64_t width = 16 / largest;
  if (layout.reduced().back() % width != 0) return 1;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (still(k)) continue;
    const std::int64_t size = inputs[k].itemsize;
    const std::int64_t* const strides = layout.strides(k);
    if (strides[rank - 1] != size ||
        reinterpret_cast<std::uintptr_t>(inputs[k].address) % static_cast<std::uintptr_t>(width * size) != 0)
      return 1;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      if (strides[d] % (width * size) != 0) return 1;
    }
  }
  return static_cast<int>(width);
}

}  // namespace

bool reads_packs(Mapping mapping, DType array) noexcept {
  return (mapping == Mapping::warp || mapping == Mapping::block) && itemsize(array) < 16;
}

ReductionClass classify(const layout::Reduction& layout, std::span<const ReductionOperand> inputs, bool ordered) {
  ReductionClass made{.mapping = mapping_of(layout, ordered)};
  made.kept_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.kept().size(), 1));
  made.reduced_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.reduced().size(), 1));
  const bool may_pack = (made.mapping == Mapping::warp || made.mapping == Mapping::block) && inputs.front().itemsize < 16;
  made.packs = !may_pack || width_of({.mapping = made.mapping}, layout, inputs) > 1;
  made.wide_index = layout.outputs() > tuning::kMaxNarrowIndex || layout.count() > tuning::kMaxNarrowIndex;
  return made;
}

codegen::ReductionSpec specialize(const ReductionRequest& request, const ReductionClass& layout, DeviceKind device) {
  codegen::ReductionSpec spec{.inputs = {{request.array, request.loop}},
                              .outputs = {{request.result, request.loop}},
                              .identity = request.identity,
                              .masked = request.masked,
                              .ordered = request.ordered};
  if (device == DeviceKind::cpu) return spec;
  spec.mapping = layout.mapping;
  spec.kept_rank = layout.kept_rank;
  spec.reduced_rank = layout.reduced_rank;
  spec.segmented = layout.segmented;
  // Segments begin and end anywhere.
  if (layout.packs && !layout.segmented && reads_packs(layout.mapping, request.array)) {
    spec.width = 16 / static_cast<int>(itemsize(request.array));
  }
  spec.wide_index = layout.wide_index;
  return spec;
}

codegen::ReductionSpec specialize(codegen::ReductionSpec spec, const layout::Reduction& layout,
                                  std::span<const ReductionOperand> inputs, DeviceKind device) {
  if (device == DeviceKind::cpu) return spec;
  spec.mapping = mapping_of(layout, spec.ordered);
  spec.kept_rank = static_cast<int>(std::max<std::size_t>(layout.kept().size(), 1));
  spec.reduced_rank = static_cast<int>(std::max<std::size_t>(layout.reduced().size(), 1));
  spec.width = width_of(spec, layout, inputs);
  spec.wide_index = layout.outputs() > tuning::kMaxNarrowIndex || layout.count() > tuning::kMaxNarrowIndex;
  return spec;
}

std::vector<ReductionClass> usual_classes(DType array, bool ordered) {
  if (ordered) return {{.mapping = Mapping::thread}};
  std::vector<ReductionClass> classes;
  for (const Mapping mapping : {Mapping::block, Mapping::warp, Mapping::columns, Mapping::thread}) {
    classes.push_back({.mapping = mapping});
    if (reads_packs(mapping, array)) classes.push_back({.mapping = mapping, .packs = false});
  }
  return classes;
}

std::vector<ReductionClass> usual_segment_classes(bool ordered) {
  std::vector<ReductionClass> classes;
  for (const std::uint8_t rank : {std::uint8_t{1}, std::uint8_t{2}}) {
    for (const Mapping mapping : {Mapping::thread, Mapping::warp, Mapping::block, Mapping::columns}) {
      if (ordered && mapping != Mapping::thread) continue;
      if (rank == 2 || mapping != Mapping::columns) {
        classes.push_back({.mapping = mapping, .kept_rank = rank, .segmented = true});
      }
    }
  }
  return classes;
}

std::int64_t state_bytes(const codegen::ReductionSpec& spec) noexcept {
  // Beside an accumulator may stand whether any element has counted, padded to its alignment.
  if (spec.stages) return spec.state_bytes + (spec.masked ? static_cast<std::int64_t>(kinds::kAccumulatorBytes) : 0);
  const DType loop = spec.inputs.front().compute;
  const bool half = is_half(loop);
  const auto accumulator = static_cast<std::int64_t>(half ? itemsize(DType::float32) : itemsize(loop));
  return spec.masked && !spec.identity ? 2 * accumulator : accumulator;
}

std::uint64_t bits_of(const codegen::ReductionSpec& spec) noexcept {
  std::uint64_t bits = spec.masked ? 1 : 0;
  const auto add = [&bits](std::uint64_t value, int shift) { bits |= value << shift; };
  add(static_cast<std::uint64_t>(spec.mapping), 1);
  add(spec.wide_index ? 1 : 0, 4);
  add(spec.segmented ? 1 : 0, 5);
  add(static_cast<std::uint64_t>(spec.width), 8);
  add(static_cast<std::uint64_t>(spec.kept_rank), 16);
  add(static_cast<std::uint64_t>(spec.reduced_rank), 24);
  return bits;
}

}  // namespace kiln::ufunc
