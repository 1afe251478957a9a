// Launches of Ufunc::accumulate on a GPU: kernels-src/scan/gpu.hpp and in_order_gpu.hpp are the other side.
#include <algorithm>

#include "base/ceil_div.hpp"
#include "device/scratch.hpp"
#include "kernel/copied.hpp"
#include "kernel/counter.hpp"
#include "kernel/divisor.hpp"
#include "kernel/grid.hpp"
#include "kernel/record.hpp"
#include "kernel/scan/launch.hpp"
#include "kernel/scan/plan.hpp"
#include "kernel/space.hpp"
#include "kernels-src/scan/abi.hpp"

namespace kiln::kinds {
namespace {

/// What a chunk amounts to, at most.
constexpr std::int64_t kTotalBytes = 16;

/// Where the chunks of a line look back: chunk_totals::count() of kernels-src/scan/look_back_gpu.hpp.
std::int64_t cells_of(std::int64_t chunks) {
  return chunks + chunks / 32 + chunks / 1024;
}

ScanSpace space_of(const ScanLaunch& launch) {
  ScanSpace space{};
  space.extent = launch.extent;
  space.in_stride = launch.input_stride;
  space.out_stride = launch.output_stride;
  space.rank = static_cast<std::int32_t>(launch.shape.size());
  space.lines = static_cast<std::uint32_t>(product(launch.shape));
  for (std::size_t d = 0; d < launch.shape.size(); ++d) {
    const auto extent = static_cast<std::uint32_t>(launch.shape[d]);
    const Divisor divisor = divisor_of(extent);
    space.shape[d] = extent;
    space.magic[d] = divisor.magic;
    space.shift[d] = divisor.shift;
    space.in_strides[d] = launch.input_strides[d];
    space.out_strides[d] = launch.output_strides[d];
  }
  return space;
}

/// Launches of lines [begin, end) along one axis.
ScanLaunch part_of(const ScanLaunch& launch, std::size_t axis, std::int64_t begin, std::int64_t end) {
  ScanLaunch part = launch;
  part.shape[axis] = end - begin;
  part.input = static_cast<const char*>(launch.input) + begin * launch.input_strides[axis];
  part.output = static_cast<char*>(launch.output) + begin * launch.output_strides[axis];
  return part;
}

/// One dispatch for `blocks` blocks, or as many as one may have.
void dispatch_blocks(Backend& backend, const Module& module, ScanSpace& space, std::int64_t blocks, void** parameters,
                     const LaunchContext& context) {
  const std::int64_t limit = backend.max_dispatch_threads();
  const std::int64_t most = std::min<std::int64_t>(limit > 0 ? limit / kGpuBlock : kMaxNarrowIndex, kMaxNarrowIndex);
  for (std::int64_t first = 0; first < blocks; first += most) {
    space.first_block = static_cast<std::uint32_t>(first);
    const auto here = std::min(most, blocks - first);
    backend.dispatch(module, {.grid = {here, 1, 1}, .block = {kGpuBlock, 1, 1}}, parameters, context.queue, context.keep);
  }
}

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const ScanLaunch& launch, const LaunchContext& context) {
  if (launch.shape.size() > std::size_t{kMaxKernelRank}) {
    ScanLaunch part = launch;
    const std::size_t outer = launch.shape.size() - std::size_t{kMaxKernelRank};
    for (auto* list : {&part.shape, &part.input_strides, &part.output_strides}) {
      list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(outer));
    }
    for_each_outer(Numbers(launch.shape).first(outer), [&](const Counter& index) {
      part.input = static_cast<const char*>(launch.input) + index.offset(launch.input_strides);
      part.output = static_cast<char*>(launch.output) + index.offset(launch.output_strides);
      launch_on_gpu(backend, module, part, context);
    });
    return;
  }
  if (product(launch.shape) > kMaxNarrowIndex) {  // kernels count lines in 32 bits
    const auto longest = std::max_element(launch.shape.begin(), launch.shape.end());
    const auto axis = static_cast<std::size_t>(longest - launch.shape.begin());
    const std::int64_t half = *longest / 2;
    launch_on_gpu(backend, module, part_of(launch, axis, 0, half), context);
    launch_on_gpu(backend, module, part_of(launch, axis, half, *longest), context);
    return;
  }
  ScanSpace space = space_of(launch);
  const void* input = launch.input;
  void* output = launch.output;
  if (!launch.reorderable) {
    void* none = nullptr;
    void* parameters[] = {&input, &output, &none, &space};
    backend.dispatch(module, strided_shape(backend, module, space.lines), parameters, context.queue, context.keep);
    return;
  }
  const ScanPlan plan = scan_plan(launch);
  space.chunk = plan.chunk;
  space.chunks = static_cast<std::uint32_t>(plan.chunks);
  space.tiles = static_cast<std::uint32_t>(plan.tiles);
  space.lane_bits = plan.lane_bits;
  space.warp_bits = plan.warp_bits;
  const std::int64_t cells = launch.looks_back ? 1 + space.lines * cells_of(plan.chunks) : space.lines * (plan.chunks - 1);
  const Scratch scratch(backend, static_cast<std::size_t>(cells * (launch.looks_back ? 2 * kTotalBytes : kTotalBytes)),
                        context.queue);
  void* totals = scratch.address();
  void* parameters[] = {&input, &output, &totals, &space};
  if (launch.looks_back) {
    space.pass = kScanClear;
    dispatch_blocks(backend, module, space, base::ceil_div(cells, kGpuBlock), parameters, context);
    space.pass = kScanResults;
  } else if (plan.chunks > 1) {
    space.pass = kScanTotals;
    dispatch_blocks(backend, module, space, plan.blocks * (plan.chunks - 1), parameters, context);
    space.pass = kScanResults;
  }
  dispatch_blocks(backend, module, space, plan.blocks * plan.chunks, parameters, context);
}

static void move_addresses(Copied<ScanLaunch>& copied, std::span<const Move> moves) {
  copied.launch.input = moved(copied.launch.input, moves);
  copied.launch.output = moved(copied.launch.output, moves);
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ScanLaunch& launch) {
  return record_as<Copied<ScanLaunch>>(backend, module, launch);
}

}  // namespace kiln::kinds
