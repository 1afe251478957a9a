#include "ufunc/layout_class.hpp"

#include <algorithm>
#include <bit>

#include "base/ceil_div.hpp"
#include "device/backend.hpp"
#include "device/kernel_abi.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kernel/space.hpp"
#include "kernels-src/elementwise/abi.hpp"
#include "ufunc/tuning.hpp"

namespace kiln::ufunc {
namespace {

using kinds::Access;
using kinds::kStripLanes;

std::uintptr_t address(const char* data) noexcept {
  return reinterpret_cast<std::uintptr_t>(data);
}

/// The widest pack of those operands that are contiguous: its width in elements.
class PackWidth {
 public:
  void add(std::int64_t itemsize) noexcept {
    narrowest_ = std::min(narrowest_, itemsize);
    widest_ = std::max(widest_, itemsize);
  }
  [[nodiscard]] std::int64_t elements() const noexcept { return tuning::width(narrowest_, widest_); }

 private:
  std::int64_t narrowest_ = 16;
  std::int64_t widest_ = 0;
};

bool overwrites_input(const Placement& at) noexcept {
  for (const call::Operand& output : at.operands.subspan(at.inputs)) {
    for (const call::Operand& input : at.operands.first(at.inputs)) {
      if (output.rep != nullptr && input.rep != nullptr && output.rep->data == input.rep->data) return true;
    }
  }
  return false;
}

}  // namespace

Access access_of(const Placement& at, std::size_t operand) noexcept {
  if (at.operands[operand].scalar != nullptr) return Access::scalar;
  if ((at.raw >> operand & 1U) != 0) return Access::broadcast;
  const std::int64_t stride = at.iteration.inner_stride(operand);
  if (stride == at.operands[operand].itemsize) return Access::contiguous;
  return stride == 0 ? Access::broadcast : Access::strided;
}

namespace {

/// Whether packs of so many elements that begin with that one are aligned, of every contiguous operand and in every row.
bool aligned_from(const Placement& at, std::int64_t element, std::int64_t width) noexcept {
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    if (access_of(at, i) != Access::contiguous) continue;
    const call::Operand& operand = at.operands[i];
    const std::uintptr_t alignment = kinds::pack_alignment(width, operand.itemsize);
    // Fresh outputs are aligned and packed, but their rows are as long as the loop's.
    const std::uintptr_t begin = operand.rep == nullptr ? 0 : address(operand.rep->data + at.iteration.offset(i));
    if ((begin + static_cast<std::uintptr_t>(element * operand.itemsize)) % alignment != 0) return false;
    for (const std::int64_t stride : at.iteration.strides(i).first(at.iteration.shape().size() - 1)) {
      if (stride % static_cast<std::int64_t>(alignment) != 0) return false;
    }
  }
  return true;
}

}  // namespace

Packing packing_of(const Placement& at) noexcept {
  const auto shape = at.iteration.shape();
  PackWidth packs;
  bool flat = shape.size() == 1;
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    const Access access = access_of(at, i);
    flat &= access != Access::strided;
    if (access == Access::contiguous) packs.add(at.operands[i].itemsize);
  }
  const std::int64_t width = packs.elements();
  if (width == 1) return Packing::whole;
  // The flat kernel handles a rest that fills no pack; rows of the n-dimensional one must be whole packs.
  const auto divides = [&](std::int64_t by) { return (flat || shape.back() % by == 0) && aligned_from(at, 0, by); };
  if (divides(width)) return Packing::whole;
  if (at.iteration.size() > kinds::kMaxNarrowIndex) return Packing::single;
  for (std::int64_t head = 1; flat && head < width; ++head) {
    if (aligned_from(at, head, width)) return Packing::peeled;
  }
  // What needs the fewest threads, of which each computes its place.
  const std::int64_t strip = base::ceil_div(shape.back(), kStripLanes * tuning::strip(width));
  const std::int64_t narrow = tuning::narrow(width);
  if (!flat && narrow > 1 && divides(narrow) && shape.back() / narrow <= strip * kStripLanes) return Packing::narrow;
  return flat || shape.back() > strip * kStripLanes ? Packing::strips : Packing::single;
}

