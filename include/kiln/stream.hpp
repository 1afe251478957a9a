// An in-order queue of work on a device. A Stream is a shared handle: copies name the same queue.
#pragma once

#include <memory>
#include <utility>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

namespace backend {
class Queue;
}

/// A queue of work that runs in order; work on different streams is not ordered. Thread-safe: work that several threads queue
/// at once runs in any order of the threads. Work that is queued keeps the memory that it uses.
class KILN_API Stream {
 public:
  /// The default stream of whatever device a call runs on.
  Stream() noexcept = default;
  /// A new queue on `device`. On the CPU its work runs in order on a thread of its own; on a GPU it is a stream of the
  /// driver that does not wait for the default one. DeviceError where the device is not there, or has no queue left.
  explicit Stream(const Device& device);
  /// The host program's own stream, so that its work and kiln's are done in one order: a cudaStream_t or CUstream of CUDA's
  /// runtime or driver API, a hipStream_t. It must outlive the handle's last copy, which waits for its work and does not
  /// destroy it. DeviceError for a null stream, cudaStreamLegacy and cudaStreamPerThread, a CPU device, and a stream of another
  /// device or of a context that is not the primary one.
  [[nodiscard]] static Stream wrap(const Device& device, void* native);
  /// The vendor's stream, for work of the host program's own: a CUstream, which is a cudaStream_t, or a hipStream_t. Null for a
  /// default Stream, whose work goes to the vendor's default stream, and on the CPU.
  [[nodiscard]] void* native() const noexcept;

  /// Whether it is the default stream of whatever device a call runs on.
  [[nodiscard]] bool is_default() const noexcept { return queue_ == nullptr; }
  /// The CPU for a default Stream.
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Waits until all its work is done; throws the first fault of that work (DeviceError, or what the CPU task threw). A default
  /// Stream names no device: it waits for the CPU's, Device::synchronize() for a GPU's default stream.
  void synchronize() const;

  /// For the library itself.
  [[nodiscard]] const std::shared_ptr<backend::Queue>& queue() const noexcept { return queue_; }

 private:
  Stream(const Device& device, std::shared_ptr<backend::Queue> queue) noexcept : device_(device), queue_(std::move(queue)) {}

  Device device_;
  std::shared_ptr<backend::Queue> queue_;
};

}  // namespace kiln
