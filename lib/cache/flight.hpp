// One process compiles a key while the others wait: a file lock that the kernel takes back when its holder dies.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cache/disk_store.hpp"

namespace kiln::cache {

enum class FlightState {
  held,         ///< until the flight is destroyed
  timed_out,    ///< another process held it all the time
  unavailable,  ///< the file cannot be made, or its file system has no locks
};

struct FlightAttempt {
  FlightState state = FlightState::unavailable;
  std::unique_ptr<DiskStore::Flight> flight;  ///< where held
};

/// Waits for the lock that goes by this file name, for no longer than `timeout`. The file is there only while someone holds or
/// waits for it. Never throws for a fault of the disk, never blocks beyond the time-out.
[[nodiscard]] FlightAttempt take_flight(const std::string& path, std::chrono::milliseconds timeout);

}  // namespace kiln::cache