kinds::Walk walk_of(const LayoutClass& layout) noexcept {
  if (layout.tile > 0) return kinds::Walk::packs;
  return layout.packs == Packing::peeled   ? kinds::Walk::peeled
         : layout.packs == Packing::strips ? kinds::Walk::strips
                                           : kinds::Walk::packs;
}

bool stores_past_cache(const Placement& at) noexcept {
  // Elements of all operands have 512 bytes at most.
  if (at.iteration.rank() != 1 || at.iteration.size() < tuning::kNontemporalBytes / 512) return false;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < at.operands.size(); ++i) {
    const call::Operand& operand = at.operands[i];
    const Access access = access_of(at, i);
    if (access == Access::scalar || access == Access::broadcast) continue;
    // Gathering and such stores do not go together: 0.53 ns an element instead of 0.43 for every other one of 2e7 float32.
    if (access == Access::strided) return false;
    bytes += at.iteration.size() * operand.itemsize;
    if (i < at.inputs) continue;
    // Fresh outputs are aligned.
    if (operand.rep != nullptr && address(operand.rep->data) % 64 != 0) return false;
  }
  return bytes >= tuning::kNontemporalBytes && !overwrites_input(at);
}

namespace {

/// Elements of a pack, or of a thread of a strip, where whole packs have so many.
std::int64_t width_of(Packing packs, std::int64_t whole) noexcept {
  if (packs == Packing::single || whole == 1) return 1;
  if (packs == Packing::narrow) return tuning::narrow(whole);
  return packs == Packing::strips ? tuning::strip(whole) : whole;
}

}  // namespace

kinds::ElementwiseSpec specialize(const Loop& loop, std::span<const DType> storage, const LayoutClass& layout,
                                  DeviceKind kind) {
  kinds::ElementwiseSpec spec;
  PackWidth packs;
  std::int64_t element_bytes = 0;  // of the inputs that each element loads
  std::size_t raw = 0;
  spec.masking = layout.masking;
  spec.arguments = loop.inputs.size();
  const std::size_t inputs = spec.arguments + (spec.masking != kinds::Masking::none ? 1 : 0);
  for (std::size_t i = 0; i < storage.size(); ++i) {
    const bool across = (layout.across >> i & 1U) != 0;
    const Access how = across ? Access::across : layout.access_of(i);
    const auto size = static_cast<std::int64_t>(itemsize(storage[i]));
    if (how != Access::scalar && loop.is_raw(i < spec.arguments ? i : i - inputs + spec.arguments) &&
        (i < spec.arguments || i >= inputs)) {
      auto& operands = i < inputs ? spec.inputs : spec.outputs;
      operands.push_back({storage[i], storage[i], Access::raw, layout.raw_axes(raw++)});
      continue;
    }
    if (i < inputs) {
      spec.inputs.push_back({storage[i], i < spec.arguments ? loop.inputs[i] : DType::bool_, how});
    } else {
      spec.outputs.push_back({storage[i], loop.outputs[i - inputs], how});
    }
    if (how == Access::contiguous) packs.add(size);
    // What goes through tiles is there when an element is computed.
    if (i < inputs && (how == Access::contiguous || how == Access::strided)) element_bytes += size;
  }
  for (std::size_t o = 0; layout.reads_outputs && o < spec.outputs.size(); ++o) {
    if ((loop.inout >> o & 1U) == 0) continue;
    spec.inputs.push_back(spec.outputs[o]);
    spec.read_outputs.push_back(o);
  }
  spec.place = loop.place;
  if (spec.place.indexer) spec.indexer_rank = layout.raw_axes(raw).rank;
  if (kind == DeviceKind::cpu) {
    spec.finds_races = loop.finds_races;
    // A kernel that reads and writes the same window needs no care on the CPU: its loads come first, and it claims no
    // __restrict__.
    spec.rank = std::min<int>(layout.rank, 2);
    if (spec.masking == kinds::Masking::keep) {
      for (const kinds::OperandSpec& output : spec.outputs) {
        spec.inputs.push_back({output.storage, output.storage, output.access});
      }
    }
    return spec;
  }
  spec.rank = layout.rank;
  spec.tile = layout.tile;
  spec.width = spec.tile > 0 ? 1 : static_cast<int>(width_of(layout.packs, packs.elements()));
  if (packs.elements() > 1) spec.walk = walk_of(layout);
  spec.unroll = spec.tile > 0                      ? tuning::tile_unroll(element_bytes)
                : spec.walk == kinds::Walk::strips ? 1
                                                   : tuning::unroll(element_bytes * spec.width);
  spec.wide_index = layout.wide_index && layout.tile == 0;  // tiles are fewer than 2³¹
  spec.aliased = layout.in_place;
  return spec;
}

