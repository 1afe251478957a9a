// Launches of elementwise kernels on a GPU.
#include "kinds/elementwise/launch.hpp"
#include "kinds/elementwise/parameters.hpp"
#include "kinds/grid.hpp"

namespace kiln::kinds {

void launch_on_gpu(Backend& backend, const Module& module, const ElementwiseLaunch& launch, Queue* queue,
                   const std::shared_ptr<const void>& keep) {
  Parameters parameters(launch);
  GridRequest request = limits_of(backend, module);
  request.packs = parameters.packs();
  request.unroll = launch.unroll;
  backend.dispatch(module, shape_of(grid_for(request)), parameters.data(), queue, keep);
}

}  // namespace kiln::kinds
