#include "ufunc/tiling.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "base/ceil_div.hpp"
#include "device/backend.hpp"
#include "kernel/elementwise/tiles.hpp"
#include "kernel/space.hpp"

namespace kiln::ufunc {
namespace {

/// What GPUs read and write memory in: along an axis of smaller strides the lanes of a warp share it.
constexpr std::int64_t kSector = 32;

class Chooser {
 public:
  Chooser(const Placement& at, kinds::Masking masking) : at_(at), masking_(masking) {}

  [[nodiscard]] Tiling choose() const {
    const int rank = at_.iteration.rank();
    // The other dimensions are not the kernel's: it is launched for each of their indices.
    const int first = std::max(rank - backend::kMaxKernelRank, 0);
    Tiling best;
    std::int64_t most = 0;
    for (int dimension = rank - 2; dimension >= first; --dimension) {
      const Tiling tiling = along(dimension);
      if (tiling.across == 0 || !fits(tiling)) continue;
      std::int64_t bytes = 0;
      for (std::size_t k = 0; k < at_.operands.size(); ++k) {
        if ((tiling.across >> k & 1U) != 0) bytes += at_.operands[k].itemsize;
      }
      if (bytes <= most) continue;
      most = bytes;
      best = tiling;
    }
    // Of smaller extents most lanes have no element, and the few lines that a short axis touches stay in the cache.
    best.pays = best.across != 0 && std::min(extent(best.dimension), extent(rank - 1)) >= kinds::kSmallestTileSide;
    return best;
  }

 private:
  [[nodiscard]] std::int64_t extent(int dimension) const { return at_.iteration.shape()[static_cast<std::size_t>(dimension)]; }

  [[nodiscard]] bool lies_across(std::size_t operand, int dimension) const {
    if (at_.operands[operand].scalar != nullptr) return false;
    const std::int64_t near = std::abs(at_.iteration.strides(operand)[static_cast<std::size_t>(dimension)]);
    const std::int64_t far = std::abs(at_.iteration.inner_stride(operand));
    return near != 0 && near < kSector && near < far;
  }

  [[nodiscard]] Tiling along(int dimension) const {
    Tiling tiling{.dimension = static_cast<std::uint8_t>(dimension)};
    std::int64_t widest = 0;
    for (std::size_t k = 0; k < at_.operands.size(); ++k) {
      if (lies_across(k, dimension)) widest = std::max(widest, at_.operands[k].itemsize);
    }
    tiling.side = static_cast<std::uint8_t>(kinds::tile_side(widest));
    // What has no room is read and written as it lies.
    std::int64_t room = kinds::kTileBytes;
    if (masking_ == kinds::Masking::keep) room -= kinds::tile_bytes(tiling.side, 1);
    for (std::size_t k = 0; k < at_.operands.size(); ++k) {
      if (!lies_across(k, dimension)) continue;
      const std::int64_t bytes = kinds::tile_bytes(tiling.side, at_.operands[k].itemsize);
      if (bytes > room) continue;
      room -= bytes;
      tiling.across |= std::uint32_t{1} << k;
    }
    return tiling;
  }

  /// Whether the kernel can count the tiles.
  [[nodiscard]] bool fits(const Tiling& tiling) const {
    const int inner = at_.iteration.rank() - 1;
    const int first = std::max(inner + 1 - backend::kMaxKernelRank, 0);
    std::int64_t tiles = 1;
    for (int d = first; d <= inner; ++d) {
      const bool cut = d == inner || d == tiling.dimension;
      if (cut && extent(d) > kinds::kMaxNarrowIndex) return false;
      tiles *= cut ? base::ceil_div(extent(d), std::int64_t{tiling.side}) : extent(d);
      if (tiles > kinds::kMaxNarrowIndex) return false;
    }
    return true;
  }

  const Placement& at_;
  kinds::Masking masking_;
};

}  // namespace

Tiling tiling_of(const Placement& placement, kinds::Masking masking) noexcept {
  return Chooser(placement, masking).choose();
}

}  // namespace kiln::ufunc
