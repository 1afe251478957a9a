// What the pending work of a stream keeps alive.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "device/gpu/core.hpp"

namespace kiln::backend::gpu {

/// Thread-safe. The device has to be current for every call. Its events are destroyed by close() alone.
class Pending {
 public:
  /// `stream` is the driver's; null: the default one.
  Pending(const Core& core, abi::Handle stream) : core_(core), stream_(stream) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Holds `keep` until all that is queued now is done, and a later call has seen that. Where the driver has no event for it
  /// the work is waited for: it uses what `keep` would free. DeviceError where that fails.
  void hold(std::shared_ptr<const void> keep);
  /// Lets go of what work that is done has kept: of all, or of a few.
  void release_done(bool all) noexcept;
  /// Destroys the events: nothing is pending any more, and nothing but the destructor follows.
  void close() noexcept;

 private:
  struct Held {
    abi::Handle event = nullptr;
    std::shared_ptr<const void> keep;
  };
  /// Whether there is a free slot, or could be made one.
  [[nodiscard]] bool make_room() noexcept;
  [[nodiscard]] bool try_hold(std::shared_ptr<const void>& keep) noexcept;

  const Core& core_;
  abi::Handle stream_;
  std::mutex mutex_;
  std::vector<Held> ring_;  // a ring: oldest at first_, size_ of them in use; every slot has its event until close()
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kiln::backend::gpu
