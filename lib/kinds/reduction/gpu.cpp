// Launches of reductions on a GPU: kernels-src/reduction/gpu.hpp is the other side.
#include "backend/scratch.hpp"
#include "kinds/grid.hpp"
#include "kinds/record.hpp"
#include "kinds/reduction/grid.hpp"
#include "kinds/reduction/launch.hpp"
#include "kinds/reduction/parameters.hpp"
#include "kinds/reduction/queued.hpp"

namespace kiln::kinds {

void launch_on_gpu(Backend& backend, const Module& module, const ReductionLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  const bool segmented = launch.segments != nullptr;
  const auto segments_of_axis = static_cast<std::int64_t>(segmented ? launch.segments->begins.size() : 1);
  ReductionWork work{.outputs = launch.outputs,
                     .packs = launch.count / launch.pack() / segments_of_axis,
                     .mapping = launch.mapping,
                     .segmented = segmented,
                     .columns = launch.kept.empty() ? 1 : launch.kept.back(),
                     .width = launch.width,
                     .state_bytes = launch.state_bytes};
  const ReductionParts parts = parts_of(work);
  const GridRequest limits = limits_of(backend, module);
  ReductionParameters parameters(launch, parts);
  // Scratch memory has the states of parts, or where segments begin.
  std::shared_ptr<const std::vector<std::byte>> segments;
  if (segmented) segments = std::make_shared<const std::vector<std::byte>>(segments_of(launch));
  const std::size_t scratch_bytes =
      segments ? segments->size()
               : static_cast<std::size_t>(parts.count > 1 ? parts.count * launch.outputs * launch.state_bytes : 0);
  const Scratch scratch(backend, scratch_bytes, queue);
  parameters.call().scratch = scratch.address();
  if (segments) {
    parameters.set_segments(scratch.address());
    backend.upload(scratch.address(), segments, queue);
  }
  backend.dispatch(module, shape_of(grid_for(work, parts, limits)), parameters.data(), queue, keep);
  if (parts.count <= 1) return;
  parameters.call().combining = 1;
  work.width = 1;
  const ReductionParts all{.lane_bits = parts.lane_bits};
  backend.dispatch(module, shape_of(grid_for(work, all, limits)), parameters.data(), queue, keep);
}

static void move_addresses(QueuedReduction& queued, std::span<const Move> moves) {
  for (std::size_t k = 0; k < queued.operands.size(); ++k) {
    LaunchOperand& operand = queued.operands[k];
    // What is a scalar without strides, or an index, is no array's.
    const bool array = (!operand.scalar || operand.strides != nullptr) && static_cast<int>(k) != queued.launch.index;
    if (array) operand.data = moved(operand.data, moves);
  }
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const ReductionLaunch& launch) {
  return record_as<QueuedReduction>(backend, module, launch);
}

}  // namespace kiln::kinds
