// How many blocks of how many threads run a kernel.
#include "backend/gpu/grid.hpp"

#include <algorithm>

#include "backend/kernel_abi.hpp"
#include "base/ceil_div.hpp"

namespace kiln::backend::gpu {
namespace {

using base::ceil_div;

}  // namespace

Grid grid_for(const GridRequest& request) noexcept {
  const std::int64_t packs = std::max<std::int64_t>(request.packs, 1);
  const std::int64_t unroll = std::max(request.unroll, 1);
  const std::int64_t multiprocessors = std::max(request.multiprocessors, 1);
  // Two warps or one wavefront: smaller blocks would leave a multiprocessor's schedulers without work.
  const std::int64_t smallest = std::max(64, request.warp_size);
  std::int64_t threads = kGpuBlock;
  while (threads > smallest && ceil_div(packs, threads * unroll) < multiprocessors) threads /= 2;

  const std::int64_t tiles = ceil_div(packs, threads * unroll);
  std::int64_t most = multiprocessors * std::max(request.blocks_per_multiprocessor, 1) * kMaxWaves;
  if (request.max_blocks > 0) most = std::min(most, request.max_blocks);
  if (request.max_threads > 0) most = std::min(most, request.max_threads / threads);
  most = std::clamp<std::int64_t>(most, 1, 0x7fffffff);
  const std::int64_t rounds = ceil_div(tiles, most);
  return {static_cast<unsigned>(ceil_div(tiles, rounds)), static_cast<unsigned>(threads)};
}

}  // namespace kiln::backend::gpu
