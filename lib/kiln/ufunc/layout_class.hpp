// What of a call's layout decides its variant, in terms that hold for every processor, and the variant that one runs for it.
// Pure: calls and manifests choose by the same functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "call/operands.hpp"
#include "kernel/operand_spec.hpp"
#include "kernel/raw_axes_list.hpp"
#include "kiln/ufunc.hpp"
#include "layout/iteration.hpp"
#include "ufunc/loops.hpp"

namespace kiln::kinds {
struct ElementwiseSpec;
enum class Walk : std::uint8_t;
}  // namespace kiln::kinds

namespace kiln::ufunc {

/// How a GPU would go over a call's operands by tiles (kernels-src/elementwise/gpu_tiles.hpp).
struct Tiling {
  std::uint32_t across = 0;  ///< operands that go through tiles, a bit for each; 0: there is no use for tiles
  std::uint8_t side = 0;
  std::uint8_t dimension = 0;  ///< of the iteration, along which their neighbours lie
  bool pays = false;           ///< extents are long enough
};

/// How the contiguous operands of a GPU's kernel divide into packs. Each kernel but `peeled` and `strips` is right for a layout
/// that a wider one is right for.
enum class Packing : std::uint8_t {
  whole,   ///< into aligned packs of 16 bytes, row by row
  narrow,  ///< into aligned packs of fewer bytes
  single,  ///< into elements
  peeled,  ///< of one dimension: into whole packs, from the same element of all operands on
  strips,  ///< rows are long enough for 32 lanes, and begin and end anywhere
};

struct LayoutClass {
  std::uint64_t access = 0;                       ///< kinds::Access in two bits for each operand, inputs first
  std::uint8_t rank = 1;                          ///< merged dimensions, at most backend::kMaxKernelRank
  Packing packs = Packing::whole;                 ///< (GPU)
  bool wide_index = false;                        ///< 2³¹ elements or more (GPU)
  bool in_place = false;                          ///< an output is also an input (GPU)
  std::uint8_t tile = 0;                          ///< side of the tiles that it is computed by (GPU); 0: none
  std::uint32_t across = 0;                       ///< strided operands that go through them, a bit for each
  kinds::Masking masking = kinds::Masking::none;  ///< otherwise the mask is the operand behind the arguments
  kinds::RawAxesList raw = {};                    ///< the axes of each raw operand
  bool reads_outputs = false;                     ///< those that are inout begin as what their arrays hold

  static constexpr std::size_t kMostRaw = kinds::RawAxesList::kMost - 1;  ///< and the index along each axis, if it is asked for
  static constexpr std::size_t kMaxRawRank = kinds::RawAxesList::kMaxRank;
  /// The axes of the raw operand of that number among those that are raw.
  [[nodiscard]] kinds::RawAxesSpec raw_axes(std::size_t number) const noexcept { return raw.get(number); }
  void set_raw_axes(std::size_t number, const kinds::RawAxesSpec& axes) noexcept { raw.set(number, axes); }
  [[nodiscard]] kinds::Access access_of(std::size_t operand) const noexcept {
    return static_cast<kinds::Access>((access >> (2 * operand)) & 3U);
  }
  void set_access(std::size_t operand, kinds::Access how) noexcept {
    access = (access & ~(std::uint64_t{3} << (2 * operand))) | static_cast<std::uint64_t>(how) << (2 * operand);
  }
  [[nodiscard]] bool any_strided(std::size_t operands) const noexcept {
    for (std::size_t i = 0; i < operands; ++i) {
      if (access_of(i) == kinds::Access::strided) return true;
    }
    return false;
  }
  friend bool operator==(const LayoutClass&, const LayoutClass&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    const std::uint64_t rest = std::uint64_t{across} << 32 | std::uint64_t{tile} << 24 | std::uint64_t{reads_outputs} << 20 |
                               static_cast<std::uint64_t>(masking) << 18 | static_cast<std::uint64_t>(in_place) << 17 |
                               static_cast<std::uint64_t>(wide_index) << 16 | static_cast<std::uint64_t>(packs) << 8 | rank;
    return base::KeyHash().add(access).add(rest).add(raw.words[0]).add(raw.words[1]).value();
  }
};

/// What the operands of a call have in common with their iteration. `operands` are inputs, then outputs; `inputs` of them.
struct Placement {
  const layout::Iteration& iteration;
  std::span<const call::Operand> operands;
  std::size_t inputs;
  std::uint64_t raw = 0;  ///< a bit for each operand that is not broadcast
};

/// How the kernel reaches the operand.
[[nodiscard]] kinds::Access access_of(const Placement& placement, std::size_t operand) noexcept;
/// LayoutClass::packs.
[[nodiscard]] Packing packing_of(const Placement& placement) noexcept;
/// The walk of a kernel for the layout, of which some operand has packs of several elements.
[[nodiscard]] kinds::Walk walk_of(const LayoutClass& layout) noexcept;
/// Whether a CPU's outputs are worth storing past the cache, and may be.
[[nodiscard]] bool stores_past_cache(const Placement& placement) noexcept;

/// The variant of a loop for operands that are stored as `storage` (inputs, the mask if there is one, then outputs; a scalar as
/// its loop's dtype).
[[nodiscard]] kinds::ElementwiseSpec specialize(const Loop& loop, std::span<const DType> storage, const LayoutClass& layout,
                                                DeviceKind kind);

/// The class itself, then others whose kernels are right for a call of it, the nearest first: with strides where an operand
/// needs none, without tiles or packs, with wider indices, with more dimensions, for outputs that may be inputs. `tiling`: by
/// those tiles, too, where they do not pay. `raw`: how many operands are raw; those may lie anyhow in the last.
[[nodiscard]] std::vector<LayoutClass> stand_ins(const LayoutClass& layout, std::size_t operands, DeviceKind kind,
                                                 const Tiling& tiling = {}, std::size_t raw = 0);
/// What calls with arrays of other sizes have in common.
struct CallForm {
  std::size_t operands;
  std::size_t inputs;  ///< of the operands, with the mask
  std::size_t dimensions;
  Tiling tiling = {};
  std::size_t raw = 0;  ///< operands that are not broadcast
};
/// The class itself, then those of the same call with arrays of other sizes and alignments. Where extents of 1 change the
/// layout, the last stands in for all that they lead to.
[[nodiscard]] std::vector<LayoutClass> of_all_sizes(const LayoutClass& layout, const CallForm& form, DeviceKind kind);

/// The loop's own dtypes, inputs then outputs, with bool between them for a mask: what operands that need no cast are stored
/// as.
[[nodiscard]] std::vector<DType> dtypes_of(const Loop& loop, kinds::Masking masking = kinds::Masking::none);

/// "contiguous", "inner-contiguous", "tiled", "strided".
[[nodiscard]] std::string_view variant_name(const LayoutClass& layout, std::size_t operands) noexcept;

}  // namespace kiln::ufunc
