#include "kinds/reduction/grid.hpp"

#include <algorithm>
#include <limits>

#include "backend/kernel_abi.hpp"
#include "base/ceil_div.hpp"

namespace kiln::kinds {
namespace {

// Packs of a part: with 256 threads that is 32 to a thread, which are too few for their roundings to add up.
constexpr std::int64_t kBlockPart = 8192;
// Rows of a part: 64 to each of the 8 rows of threads.
constexpr std::int64_t kColumnPart = 512;
constexpr std::int64_t kColumns = 32;

using base::ceil_div;

}  // namespace

ReductionParts parts_of(const ReductionWork& work) noexcept {
  if (work.segmented) return {.chunk = std::numeric_limits<std::int64_t>::max(), .count = 1};
  const std::int64_t packs = std::max<std::int64_t>(work.packs, 1);
  if (work.mapping != ReductionMapping::block && work.mapping != ReductionMapping::columns) {
    return {.chunk = packs, .count = 1};
  }
  const std::int64_t chunk = work.mapping == ReductionMapping::block ? kBlockPart : kColumnPart;
  return {.chunk = std::min(chunk, packs), .count = ceil_div(packs, chunk)};
}

Grid grid_for(const ReductionWork& work, std::int64_t parts, const GridRequest& request) noexcept {
  std::int64_t blocks = 1;
  switch (work.mapping) {
    case ReductionMapping::thread:
      blocks = ceil_div(work.outputs, kGpuBlock);
      break;
    case ReductionMapping::warp:
      blocks = ceil_div(work.outputs, kGpuBlock / std::max(request.warp_size, 1));
      break;
    case ReductionMapping::block:
      blocks = work.outputs * parts;
      break;
    case ReductionMapping::columns:
      blocks = ceil_div(work.outputs, kColumns) * parts;
      break;
  }
  std::int64_t most =
      std::int64_t{std::max(request.multiprocessors, 1)} * std::max(request.blocks_per_multiprocessor, 1) * kMaxWaves;
  if (request.max_blocks > 0) most = std::min(most, request.max_blocks);
  if (request.max_threads > 0) most = std::min(most, request.max_threads / kGpuBlock);
  return {static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, std::max<std::int64_t>(most, 1))), kGpuBlock};
}

}  // namespace kiln::kinds
