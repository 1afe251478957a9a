// One process compiles a key while the others wait: a file lock that the kernel takes back when its holder dies.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/file_descriptor.hpp"

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

/// Waits for the lock that goes by this file name in the folder, for no longer than `timeout`. The file is there only while
/// someone holds or waits for it; unavailable where it is no regular file of this user's or the folder's owner's. Never throws
/// for a fault of the disk, never blocks beyond the time-out.
[[nodiscard]] FlightAttempt take_flight(base::FileDescriptor folder, const std::string& name,
                                        std::chrono::milliseconds timeout);
/// The same by the file's path; a symbolic link in the place of its folder is not followed.
[[nodiscard]] FlightAttempt take_flight(const std::string& path, std::chrono::milliseconds timeout);

}  // namespace kiln::cache
