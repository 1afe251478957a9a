// Launches of raw kernels on a GPU: kernels-src/raw/gpu.hpp is the other side.
#include <array>
#include <cstdint>
#include <cstring>

#include "kernel/copied.hpp"
#include "kernel/grid.hpp"
#include "kernel/raw/launch.hpp"
#include "kernel/record.hpp"

namespace kiln::kinds {

void launch_on_gpu(Backend& backend, const Module& module, const RawLaunch& launch, const LaunchContext& context) {
  RawLaunch own = launch;
  std::array<void*, 2 * kMaxRawArguments + 1> parameters;
  std::size_t count = 0;
  const bool items = own.size >= 0;
  if (items) parameters[count++] = &own.size;
  std::int64_t* axes = own.axes.data();
  for (std::size_t i = 0; i < own.count; ++i) parameters[count++] = own.arguments[i].value.data();
  for (std::size_t i = 0; i < own.count; ++i) {
    if (own.arguments[i].dimensions == 0) continue;
    parameters[count++] = axes;
    axes += 2 * own.arguments[i].dimensions;
  }
  const LaunchShape shape = items ? strided_shape(backend, module, own.size, own.item_block)
                                  : LaunchShape{.grid = own.grid, .block = own.block, .shared_bytes = own.shared_bytes};
  if (!items) backend.require_fits(module, shape);
  backend.dispatch(module, shape, parameters.data(), context.queue, context.keep);
}

static void move_addresses(Copied<RawLaunch>& copied, std::span<const Move> moves) {
  for (std::size_t i = 0; i < copied.launch.count; ++i) {
    RawLaunch::Argument& argument = copied.launch.arguments[i];
    if (!argument.array) continue;
    std::uintptr_t address = 0;
    std::memcpy(&address, argument.value.data(), sizeof address);
    address = moved(address, moves);
    std::memcpy(argument.value.data(), &address, sizeof address);
  }
}

std::shared_ptr<const RecordedLaunch> record(Backend& backend, const Module& module, const RawLaunch& launch) {
  return record_as<Copied<RawLaunch>>(backend, module, launch);
}

}  // namespace kiln::kinds
