#include "kernel/reduction/plan.hpp"

#include <algorithm>
#include <cstdint>

#include "device/kernel_abi.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/reduction/spec.hpp"
#include "kernel/space.hpp"
#include "types/each_dtype.hpp"

namespace kiln::kinds {
namespace {

// Elements up to which one thread takes an output, and a warp does.
constexpr std::int64_t kThreadElements = 16;
constexpr std::int64_t kWarpElements = 2048;
// Outputs that warps need to fill a GPU; with fewer, blocks do it better.
constexpr std::int64_t kWarpOutputs = 1024;
constexpr std::int64_t kBlockElements = 256;
// States of the columns of a thread, which are in its registers.
constexpr std::int64_t kMostColumnBytes = 128;

Mapping mapping_of(const layout::Reduction& layout, bool ordered) noexcept {
  const std::int64_t columns = layout.kept().empty() ? 1 : layout.kept().back();
  if (ordered) return Mapping::thread;
  if (layout.columns_inside() && columns >= kSideBySideOutputs) return Mapping::columns;
  if (layout.count() <= kThreadElements) return Mapping::thread;
  if (layout.count() < kBlockElements) return Mapping::warp;
  return layout.count() <= kWarpElements && layout.outputs() >= kWarpOutputs ? Mapping::warp : Mapping::block;
}

/// Whether every row of what is read in packs begins on the boundary of a pack of so many elements, and fills packs: rows of
/// outputs by columns, else of elements.
bool divides(const layout::Reduction& layout, std::span<const ReductionOperand> inputs, const ReductionClass& how,
             std::int64_t width) noexcept {
  const bool columns = how.mapping == Mapping::columns;
  const std::span<const std::int64_t> extents = columns ? layout.kept() : layout.reduced();
  if (extents.empty() || extents.back() % width != 0) return false;
  const std::size_t rank = layout.kept().size() + layout.reduced().size();
  const std::size_t axis = (columns ? layout.kept().size() : rank) - 1;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (how.is_still(k)) continue;
    const std::int64_t pack = width * inputs[k].itemsize;
    const std::int64_t* const strides = layout.strides(k);
    if (strides[axis] != inputs[k].itemsize ||
        reinterpret_cast<std::uintptr_t>(inputs[k].address) % static_cast<std::uintptr_t>(pack) != 0) {
      return false;
    }
    for (std::size_t d = 0; d < rank; ++d) {
      if (d != axis && strides[d] % pack != 0) return false;
    }
  }
  return true;
}

/// 1 where nothing moves, or is too large.
std::int64_t widest_pack(std::int64_t largest) noexcept {
  return largest == 0 ? 1 : 16 / largest;
}

}  // namespace

void classify(const layout::Reduction& layout, std::span<const ReductionOperand> inputs, bool ordered, ReductionClass& how) {
  how.mapping = mapping_of(layout, ordered);
  how.kept_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.kept().size(), 1));
  how.reduced_rank = static_cast<std::uint8_t>(std::max<std::size_t>(layout.reduced().size(), 1));
  how.wide_index = layout.outputs() > kMaxNarrowIndex || layout.count() > kMaxNarrowIndex;
  std::int64_t largest = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) largest = how.is_still(k) ? largest : std::max(largest, inputs[k].itemsize);
  const std::int64_t width = widest_pack(largest);
  how.packs = ordered || width == 1 || divides(layout, inputs, how, width);
}

namespace {

/// All that a call may run, its own first.
std::vector<Mapping> mappings_of(const ReductionClass& how, bool ordered) {
  std::vector<Mapping> all{how.mapping};
  for (const Mapping other : {Mapping::block, Mapping::warp, Mapping::thread, Mapping::columns}) {
    const bool there = !how.segmented || other == Mapping::warp || other == Mapping::columns;
    if (!ordered && there && other != how.mapping) all.push_back(other);
  }
  return all;
}

}  // namespace

namespace {

/// Adds the classes again, with raw inputs that may lie anyhow.
void add_any_raw(std::vector<ReductionClass>& all, std::size_t raw) {
  for (std::size_t i = 0, own = raw > 0 ? all.size() : 0; i < own; ++i) {
    all.push_back(all[i]);
    for (std::size_t k = 0; k < raw; ++k) {
      all.back().raw.set(k, {.rank = all[i].raw.get(k).rank, .packed = false, .wide = true});
    }
  }
}

}  // namespace

