// Launches of raw kernels on a GPU: kernels-src/raw/gpu.hpp is the other side.
#include <array>

#include "kinds/grid.hpp"
#include "kinds/raw/launch.hpp"

namespace kiln::kinds {

void launch_on_gpu(Backend& backend, const Module& module, const RawLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  RawLaunch own = launch;
  std::array<void*, kMaxRawArguments + 1> parameters;
  std::size_t count = 0;
  const bool items = own.size >= 0;
  if (items) parameters[count++] = &own.size;
  for (std::size_t i = 0; i < own.count; ++i) parameters[count++] = own.arguments[i].value.data();
  const LaunchShape shape = items ? strided_shape(backend, module, own.size)
                                  : LaunchShape{.grid = own.grid, .block = own.block, .shared_bytes = own.shared_bytes};
  if (!items) backend.require_fits(module, shape);
  backend.dispatch(module, shape, parameters.data(), queue, keep);
}

}  // namespace kiln::kinds
