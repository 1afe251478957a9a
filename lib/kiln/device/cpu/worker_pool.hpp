// Threads that help a caller through a list of tasks: oneTBB's workers, which look out for the next list a little while before
// they go. One that sleeps comes 20 to 50 µs after it was called in a virtual machine, and calling it takes the caller 10: in a
// row of calls of 50 µs it may come too late for every one.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "device/cpu/cache_line.hpp"

namespace kiln::backend::cpu {

/// Up to `helpers` threads of an arena. Thread-safe: one caller at a time has them.
class WorkerPool : public std::enable_shared_from_this<WorkerPool> {
 public:
  using Task = void (*)(const void* work, std::int64_t index);

  WorkerPool(oneapi::tbb::task_arena& arena, int helpers) : arena_(arena), shares_(static_cast<std::size_t>(helpers) + 1) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls task(work, i) for each i of [0, count), in the caller and in `most` - 1 helpers at the most, and returns when all
  /// is done. Each thread begins with a share of its own, the same one in call after call, whose data its caches may still
  /// have. What a task throws is thrown here, when those that had begun are done; none begins after it. False where another
  /// caller has the workers: nothing was called.
  bool run(std::int64_t count, const void* work, Task task, std::size_t most);

  /// Whether a helper spin-waits, or is called.
  [[nodiscard]] bool has_helpers() const noexcept;
  /// How long one takes to come, as of late: 20 µs at first, 100 at most.
  [[nodiscard]] double arrival_ns() const noexcept { return arrival_ns_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  struct alignas(kCacheLine) Share {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
    std::atomic<bool> has_helper{false};  // or one is called
  };

  void call_helpers(std::size_t parties) noexcept;
  void help(std::size_t self, Clock::time_point called) noexcept;
  bool look(std::size_t self, std::uint64_t& last) noexcept;
  bool leave(std::size_t self, std::uint64_t& last) noexcept;
  void take_tasks(std::size_t self) noexcept;

  oneapi::tbb::task_arena& arena_;
  std::vector<Share> shares_;  // the caller's first

  std::atomic<double> arrival_ns_{20'000};
  alignas(kCacheLine) std::atomic<bool> taken_{false};
  // The list: written by the one caller while it is closed and nobody is inside.
  alignas(kCacheLine) const void* work_ = nullptr;
  Task task_ = nullptr;
  std::size_t parties_ = 0;
  std::exception_ptr error_;
  std::atomic<bool> failed_{false};
  // Its number, from kPartiesBits on, and below how many it is for; 0 there while it is closed.
  static constexpr int kPartiesBits = 16;
  alignas(kCacheLine) std::atomic<std::uint64_t> list_{0};
  alignas(kCacheLine) std::atomic<int> inside_{0};
};

}  // namespace kiln::backend::cpu