namespace {

/// The layout with strides for some more operands: any of those that may have them, or all, where they are too many to try.
std::vector<LayoutClass> with_strides(const LayoutClass& layout, std::size_t operands) {
  constexpr std::size_t kFew = 5;
  std::vector<std::size_t> plain;
  for (std::size_t i = 0; i < operands; ++i) {
    const Access how = layout.access_of(i);
    if (how == Access::contiguous || how == Access::broadcast) plain.push_back(i);
  }
  std::vector<std::uint64_t> chosen{0};
  const std::uint64_t all = (std::uint64_t{1} << plain.size()) - 1;
  for (std::uint64_t set = 1; plain.size() <= kFew && set < all; ++set) chosen.push_back(set);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](std::uint64_t a, std::uint64_t b) { return std::popcount(a) < std::popcount(b); });
  if (all != 0) chosen.push_back(all);
  std::vector<LayoutClass> made;
  for (const std::uint64_t set : chosen) {
    made.push_back(layout);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if ((set >> i & 1) != 0) made.back().set_access(plain[i], Access::strided);
    }
  }
  return made;
}

/// The values that a member of a stand-in may have: its own, and the one that is right for both.
template <class T>
std::vector<T> own_or(T own, T general) {
  return own == general ? std::vector{own} : std::vector{own, general};
}

LayoutClass by_tiles(LayoutClass layout, const Tiling& tiling) {
  layout.tile = tiling.side;
  layout.across = tiling.across;
  return layout;
}

/// The layout whose raw operands may lie anyhow.
LayoutClass with_any_raw(LayoutClass layout, std::size_t raw) {
  for (std::size_t i = 0; i < raw; ++i) {
    layout.set_raw_axes(i, {.rank = layout.raw_axes(i).rank, .packed = false, .wide = true});
  }
  return layout;
}

}  // namespace

