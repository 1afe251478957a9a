#include "kernel/reduction/grid.hpp"

#include <algorithm>
#include <bit>

#include "base/ceil_div.hpp"
#include "device/kernel_abi.hpp"

namespace kiln::kinds {
namespace {

using base::ceil_div;

// Packs of a thread up to which a block takes a whole output: so many steps are as quick as a second launch.
constexpr std::int64_t kWhole = 32;
// Packs of a thread that are loaded at once, and so many that joining the threads of a block costs little beside them: more
// where a state is large, or reading an element costs little.
constexpr std::int64_t kStep = 4;
constexpr std::int64_t kFewSteps = 2;
constexpr std::int64_t kSomeSteps = 4;
constexpr std::int64_t kManySteps = 8;
constexpr std::int64_t kSmallAccumulator = 8;
constexpr std::int64_t kNarrow = 8;  // elements of an access
// Parts of a launch: a few blocks for each multiprocessor, and at most as many waves of blocks as leave the last one no weight.
constexpr std::int64_t kOneWave = 1024;
constexpr std::int64_t kMostParts = 8192;
// Bytes of states that a thread of a balanced reduction has at once in registers, and elements; adjacent outputs that are read
// in whole lines.
constexpr std::int64_t kBalancedBytes = 128;
constexpr std::int64_t kMostBalanced = 8;
constexpr std::int64_t kAdjacent = 32;
// Rows of threads that share long columns, and packs of a thread below which there are fewer.
constexpr std::int64_t kColumnRows = 16;
constexpr std::int64_t kColumnPacks = 8;

std::int64_t power_of_2_from(std::int64_t x) noexcept {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(x, 1))));
}
std::int64_t power_of_2_to(std::int64_t x) noexcept {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(x, 1))));
}

/// Threads of a block that share an output.
std::int64_t rows_of(const ReductionWork& work) noexcept {
  if (work.mapping != ReductionMapping::columns) return kGpuBlock;
  const std::int64_t lanes = std::min<std::int64_t>(power_of_2_from(ceil_div(work.columns, work.width)), kGpuBlock);
  return std::min(
      {power_of_2_to(work.packs / kColumnPacks), std::max(kColumnRows, kGpuBlock / lanes), std::int64_t{kGpuBlock}});
}

/// Blocks that share the parts of all outputs.
std::int64_t groups_of(const ReductionWork& work, std::int64_t rows) noexcept {
  return ceil_div(work.outputs, work.mapping == ReductionMapping::columns ? kGpuBlock / rows * work.width : 1);
}

}  // namespace

ReductionParts parts_of(const ReductionWork& work) noexcept {
  const std::int64_t packs = std::max<std::int64_t>(work.packs, 1);
  const std::int64_t rows = rows_of(work);
  const ReductionParts whole{
      .chunk = packs, .count = 1, .lane_bits = std::countr_zero(static_cast<unsigned>(kGpuBlock / rows))};
  const bool cuts = work.mapping == ReductionMapping::block || work.mapping == ReductionMapping::columns;
  if (!cuts || packs <= kWhole * rows) return whole;
  const std::int64_t all = groups_of(work, rows) * ceil_div(packs, rows);  // packs of a thread, for all blocks
  const std::int64_t least = work.state_bytes > kSmallAccumulator ? kManySteps : work.width >= kNarrow ? kSomeSteps : kFewSteps;
  const std::int64_t steps = all <= kOneWave * kStep ? 1 : std::max(least, ceil_div(ceil_div(all, kMostParts), kStep));
  const std::int64_t each = steps * kStep;
  const std::int64_t chunk = std::min(each * rows, packs);
  return {.chunk = chunk, .count = ceil_div(packs, chunk), .lane_bits = whole.lane_bits};
}

int balanced_elements(std::int64_t state_bytes) noexcept {
  return static_cast<int>(std::clamp<std::int64_t>(power_of_2_to(kBalancedBytes / state_bytes), 1, kMostBalanced));
}

BalancedParts balanced_parts(std::int64_t outputs, std::int64_t columns, std::int64_t elements,
                             std::int64_t state_bytes) noexcept {
  const std::int64_t each = balanced_elements(state_bytes);
  const std::int64_t adjacent = std::min(power_of_2_from(columns), kAdjacent);
  const std::int64_t rows = std::min(power_of_2_from(ceil_div(elements, each)), kGpuBlock / adjacent);
  const std::int64_t lanes = kGpuBlock / rows;
  return {.count = std::max<std::int64_t>(ceil_div(elements, rows * each), 1),
          .groups = ceil_div(outputs, lanes),
          .lane_bits = std::countr_zero(static_cast<unsigned>(lanes))};
}

Grid grid_for(const ReductionWork& work, const ReductionParts& parts, const GridRequest& request) noexcept {
  std::int64_t blocks = 1;
  switch (work.mapping) {
    case ReductionMapping::thread:
      blocks = ceil_div(work.outputs, kGpuBlock);
      break;
    case ReductionMapping::warp:
      blocks = ceil_div(work.outputs, kGpuBlock / std::max(request.warp_size, 1));
      break;
    case ReductionMapping::block:
      blocks = work.outputs * parts.count;
      break;
    case ReductionMapping::columns:
      blocks = groups_of(work, kGpuBlock >> parts.lane_bits) * parts.count;
      break;
  }
  return grid_of_units(blocks, request);
}

Grid grid_of_units(std::int64_t units, const GridRequest& request) noexcept {
  std::int64_t most =
      std::int64_t{std::max(request.multiprocessors, 1)} * std::max(request.blocks_per_multiprocessor, 1) * kMaxWaves;
  if (request.max_blocks > 0) most = std::min(most, request.max_blocks);
  if (request.max_threads > 0) most = std::min(most, request.max_threads / kGpuBlock);
  return {static_cast<unsigned>(std::clamp<std::int64_t>(units, 1, std::max<std::int64_t>(most, 1))), kGpuBlock};
}

}  // namespace kiln::kinds
