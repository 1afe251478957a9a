// Launches of Ufunc::accumulate on a GPU: kernels-src/scan/gpu.hpp is the other side.
#include <algorithm>
#include <cstring>

#include "backend/scratch.hpp"
#include "base/ceil_div.hpp"
#include "kernels-src/scan/abi.hpp"
#include "kinds/copied.hpp"
#include "kinds/counter.hpp"
#include "kinds/grid.hpp"
#include "kinds/record.hpp"
#include "kinds/scan/launch.hpp"

namespace kiln::kinds {
namespace {

/// Of the kernel's: at least as many elements as it has in a tile.
constexpr std::int64_t kTile = std::int64_t{kGpuBlock} * 8;
/// Blocks, or threads, that are enough to fill any device: lines are cut by shape alone, so that results are the same on all.
constexpr std::int64_t kEnoughBlocks = 2048;
constexpr std::int64_t kEnoughThreads = std::int64_t{1} << 18;
constexpr std::int64_t kMostChunks = 1024;
constexpr std::int64_t kTotalBytes = 16;

using base::ceil_div;

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const ScanLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  if (launch.shape.size() > std::size_t{kMaxKernelRank}) {
    ScanLaunch part = launch;
    const std::size_t outer = launch.shape.size() - std::size_t{kMaxKernelRank};
    for (auto* list : {&part.shape, &part.input_strides, &part.output_strides}) {
      list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(outer));
    }
    for_each_outer(Numbers(launch.shape).first(outer), [&](const Counter& index) {
      part.input = static_cast<const char*>(launch.input) + index.offset(launch.input_strides);
      part.output = static_cast<char*>(launch.output) + index.offset(launch.output_strides);
      launch_on_gpu(backend, module, part, queue, keep);
    });
    return;
  }
  ScanSpace space{};
  space.in = launch.input;
  space.out = launch.output;
  space.extent = launch.extent;
  space.in_stride = launch.input_stride;
  space.out_stride = launch.output_stride;
  space.rank = static_cast<std::int32_t>(launch.shape.size());
  space.lanes = 1;
  std::int64_t nearest = INT64_MAX;
  for (std::size_t d = 0; d < launch.shape.size(); ++d) {
    space.lanes *= launch.shape[d];
    space.shape[d] = launch.shape[d];
    space.in_strides[d] = launch.input_strides[d];
    space.out_strides[d] = launch.output_strides[d];
    if (launch.shape[d] > 1) nearest = std::min(nearest, std::abs(launch.input_strides[d]));
  }
  // Whatever lies nearest in memory is what threads side by side should read; short lines would leave a block idle.
  const bool along = launch.reorderable && launch.extent >= kGpuBlock && std::abs(launch.input_stride) < nearest;
  space.along = along ? 1 : 0;
  std::int64_t chunks = 1;
  if (launch.reorderable)
    chunks = std::clamp<std::int64_t>((along ? kEnoughBlocks : kEnoughThreads) / space.lanes, 1, kMostChunks);
  space.chunk = along ? ceil_div(ceil_div(launch.extent, chunks), 4 * kTile) * 4 * kTile
                      : std::max<std::int64_t>(ceil_div(launch.extent, chunks), 64);
  space.chunks = ceil_div(launch.extent, space.chunk);
  space.all_chunks = space.lanes * space.chunks;
  const auto bytes = space.chunks > 1 ? static_cast<std::size_t>(space.chunks * space.lanes * kTotalBytes) : std::size_t{0};
  const Scratch totals(backend, bytes, queue);
  space.totals = totals.address();
  void* parameters[] = {&space};
  for (space.pass = space.chunks > 1 ? 0 : 2; space.pass <= 2; ++space.pass) {
    const std::int64_t lines = space.pass == 1 ? space.lanes : space.all_chunks;
    backend.dispatch(module, strided_shape(backend, module, along ? lines * kGpuBlock : lines), parameters, queue, keep);
  }
}

static void move_addresses(Copied<ScanLaunch>& copied, std::span<const Move> moves) {
  copied.launch.input = moved(copied.launch.input, moves);
  copied.launch.output = moved(copied.launch.output, moves);
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ScanLaunch& launch) {
  return record_as<Copied<ScanLaunch>>(backend, module, launch);
}

}  // namespace kiln::kinds
