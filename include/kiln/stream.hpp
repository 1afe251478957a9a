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

class Event;

/// Options of a stream.
struct StreamOptions {
  /// Priority between streams that have kernels: lower numbers go first, 0 is the usual one. The number is clamped to the
  /// driver's range, which on CUDA is 0 to -5. A hint: drivers and the CPU may ignore it.
  int priority = 0;
};

/// A queue of work that runs in order; work on different streams is not ordered. Queued work keeps the memory that it uses
/// alive. Thread-safe: work of several threads is queued in any order of the threads.
class KILN_API Stream {
 public:
  /// Constructs the default stream of the device that a call runs on.
  Stream() noexcept = default;
  /// Constructs a new queue on `device`. On the CPU its work runs in order on a thread of its own. On a GPU it is a stream of
  /// the driver that does not wait for the default one. Throws DeviceError if the device is not available, or has no queue
  /// left.
  explicit Stream(const Device& device, StreamOptions options = {});
  /// Returns the calling thread's own stream on that device. The first call makes it; later ones return the same stream. The
  /// stream is destroyed when the thread has ended, after its work, and every copy of the handle is gone.
  ///
  /// Throws DeviceError if the device is not available, or has no queue left.
  [[nodiscard]] static Stream per_thread(const Device& device);
  /// Wraps the host program's own stream, so that its work and kiln's run in one order. `native` is a cudaStream_t or CUstream
  /// of CUDA's runtime or driver API, or a hipStream_t. It must outlive the handle's last copy, which waits for its work and
  /// does not destroy it.
  ///
  /// Throws DeviceError for a null stream, cudaStreamLegacy and cudaStreamPerThread, and for a CPU device. Throws DeviceError
  /// for a stream of another device, or of a context that is not the primary one.
  [[nodiscard]] static Stream wrap(const Device& device, void* native);
  /// Returns the vendor's stream, for work of the host program's own: a CUstream, which is a cudaStream_t, or a hipStream_t.
  /// Returns null on the CPU, and for a default Stream, whose work goes to the vendor's default stream.
  [[nodiscard]] void* native() const noexcept;

  /// Returns true for the default stream of the device that a call runs on.
  [[nodiscard]] bool is_default() const noexcept { return queue_ == nullptr; }
  /// Returns the device; the CPU for a default Stream.
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Waits until all work of the stream is done. Throws the first fault of that work: DeviceError, or the exception of the CPU
  /// task. A default Stream names no device: it waits for the CPU's; Device::synchronize() waits for a GPU's default stream.
  void synchronize() const;
  /// Makes work that is queued from now on wait for the event's mark; nothing if nothing was recorded. A default Stream means
  /// that of the event's device.
  ///
  /// Returns at once, except for a default Stream on the CPU, which is the caller. Throws DeviceError for an event of another
  /// device.
  void wait(const Event& event) const;

  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<backend::Queue>& queue() const noexcept { return queue_; }

 private:
  Stream(const Device& device, std::shared_ptr<backend::Queue> queue) noexcept : device_(device), queue_(std::move(queue)) {}

  Device device_;
  std::shared_ptr<backend::Queue> queue_;
};

/// Waits for a stream at the end of its scope: see auto_synchronize(). Belongs to one thread.
class KILN_API SynchronizeScope {
 public:
  /// Begins the scope; auto_synchronize() calls it.
  explicit SynchronizeScope(Stream stream);
  SynchronizeScope(const SynchronizeScope&) = delete;
  SynchronizeScope& operator=(const SynchronizeScope&) = delete;
  /// Waits for the stream. Throws the exceptions of Stream::synchronize(), unless an exception leaves the scope: that one is
  /// not replaced.
  ~SynchronizeScope() noexcept(false);

 private:
  Stream stream_;
  int exceptions_;  // exceptions in flight at the beginning
};

/// Returns a scope that waits at its end, also if an exception leaves it:
/// `{ const auto scope = kiln::auto_synchronize(stream); … }`. All work of the stream is done then, and copies to the host have
/// arrived. The scope's end throws a fault of the work.
[[nodiscard]] KILN_API SynchronizeScope auto_synchronize(const Stream& stream);

}  // namespace kiln
