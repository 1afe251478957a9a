// What the pending work of a stream keeps alive.
#include "device/gpu/pending.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace kiln::backend::gpu {
namespace {

constexpr std::size_t kFirstSlots = 16;

}  // namespace

bool Pending::make_room() noexcept try {
  if (size_ < ring_.size()) return true;
  const std::size_t old = ring_.size();
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
  first_ = 0;
  ring_.resize(old == 0 ? kFirstSlots : 2 * old);
  for (std::size_t i = old; i < ring_.size(); ++i) {
    if (core_.calls().event_create(&ring_[i].event, abi::kEventDisableTiming) != abi::kSuccess) {
      ring_.resize(i);
      break;
    }
  }
  return size_ < ring_.size();
} catch (const std::bad_alloc&) {
  return false;
}

bool Pending::try_hold(std::shared_ptr<const void>& keep) noexcept {
  const std::lock_guard guard(mutex_);
  if (!make_room()) return false;
  Held& slot = ring_[(first_ + size_) % ring_.size()];
  if (core_.calls().event_record(slot.event, stream_) != abi::kSuccess) return false;
  slot.keep = std::move(keep);
  ++size_;
  return true;
}

void Pending::hold(std::shared_ptr<const void> keep) {
  release_done(false);
  if (try_hold(keep)) return;
  core_.check(core_.calls().stream_synchronize(stream_), "synchronize a stream");
}

void Pending::release_done(bool all) noexcept {
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

void Pending::close() noexcept {
  for (const Held& held : ring_) core_.calls().event_destroy(held.event);
}

}  // namespace kiln::backend::gpu
