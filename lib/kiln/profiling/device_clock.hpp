// When an event of a device was reached, by the host's clock.
#pragma once

#include <memory>

#include "device/backend.hpp"
#include "profiling/call.hpp"

namespace kiln::profiling {

/// An event whose time on the host is known.
struct DeviceClock {
  std::shared_ptr<const backend::Event> event;
  Clock::time_point time;

  /// DeviceError where the driver does not tell.
  [[nodiscard]] Clock::time_point time_of(const backend::Event& reached) const;
};

/// The device's, not older than ten seconds: the driver tells times between events as float32. Waits for none of the work that
/// is queued. Thread-safe. DeviceError.
[[nodiscard]] std::shared_ptr<const DeviceClock> clock_of(backend::Backend& backend);

}  // namespace kiln::profiling
