// reduceat on a GPU: kernels-src/reduction/segments_gpu.hpp is the other side.
#pragma once

#include <memory>

#include "kernel/reduction/launch.hpp"

namespace kiln::kinds {

/// Of a launch that has segments.
void launch_segments_on_gpu(Backend& backend, const Module& module, const ReductionLaunch& launch,
                            const LaunchContext& context);

}  // namespace kiln::kinds