std::vector<ReductionClass> stand_ins(const ReductionClass& how, std::size_t inputs, bool ordered, DeviceKind device,
                                      std::size_t raw) {
  std::vector<ReductionClass> all{how};
  ReductionClass moving = how;  // one value for all elements is read as any other
  for (std::size_t k = 0; k < inputs; ++k) {
    if (how.access_of(k) == Access::broadcast) moving.set_access(k, Access::contiguous);
  }
  if (how.segmented) moving.set_access(0, Access::strided);
  if (device == DeviceKind::cpu) {
    if (!(moving == how)) all.push_back(moving);
    add_any_raw(all, raw);
    return all;
  }
  // A segment's elements begin at a stride of the one reduced dimension.
  const int most_reduced = how.segmented ? how.reduced_rank : kMaxKernelRank;
  for (const ReductionClass& access : moving == how ? std::vector{how} : std::vector{how, moving}) {
    for (int kept = how.kept_rank; kept <= kMaxKernelRank; ++kept) {
      for (int reduced = how.reduced_rank; reduced <= most_reduced; ++reduced) {
        for (const Mapping mapping : mappings_of(how, ordered)) {
          for (const bool wide : {how.wide_index, true}) {
            ReductionClass other = access;
            other.kept_rank = static_cast<std::uint8_t>(kept);
            other.reduced_rank = static_cast<std::uint8_t>(reduced);
            other.mapping = mapping;
            other.wide_index = wide;
            // Packs are known to fit where the class has some along the same axes.
            other.packs = how.packs && (mapping == Mapping::columns) == (how.mapping == Mapping::columns) && access == how;
            if (other.packs) all.push_back(other);
            other.packs = false;
            all.push_back(other);
          }
        }
      }
    }
  }
  add_any_raw(all, raw);
  return all;
}

std::vector<ReductionClass> of_all_sizes(const ReductionClass& how, bool ordered, DeviceKind device, std::size_t raw) {
  std::vector<ReductionClass> all{how};
  if (device == DeviceKind::cpu) {
    add_any_raw(all, raw);
    return all;
  }
  for (const Mapping mapping : mappings_of(how, ordered)) {
    for (const bool packs : {true, false}) {
      if (!packs && ordered) continue;
      all.push_back(how);
      all.back().mapping = mapping;
      all.back().packs = packs;
      all.back().wide_index = false;
    }
  }
  // Of so many elements any mapping keeps a GPU busy.
  all.push_back(how);
  all.back().packs = false;
  all.back().wide_index = true;
  add_any_raw(all, raw);
  return all;
}

int pack_width(const ReductionClass& how, std::span<const DType> inputs) noexcept {
  if (how.segmented) return 1;
  // A mask moves, too.
  std::int64_t largest = how.masked ? 1 : 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!how.is_still(k)) largest = std::max(largest, static_cast<std::int64_t>(itemsize(inputs[k])));
  }
  return static_cast<int>(widest_pack(largest));
}

ReductionSpec specialize(ReductionSpec spec, std::span<const DType> storage, const ReductionClass& how, DeviceKind device) {
  const std::size_t inputs = spec.inputs.size();
  std::size_t raw = 0;
  for (std::size_t k = 0; k < inputs; ++k) {
    spec.inputs[k].storage = storage[k];
    if (spec.inputs[k].access == Access::raw) {
      spec.inputs[k].axes = how.raw.get(raw++);
    } else {
      spec.inputs[k].access = how.access_of(k);
    }
  }
  spec.read_outputs = how.read_outputs;
  spec.in_rank = how.in_rank;
  spec.out_rank = how.out_rank;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) spec.outputs[k].storage = storage[inputs + k];
  spec.masked = how.masked;
  if (device == DeviceKind::cpu) return spec;
  spec.mapping = spec.part ? Mapping::block : how.mapping;
  spec.kept_rank = how.kept_rank;
  spec.reduced_rank = how.reduced_rank;
  spec.segmented = how.segmented;
  spec.width = how.packs && !spec.ordered && !spec.part ? pack_width(how, storage.first(inputs)) : 1;
  if (how.mapping == Mapping::columns) {
    while (spec.width > 1 && spec.width * state_bytes(spec) > kMostColumnBytes) spec.width /= 2;
  }
  spec.wide_index = how.wide_index;
  return spec;
}

bool commutes(DType dtype, bool identity) noexcept {
  return identity || kind(dtype) != Kind::complex;
}

std::int64_t state_bytes(const ReductionSpec& spec) noexcept {
  // Beside an accumulator may stand whether any element has counted, padded to its alignment.
  if (spec.stages) return spec.state_bytes + (spec.masked ? static_cast<std::int64_t>(kAccumulatorBytes) : 0);
  const DType loop = spec.inputs.front().compute;
  const bool half = is_half(loop);
  const auto accumulator = static_cast<std::int64_t>(half ? itemsize(DType::float32) : itemsize(loop));
  return spec.masked && !spec.identity ? 2 * accumulator : accumulator;
}

}  // namespace kiln::kinds
