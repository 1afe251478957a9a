// A stream of the driver, and what its pending work keeps alive.
#include "backend/gpu/queue.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace kiln::backend::gpu {
namespace {

constexpr std::size_t kFirstSlots = 16;

}  // namespace

GpuQueue::GpuQueue(const Core& core) : core_(core) {
  core.require_usable();
  const Current current(core);
  core.check(core.calls().stream_create(&stream_, abi::kStreamNonBlocking), "create a stream");
  if (const abi::Status status = core.calls().event_create(&order_, abi::kEventDisableTiming); status != abi::kSuccess) {
    core.calls().stream_destroy(stream_);
    core.fail(status, "create an event");
  }
}

GpuQueue::~GpuQueue() {
  // In a forked child the handles belong to the parent.
  if (forked()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) {
    // Whatever it says: nobody is left to be told, and a lost device has no work pending.
    core_.calls().stream_synchronize(stream_);
    for (const Held& held : ring_) core_.calls().event_destroy(held.event);
    core_.calls().event_destroy(order_);
    core_.calls().stream_destroy(stream_);
  }
}

void GpuQueue::synchronize() {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().stream_synchronize(stream_), "synchronize a stream");
  release_done(true);
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

void GpuQueue::wait_for_allocations() {
  const std::uint64_t now = core_.default_allocations.load(std::memory_order_acquire);
  {
    const std::lock_guard guard(mutex_);
    if (seen_allocations_ == now) return;
  }
  core_.check(wait_for_default(), "order a stream after the default one");
  const std::lock_guard guard(mutex_);
  seen_allocations_ = std::max(seen_allocations_, now);
}

void GpuQueue::create_events() {
  const std::size_t old = ring_.size();
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
  first_ = 0;
  ring_.resize(old == 0 ? kFirstSlots : 2 * old);
  for (std::size_t i = old; i < ring_.size(); ++i) {
    const abi::Status status = core_.calls().event_create(&ring_[i].event, abi::kEventDisableTiming);
    if (status != abi::kSuccess) {
      ring_.resize(i);
      if (size_ == ring_.size()) core_.fail(status, "create an event");
      return;
    }
  }
}

void GpuQueue::hold(std::shared_ptr<const void> keep) {
  release_done(false);
  const std::lock_guard guard(mutex_);
  if (size_ == ring_.size()) create_events();
  Held& slot = ring_[(first_ + size_) % ring_.size()];
  core_.check(core_.calls().event_record(slot.event, stream_), "record an event");
  slot.keep = std::move(keep);
  ++size_;
}

void GpuQueue::release_done(bool all) noexcept {
  // Released outside the lock: what is kept may free memory, or be the last handle of another queue.
  std::array<std::shared_ptr<const void>, 4> done;
  do {
    std::size_t count = 0;
    {
      const std::lock_guard guard(mutex_);
      for (; count < done.size() && size_ != 0; ++count) {
        Held& oldest = ring_[first_];
        if (core_.calls().event_query(oldest.event) != abi::kSuccess) break;
        done[count] = std::move(oldest.keep);
        oldest.keep.reset();
        first_ = (first_ + 1) % ring_.size();
        --size_;
      }
    }
    if (count < done.size()) all = false;
    for (auto& keep : done) keep.reset();
  } while (all);
}

}  // namespace kiln::backend::gpu
