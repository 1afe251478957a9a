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
  /// Which stream's kernels go first where several have some: lower numbers do, 0 is the usual one. Brought into the driver's
  /// range, which on CUDA is 0 to -5. A hint: drivers and the CPU may ignore it.
  int priority = 0;
};

/// A queue of work that runs in order; work on different streams is not ordered. Thread-safe: work that several threads queue
/// at once runs in any order of the threads. Work that is queued keeps the memory that it uses.
class KILN_API Stream {
 public:
  /// The default stream of whatever device a call runs on.
  Stream() noexcept = default;
  /// A new queue on `device`. On the CPU its work runs in order on a thread of its own; on a GPU it is a stream of the
  /// driver that does not wait for the default one. DeviceError where the device is not there, or has no queue left.
  explicit Stream(const Device& device, StreamOptions options = {});
  /// The calling thread's own stream on that device: made at the first call, the same at later ones. It lives until the thread
  /// has ended, which waits for its work, and every copy of the handle is gone. DeviceError as above.
  [[nodiscard]] static Stream per_thread(const Device& device);
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
  /// Work that is queued from now on waits for what the event marks; nothing where nothing was recorded. Returns at once, but
  /// for a default Stream on the CPU, which is the caller; a default Stream is that of the event's device. DeviceError for an
  /// event of another device.
  void wait(const Event& event) const;

  /// For the library itself.
  [[nodiscard]] const std::shared_ptr<backend::Queue>& queue() const noexcept { return queue_; }

 private:
  Stream(const Device& device, std::shared_ptr<backend::Queue> queue) noexcept : device_(device), queue_(std::move(queue)) {}

  Device device_;
  std::shared_ptr<backend::Queue> queue_;
};

/// Waits for a stream where it ends: see auto_synchronize(). Of one thread.
class KILN_API SynchronizeScope {
 public:
  explicit SynchronizeScope(Stream stream);
  SynchronizeScope(const SynchronizeScope&) = delete;
  SynchronizeScope& operator=(const SynchronizeScope&) = delete;
  /// Throws what Stream::synchronize() throws, unless an exception leaves the scope: that one is not replaced.
  ~SynchronizeScope() noexcept(false);

 private:
  Stream stream_;
  int exceptions_;  // in flight when it began
};

/// `{ const auto scope = kiln::auto_synchronize(stream); … }` waits at its end until all work of the stream is done, and what
/// was copied to the host is there: also where an exception leaves it. A fault of the work is thrown there.
[[nodiscard]] KILN_API SynchronizeScope auto_synchronize(const Stream& stream);

}  // namespace kiln
