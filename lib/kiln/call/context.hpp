// What surrounds a call.
#pragma once

#include <optional>

#include "device/capture.hpp"
#include "device/stop_request.hpp"
#include "kiln/device.hpp"
#include "kiln/stream.hpp"

namespace kiln::call {

/// The device of a call that names none.
inline const std::optional<Device> kAnyDevice;

/// What surrounds a call, from its options: made where the call enters, and passed to all that works for it.
struct Context {
  const Stream& stream;
  const std::optional<Device>& device = kAnyDevice;
  const backend::StopRequest* stop = nullptr;  ///< null: the call cannot be stopped
  backend::Capture* capture = backend::Capture::current();
};

}  // namespace kiln::call
