// Launches of reductions on a GPU: kernels-src/reduction/gpu.hpp is the other side.
#include <utility>

#include "device/scratch.hpp"
#include "kernel/grid.hpp"
#include "kernel/record.hpp"
#include "kernel/reduction/grid.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/reduction/parameters.hpp"
#include "kernel/reduction/queued.hpp"
#include "kernel/reduction/segment_launch.hpp"

namespace kiln::kinds {

namespace {

/// Launches that make states of states until one of each output is left.
void launch_part(Backend& backend, const Module& module, const ReductionLaunch& launch, const LaunchContext& context) {
  const GridRequest limits = limits_of(backend, module);
  const std::int64_t columns = launch.columns_inside && !launch.kept.empty() ? launch.kept.back() : 1;
  BalancedParts parts = balanced_parts(launch.outputs, columns, launch.count, launch.state_bytes);
  ReductionParameters parameters(launch, ReductionParts{.count = parts.count, .lane_bits = parts.lane_bits});
  parameters.call().first = static_cast<std::uint64_t>(launch.from);
  const std::int64_t bytes = launch.outputs * launch.state_bytes;
  const auto scratch_bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count > 1 ? count * bytes : 0); };
  const Scratch first(backend, scratch_bytes(parts.count), context.queue);
  const Scratch second(backend,
                       scratch_bytes(balanced_parts(launch.outputs, launch.outputs, parts.count, launch.state_bytes).count),
                       context.queue);
  void* to = first.address();
  void* other = second.address();
  while (true) {
    parameters.call().scratch = to;
    backend.dispatch(module, shape_of(grid_of_units(parts.groups * parts.count, limits)), parameters.data(), context.queue,
                     context.keep);
    if (parts.count == 1) return;
    const std::int64_t elements = parts.count;
    parts = balanced_parts(launch.outputs, launch.outputs, elements, launch.state_bytes);
    ReductionCall& call = parameters.call();
    call.combining = 1;
    call.states = std::exchange(to, std::exchange(other, to));
    call.count = static_cast<std::uint64_t>(elements);
    call.parts = static_cast<std::uint64_t>(parts.count);
    call.lane_bits = parts.lane_bits;
  }
}

}  // namespace

void launch_on_gpu(Backend& backend, const Module& module, const ReductionLaunch& launch, const LaunchContext& context) {
  if (launch.part) return launch_part(backend, module, launch, context);
  if (launch.segments != nullptr) return launch_segments_on_gpu(backend, module, launch, context);
  ReductionWork work{.outputs = launch.outputs,
                     .packs = launch.count / launch.pack(),
                     .mapping = launch.mapping,
                     .columns = launch.kept.empty() ? 1 : launch.kept.back(),
                     .width = launch.width,
                     .state_bytes = launch.state_bytes};
  const ReductionParts parts = parts_of(work);
  const GridRequest limits = limits_of(backend, module);
  ReductionParameters parameters(launch, parts);
  const Scratch scratch(backend,
                        static_cast<std::size_t>(parts.count > 1 ? parts.count * launch.outputs * launch.state_bytes : 0),
                        context.queue);
  parameters.call().scratch = scratch.address();
  backend.dispatch(module, shape_of(grid_for(work, parts, limits)), parameters.data(), context.queue, context.keep);
  if (parts.count <= 1) return;
  parameters.call().combining = 1;
  work.width = 1;
  const ReductionParts all{.lane_bits = parts.lane_bits};
  backend.dispatch(module, shape_of(grid_for(work, all, limits)), parameters.data(), context.queue, context.keep);
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
