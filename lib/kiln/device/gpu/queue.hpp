// A stream of the driver: one of kiln's that does not wait for the default one, or the host program's.
//
// Memory is handed out and taken back in the order of the default stream. Two rules make that right for queues: a queue
// waits for the default stream once after each time that memory was handed out or copied to there, and a launch on a queue
// holds its memory until an event says that it is done.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "device/gpu/core.hpp"
#include "device/gpu/pending.hpp"

namespace kiln::backend::gpu {

/// Thread-safe. The device has to be current for every call but the constructor, synchronize() and the destructor.
class GpuQueue final : public Queue {
 public:
  /// `priority` is brought into the driver's range; 0 is the usual one.
  GpuQueue(const Core& core, int priority);
  /// Borrows the host program's stream. DeviceError where the driver says that it is another device's.
  GpuQueue(const Core& core, abi::Handle stream);
  ~GpuQueue() override;
  GpuQueue(const GpuQueue&) = delete;
  GpuQueue& operator=(const GpuQueue&) = delete;

  void synchronize() override;
  [[nodiscard]] void* native() const noexcept override { return stream_; }
  [[nodiscard]] abi::Handle stream() const noexcept { return stream_; }
  [[nodiscard]] const Core& core() const noexcept { return core_; }

  /// Before work that may touch memory handed out, or copied to, on the default stream since the last time.
  void wait_for_memory();
  /// The queue's next work waits for all that the default stream has now; noexcept and without a report for destructors.
  abi::Status wait_for_default() noexcept;
  /// The default stream's next work waits for all that the queue has now.
  abi::Status let_default_wait() noexcept;
  /// What is queued becomes a graph: it waits for nothing, and scratch memory is the graph's, which has it in that list.
  void record_with(std::vector<std::pair<void*, std::size_t>>& scratch) noexcept { scratch_ = &scratch; }
  /// The list; null: it does not record.
  [[nodiscard]] std::vector<std::pair<void*, std::size_t>>* recorded_scratch() const noexcept { return scratch_; }
  /// Holds `keep` until all that is queued now is done.
  void hold(std::shared_ptr<const void> keep) { pending_->hold(std::move(keep)); }
  [[nodiscard]] Pending& pending() noexcept { return *pending_; }
  /// Lets go of what work that is done has kept.
  void release_done() noexcept { pending_->release_done(true); }

 private:
  void make_stream(int priority);
  void make_event();
  void require_own(abi::Handle stream) const;

  const Core& core_;
  abi::Handle stream_ = nullptr;
  bool borrowed_ = false;
  abi::Handle order_ = nullptr;  // of the two waits between streams
  std::mutex mutex_;
  std::uint64_t seen_memory_ = 0;
  std::optional<Pending> pending_;
  std::vector<std::pair<void*, std::size_t>>* scratch_ = nullptr;
};

/// The driver's stream of a queue; null: the default one.
[[nodiscard]] inline abi::Handle stream_of(const Queue* queue) noexcept {
  return queue == nullptr ? nullptr : static_cast<const GpuQueue*>(queue)->stream();
}

}  // namespace kiln::backend::gpu
