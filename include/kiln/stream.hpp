// An in-order queue of work on a device. A Stream is a shared handle: copies name the same queue.
#pragma once

#include <memory>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

namespace backend {
class Queue;
}

class KILN_API Stream {
 public:
  /// The default stream of whatever device a call runs on.
  Stream() noexcept = default;
  /// A new queue on `device`. On the CPU its work runs in order on a thread of its own; on a GPU it is a stream of the
  /// driver that does not wait for the default one.
  explicit Stream(const Device& device);

  [[nodiscard]] bool is_default() const noexcept { return queue_ == nullptr; }
  /// The CPU for a default Stream.
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Waits until all its work is done; throws the first fault of that work (DeviceError, or what the CPU task threw). A default
  /// Stream names no device: it waits for the CPU's, Device::synchronize() for a GPU's default stream.
  void synchronize() const;

  /// For the library itself.
  [[nodiscard]] const std::shared_ptr<backend::Queue>& queue() const noexcept { return queue_; }

 private:
  Device device_;
  std::shared_ptr<backend::Queue> queue_;
};

}  // namespace kiln
