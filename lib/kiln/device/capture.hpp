// Launches that are recorded instead of run, to be run again and again: what kiln::capture() does for the calls of its thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"

namespace kiln::backend {

/// Memory that another takes the place of: what was in [low, high) is `by` bytes from there.
struct Move {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  std::uintptr_t by = 0;  ///< modulo 2^64
};

/// Where an address is after the moves. Each of them is of what was before.
[[nodiscard]] inline std::uintptr_t moved(std::uintptr_t address, std::span<const Move> moves) noexcept {
  for (const Move& move : moves) {
    if (address >= move.low && address < move.high) return address + move.by;
  }
  return address;
}
template <class T>
[[nodiscard]] T* moved(T* address, std::span<const Move> moves) noexcept {
  return reinterpret_cast<T*>(moved(reinterpret_cast<std::uintptr_t>(address), moves));
}

/// One launch with the numbers that it needs, and its module. Immutable. The memory is its user's to keep.
class RecordedLaunch {
 public:
  virtual ~RecordedLaunch() = default;
  /// Launches it as the call did that was recorded, on any queue of the device.
  virtual void run(Queue* queue, const std::shared_ptr<const void>& keep) const = 0;
  /// The same launch on other memory.
  [[nodiscard]] virtual std::shared_ptr<const RecordedLaunch> moved(std::span<const Move> moves) const = 0;
  /// Whether its kernel checks itself, so that it is waited for.
  [[nodiscard]] virtual bool checks() const noexcept = 0;
};

using RecordedLaunches = std::vector<std::shared_ptr<const RecordedLaunch>>;

/// Recorded launches in a form in which they start faster. Thread-safe. Destroyed when its work is done.
class Replay {
 public:
  virtual ~Replay() = default;
  /// Queues all of them in their order, as one; `keep`, which holds this, too, is held until they are done. DeviceError where
  /// the driver refuses.
  virtual void start(Queue* queue, const std::shared_ptr<const void>& keep) = 0;
};

/// While it lives, launches of its thread to its queue are recorded.
class Capture {
 public:
  /// What launches use: the bytes of an array, and who keeps them.
  struct Memory {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    std::shared_ptr<const void> owner;
  };

  /// A null queue is the default stream. DeviceError where the thread records already.
  explicit Capture(Queue* queue);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The calling thread's; null: none.
  [[nodiscard]] static Capture* current() noexcept {
    return running.load(std::memory_order_relaxed) == 0 ? nullptr : of_thread();
  }
  /// DeviceError "<what> cannot be captured: <why>" where the calling thread records.
  static void refuse(const std::string& what, const char* why) {
    if (current() != nullptr) [[unlikely]]
      fail(what, why);
  }

  /// DeviceError where the launch goes to another queue or device than the others.
  void require_own(Backend& backend, const Queue* queue);
  void add(std::shared_ptr<const RecordedLaunch> launch) { launches.push_back(std::move(launch)); }

  RecordedLaunches launches;
  std::vector<Memory> memory;
  Backend* backend = nullptr;  ///< of the launches; null: there is none yet

 private:
  [[nodiscard]] static Capture* of_thread() noexcept;
  [[noreturn]] static void fail(const std::string& what, const char* why);

  static std::atomic<int> running;  // captures of all threads: nearly always none
  Queue* queue_;
};

}  // namespace kiln::backend
