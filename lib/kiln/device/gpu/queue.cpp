// A stream of the driver.
#include "device/gpu/queue.hpp"
#include "base/fork.hpp"
#include "kiln/error.hpp"

#include <algorithm>
#include <new>

namespace kiln::backend::gpu {

GpuQueue::GpuQueue(const Core& core, int priority) : core_(core) {
  core.require_usable();
  const Current current(core);
  make_stream(priority);
  make_event();
}

void GpuQueue::make_stream(int priority) {
  const DriverTable& calls = core_.calls();
  int least = 0;
  int greatest = 0;
  const bool has_priorities = priority != 0 && calls.stream_priorities != nullptr &&
                              calls.stream_create_with_priority != nullptr &&
                              calls.stream_priorities(&least, &greatest) == abi::kSuccess && greatest < least;
  core_.check(has_priorities
                  ? calls.stream_create_with_priority(&stream_, abi::kStreamNonBlocking, std::clamp(priority, greatest, least))
                  : calls.stream_create(&stream_, abi::kStreamNonBlocking),
              "create a stream");
}

GpuQueue::GpuQueue(const Core& core, abi::Handle stream) : core_(core), stream_(stream), borrowed_(true) {
  core.require_usable();
  const Current current(core);
  require_own(stream);
  make_event();
}

void GpuQueue::make_event() {
  if (const abi::Status status = core_.calls().event_create(&order_, abi::kEventDisableTiming); status != abi::kSuccess) {
    if (!borrowed_) core_.calls().stream_destroy(stream_);
    core_.fail(status, "create an event");
  }
  pending_.emplace(core_, stream_);
}

void GpuQueue::require_own(abi::Handle stream) const {
  const DriverTable& calls = core_.calls();
  bool own = true;
  if (calls.stream_context != nullptr) {
    abi::Handle context = nullptr;
    core_.check(calls.stream_context(stream, &context), "ask a stream for its context");
    own = context == core_.context();
  } else if (calls.stream_device != nullptr) {
    int device = 0;
    core_.check(calls.stream_device(stream, &device), "ask a stream for its device");
    own = device == core_.device();
  }
  if (own) return;
  throw DeviceError("cannot wrap a stream for " + core_.name() +
                    ": it is another device's, or of a context that is not the device's primary one; make it where " +
                    core_.name() + " is the runtime's current device");
}

GpuQueue::~GpuQueue() {
  // In a forked child the handles belong to the parent.
  if (base::forked() || core_.driver().gone()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) {
    // Whatever it says: nobody is left to be informed, and a lost device has no work pending.
    core_.calls().stream_synchronize(stream_);
    // What its work kept may give memory back to the stream.
    pending_->release_done(true);
    pending_->close();
    core_.calls().event_destroy(order_);
    if (!borrowed_) core_.calls().stream_destroy(stream_);
  }
}

void GpuQueue::synchronize() {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().stream_synchronize(stream_), "synchronize a stream");
  pending_->release_done(true);
}

abi::Status GpuQueue::wait_for_default() noexcept {
  const std::lock_guard guard(mutex_);
  const abi::Status status = core_.calls().event_record(order_, nullptr);
  return status != abi::kSuccess ? status : core_.calls().stream_wait_event(stream_, order_, 0);
}

abi::Status GpuQueue::let_default_wait() noexcept {
  const std::lock_guard guard(mutex_);
  const abi::Status status = core_.calls().event_record(order_, stream_);
  return status != abi::kSuccess ? status : core_.calls().stream_wait_event(nullptr, order_, 0);
}

void GpuQueue::wait_for_memory() {
  if (scratch_ != nullptr) return;
  const std::uint64_t now = core_.default_memory.load(std::memory_order_acquire);
  {
    const std::lock_guard guard(mutex_);
    if (seen_memory_ == now) return;
  }
  core_.check(wait_for_default(), "order a stream after the default one");
  const std::lock_guard guard(mutex_);
  seen_memory_ = std::max(seen_memory_, now);
}

}  // namespace kiln::backend::gpu
