// How a launch goes, besides what it computes.
#pragma once

#include <memory>

#include "device/backend.hpp"
#include "device/capture.hpp"
#include "device/stop_request.hpp"

namespace kiln::backend {

/// Refers to what its call has.
struct LaunchContext {
  Queue* queue = nullptr;                   ///< null: the default stream
  const std::shared_ptr<const void>& keep;  ///< held until the work is done
  const StopRequest* stop = nullptr;        ///< null: the launch cannot be stopped
  Capture* capture = nullptr;               ///< null: the launch runs; else it is recorded there
};

}  // namespace kiln::backend
