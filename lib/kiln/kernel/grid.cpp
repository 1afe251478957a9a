// How many blocks of how many threads run a kernel.
#include "kernel/grid.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"

namespace kiln::kinds {
namespace {

using base::ceil_div;

}  // namespace

Grid grid_for(const GridRequest& request) noexcept {
  const std::int64_t packs = std::max<std::int64_t>(request.packs, 1);
  const std::int64_t unroll = std::max(request.unroll, 1);
  const std::int64_t multiprocessors = std::max(request.multiprocessors, 1);
  // Two warps or one wavefront: smaller blocks would leave a multiprocessor's schedulers without work.
  const std::int64_t smallest = std::max(64, request.warp_size);
  const bool given = request.threads > 0;
  std::int64_t threads = given ? request.threads : kGpuBlock;
  while (!given && threads > smallest && ceil_div(packs, threads * unroll) < multiprocessors) threads /= 2;

  const std::int64_t tiles = ceil_div(packs, threads * unroll);
  std::int64_t most = multiprocessors * std::max(request.blocks_per_multiprocessor, 1) * kMaxWaves;
  if (given) most = most * kGpuBlock / threads;
  if (request.max_blocks > 0) most = std::min(most, request.max_blocks);
  if (request.max_threads > 0) most = std::min(most, request.max_threads / threads);
  most = std::clamp<std::int64_t>(most, 1, 0x7fffffff);
  const std::int64_t rounds = ceil_div(tiles, most);
  return {static_cast<unsigned>(ceil_div(tiles, rounds)), static_cast<unsigned>(threads)};
}

GridRequest limits_of(const Backend& backend, const Module& module) {
  const DeviceInfo& info = backend.info();
  return {.multiprocessors = info.multiprocessors,
          .blocks_per_multiprocessor = module.occupancy(kGpuBlock),
          .warp_size = info.warp_size,
          .max_blocks = info.max_grid_blocks,
          .max_threads = backend.max_dispatch_threads()};
}

LaunchShape shape_of(const Grid& grid) noexcept {
  return {.grid = {grid.blocks, 1, 1}, .block = {grid.threads, 1, 1}};
}

LaunchShape strided_shape(const Backend& backend, const Module& module, std::int64_t threads, int block) {
  const std::int64_t limit = backend.max_dispatch_threads();
  std::int64_t most =
      std::int64_t{backend.info().multiprocessors} * module.occupancy(kGpuBlock) * kMaxWaves * kGpuBlock / block;
  if (limit > 0) most = std::min(most, limit / block);
  most = std::clamp<std::int64_t>(most, 1, 0x7fffffff);
  return {.grid = {std::clamp<std::int64_t>(ceil_div(threads, block), 1, most), 1, 1}, .block = {block, 1, 1}};
}

}  // namespace kiln::kinds
