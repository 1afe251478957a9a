// The devices of the process: which there are, and the backend of each, opened at first use.
#pragma once

#include <string>
#include <string_view>

#include "device/backend.hpp"

namespace kiln::backend {

/// The backend of a device: opened at first use, kept for ever. DeviceError where there is no such device. Thread-safe.
Backend& backend_for(const Device& device);

/// A GPU's backend, null where it has not been opened. Thread-safe.
Backend* opened_backend(const Device& device) noexcept;

}  // namespace kiln::backend