std::vector<LayoutClass> stand_ins(const LayoutClass& layout, std::size_t operands, DeviceKind kind, const Tiling& tiling,
                                   std::size_t raw) {
  const bool gpu = kind != DeviceKind::cpu;
  const int most = gpu ? backend::kMaxKernelRank : 2;
  std::vector<LayoutClass> all;
  const auto add_tiled = [&](const Tiling& by) {
    for (const bool in_place : own_or(layout.in_place, true)) {
      all.push_back(by_tiles(layout, by));
      all.back().in_place = in_place;
    }
  };
  if (layout.tile > 0) {
    add_tiled({.across = layout.across, .side = layout.tile});
    const std::vector<LayoutClass> others = stand_ins(by_tiles(layout, {}), operands, kind);
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  for (const LayoutClass& strided : with_strides(layout, operands)) {
    for (int rank = layout.rank; rank <= most; ++rank) {
      // Rows of a kernel for several dimensions are whole packs, of the operands that it reads in packs.
      const bool same = rank == layout.rank && strided == layout;
      for (const Packing packs : own_or(same ? layout.packs : Packing::single, gpu ? Packing::single : layout.packs)) {
        for (const bool wide : own_or(layout.wide_index, gpu)) {
          for (const bool in_place : own_or(layout.in_place, gpu)) {
            all.push_back(strided);
            all.back().rank = static_cast<std::uint8_t>(rank);
            all.back().packs = packs;
            all.back().wide_index = gpu ? wide : layout.wide_index;
            all.back().in_place = gpu ? in_place : layout.in_place;
          }
        }
      }
    }
  }
  if (tiling.across != 0) add_tiled(tiling);
  for (std::size_t i = 0, own = raw > 0 ? all.size() : 0; i < own; ++i) all.push_back(with_any_raw(all[i], raw));
  return all;
}

namespace {

/// Whether every call of the form has this layout: one contiguous array has no other by extents of 1.
bool has_one_layout(const LayoutClass& layout, const CallForm& form) {
  std::size_t arrays = 0;
  for (std::size_t i = 0; i < form.operands; ++i) {
    const Access how = layout.access_of(i);
    if (how == Access::strided || how == Access::broadcast) return false;
    if (i < form.inputs && how != Access::scalar) ++arrays;
  }
  return layout.rank == 1 && arrays < 2;
}

/// The layout whose kernel is right for all calls of the form: extents of 1 decide which operands are broadcast and which
/// dimensions merge.
LayoutClass of_any_extents(const LayoutClass& layout, const CallForm& form, DeviceKind kind) {
  LayoutClass any = by_tiles(layout, {});
  for (std::size_t i = 0; i < form.operands; ++i) {
    if (any.access_of(i) != Access::scalar) any.set_access(i, Access::strided);
  }
  if (kind == DeviceKind::cpu) {
    any.rank = 2;
    return any;
  }
  any.rank = static_cast<std::uint8_t>(std::clamp<std::size_t>(form.dimensions, 1, backend::kMaxKernelRank));
  any.packs = Packing::single;
  any.wide_index = true;
  any.in_place = true;
  return any;
}

}  // namespace

std::vector<LayoutClass> of_all_sizes(const LayoutClass& layout, const CallForm& form, DeviceKind kind) {
  std::vector<LayoutClass> all{layout};
  const auto add = [&all](const LayoutClass& other) {
    if (std::ranges::find(all, other) == all.end()) all.push_back(other);
  };
  if (form.tiling.across != 0) add(by_tiles(layout, form.tiling));
  const bool flat = layout.rank == 1 && !layout.any_strided(form.operands);
  const auto add_packs = [&](Packing packs, bool wide) {
    LayoutClass same = by_tiles(layout, {});
    same.packs = packs;
    same.wide_index = wide;
    add(same);
  };
  if (kind != DeviceKind::cpu) {
    for (const bool wide : {false, true}) {
      for (const Packing packs : {Packing::whole, Packing::single}) add_packs(packs, wide);
    }
    if (flat) add_packs(Packing::peeled, false);
    if (!flat) add_packs(Packing::narrow, false);
    add_packs(Packing::strips, false);
  }
  if (!has_one_layout(layout, form)) add(of_any_extents(layout, form, kind));
  for (std::size_t i = 0, own = form.raw > 0 ? all.size() : 0; i < own; ++i) add(with_any_raw(all[i], form.raw));
  return all;
}

std::vector<DType> dtypes_of(const Loop& loop, kinds::Masking masking) {
  std::vector<DType> dtypes = loop.inputs;
  if (masking != kinds::Masking::none) dtypes.push_back(DType::bool_);
  dtypes.insert(dtypes.end(), loop.outputs.begin(), loop.outputs.end());
  return dtypes;
}

std::string_view variant_name(const LayoutClass& layout, std::size_t operands) noexcept {
  if (layout.tile > 0) return "tiled";
  if (layout.any_strided(operands)) return "strided";
  return layout.rank == 1 ? "contiguous" : "inner-contiguous";
}

}  // namespace kiln::ufunc
