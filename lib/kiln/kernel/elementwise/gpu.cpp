// Launches of elementwise kernels on a GPU.
#include "kernel/elementwise/launch.hpp"
#include "kernel/elementwise/parameters.hpp"
#include "kernel/elementwise/queued.hpp"
#include "kernel/elementwise/tiles.hpp"
#include "kernel/grid.hpp"
#include "kernel/record.hpp"

namespace kiln::kinds {

static LaunchShape shape_for(const Backend& backend, const Module& module, const ElementwiseLaunch& launch,
                             std::int64_t packs) {
  if (launch.tile > 0) {
    const std::int64_t threads = tile_threads(launch.tile);
    return strided_shape(backend, module, packs * threads, static_cast<int>(threads));
  }
  GridRequest request = limits_of(backend, module);
  request.packs = packs;
  request.unroll = launch.unroll;
  request.threads = launch.block;
  return shape_of(grid_for(request));
}

LaunchShape shape_on_gpu(const Backend& backend, const Module& module, const ElementwiseLaunch& launch) {
  return shape_for(backend, module, launch, Parameters(launch).packs());
}

void launch_on_gpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, const LaunchContext& context) {
  Parameters parameters(launch);
  backend.dispatch(module, shape_for(backend, module, launch, parameters.packs()), parameters.data(), context.queue,
                   context.keep);
}

static void move_addresses(QueuedElementwise& queued, std::span<const Move> moves) {
  for (LaunchOperand& operand : queued.operands) {
    if (!operand.scalar) operand.data = moved(operand.data, moves);
  }
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ElementwiseLaunch& launch) {
  return record_as<QueuedElementwise>(backend, module, launch);
}

}  // namespace kiln::kinds
