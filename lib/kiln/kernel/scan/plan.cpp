#include "kernel/scan/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/ceil_div.hpp"

namespace kiln::kinds {
namespace {

constexpr int kLaneBits = 5;  // of kernels-src/scan/team_gpu.hpp: 32 lanes, and 8 warps of a block
constexpr int kWarpBits = 3;
/// The widest access of a thread.
constexpr std::int64_t kAccessBytes = 16;
/// What a GPU moves at least.
constexpr std::int64_t kSectorBytes = 32;
/// Two blocks for each multiprocessor of a large device. Lines of fewer blocks are cut, although the elements are then read
/// twice.
constexpr std::int64_t kEnoughBlocks = 256;
/// Blocks that lines are cut into: several for each place that a large device has, so that all its places end at about one
/// time.
constexpr std::int64_t kBlocksOfChunks = 2048;
/// A line of so few tiles is sooner done by one team than by two launches.
constexpr std::int64_t kTilesOfOneTeam = 4;

using base::ceil_div;

/// The exponent of the largest power of 2 that is not above n, at most `most`.
int bits_below(std::int64_t n, int most) noexcept {
  return n < 1 ? 0 : std::min(most, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1);
}
/// The exponent of the smallest power of 2 that is not below n, at most `most`.
int bits_above(std::int64_t n, int most) noexcept {
  return std::min(most, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))));
}

}  // namespace

ScanTile scan_tile(const ScanSpec& spec) noexcept {
  const auto bytes = [](DType dtype) { return static_cast<std::int64_t>(itemsize(dtype)); };
  const std::int64_t largest = std::max({bytes(spec.input.storage), bytes(spec.input.compute), bytes(spec.output)});
  // More than 16 elements of a thread would not fit into its registers.
  const auto width = static_cast<int>(std::min<std::int64_t>(kAccessBytes / largest, 8));
  return {.width = width, .packs = spec.code == ScanCode::large ? 1 : std::clamp(16 / width, 1, 4)};
}

std::vector<ScanLayout> stand_ins(const ScanLayout& layout, const ScanSpec& spec) {
  // Kernels group differently, which floating numbers show.
  if (layout.looks_back && kind(spec.input.compute) <= Kind::integer) return {layout, {}};
  return {layout};
}

ScanPlan scan_plan(const ScanLaunch& launch) noexcept {
  std::int64_t lines = 1;
  std::int64_t nearest = INT64_MAX;
  for (std::size_t d = 0; d < launch.shape.size(); ++d) {
    lines *= launch.shape[d];
    if (launch.shape[d] > 1) nearest = std::min(nearest, std::abs(launch.input_strides[d]));
  }
  const std::int64_t pack = std::int64_t{launch.tile.width} * launch.tile.packs;
  ScanPlan plan;
  // Adjacent lanes read what is adjacent: elements of a line, or of neighbouring lines.
  const bool along = std::abs(launch.input_stride) < nearest;
  const std::int64_t neighbours = along ? 1 : std::max<std::int64_t>(launch.shape.back(), 1);
  const int most = kLaneBits - bits_above(neighbours, kLaneBits);
  plan.lane_bits = bits_below(launch.extent / pack, most);
  const auto blocks = [&] {
    return ceil_div(lines << plan.lane_bits, std::int64_t{1} << (kLaneBits + kWarpBits - plan.warp_bits));
  };
  const auto tile = [&] { return pack << (plan.lane_bits + plan.warp_bits); };
  while (plan.warp_bits < kWarpBits && blocks() < kEnoughBlocks && 2 * tile() <= launch.extent) ++plan.warp_bits;
  // Fewer neighbours, as long as they are whole sectors.
  while (plan.lane_bits < kLaneBits && blocks() < kEnoughBlocks && 2 * tile() <= launch.extent &&
         (kSectorBytes << plan.lane_bits) < launch.itemsize << kLaneBits) {
    ++plan.lane_bits;
  }
  plan.blocks = blocks();
  plan.chunk = launch.extent;
  if (plan.blocks >= kEnoughBlocks || launch.extent <= kTilesOfOneTeam * tile()) return plan;
  if (launch.looks_back) {
    plan.tiles = 1;
  } else {
    // A team looks through the totals of all chunks before its own: they should not be more than its elements.
    const auto least = static_cast<std::int64_t>(std::sqrt(static_cast<double>(launch.extent)));
    plan.tiles = ceil_div(std::max(ceil_div(launch.extent * plan.blocks, kBlocksOfChunks), least), tile());
  }
  plan.chunk = plan.tiles * tile();
  plan.chunks = ceil_div(launch.extent, plan.chunk);
  return plan;
}

bool may_look_back(const ScanLaunch& launch) noexcept {
  const ScanPlan plan = scan_plan(launch);
  return launch.reorderable && plan.chunks > 1 && plan.lane_bits == kLaneBits && plan.warp_bits == kWarpBits;
}

}  // namespace kiln::kinds
