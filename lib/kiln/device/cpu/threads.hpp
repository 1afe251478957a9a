// The threads of one CPU device: a oneTBB arena that is made when there is first enough work for it.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/function_ref.hpp"
#include "device/cpu/module.hpp"
#include "device/cpu/worker_pool.hpp"
#include "device/kernel_abi.hpp"
#include "device/stop_request.hpp"

namespace kiln::backend::cpu {

/// Work below this stays on the caller's thread: waking others costs 10 µs and more. So does what is not 1.5 times as long as
/// they took to come of late.
inline constexpr double kSerialNs = 20'000;
/// The same where helpers spin-wait: calls in a row take 0.5 to 0.75 of the time for 100,000 float32 of negative, add
/// and exp (8 to 30 µs in one thread), AMD EPYC, Zen 4, 2 vCPUs.
inline constexpr double kSerialBesideHelpersNs = 5'000;

/// A clock that only rises.
[[nodiscard]] double now_ns() noexcept;

/// How [0, size) is cut: `count` chunks of `elements` (a multiple of kCpuBlock), the last one shorter. count 1: serial.
struct Chunks {
  std::int64_t elements = 0;
  std::int64_t count = 1;
};

/// Pure. Chunks of at least half of `serial_ns`, and several for each thread, so that none waits long for the last; multiples
/// of `grain` elements. Work below `serial_ns` is not cut.
Chunks cut(std::int64_t size, double element_ns, int threads, std::int64_t grain = kCpuBlock, double serial_ns = kSerialNs);

/// Work that is divided by how long it takes.
struct Range {
  std::int64_t size = 0;
  double weight = 1;  ///< what an element costs beside those of other calls of the module: measures are kept for a weight of 1
  std::int64_t grain = 1;  ///< elements that are not cut apart, but at the end
};

/// Runs kernels over index ranges, on at most `count` threads and never more than oneTBB may use. Thread-safe.
class Threads {
 public:
  explicit Threads(int count) : count_(count) {}

  [[nodiscard]] int count() const noexcept { return count_; }

  /// Calls work(begin, end) for parts of [0, range.size), several at once, and returns when all is done. The parts follow from
  /// how long the module's elements took of late. All of it runs in the caller in a forked child, and where oneTBB finds
  /// neither memory nor threads to start. Throws Stopped if `stop` is due before a part begins; parts are then of 2 ms or
  /// less, as far as the grain and what elements took of late allow. What a part throws is thrown; no part begins after it.
  void parallel_for(const CpuModule& module, const Range& range, base::FunctionRef<void(std::int64_t, std::int64_t)> work,
                    const StopRequest* stop = nullptr);

  /// Calls `work` with each of [0, count), several at once, and returns when all is done. In the caller alone as above. Throws
  /// Stopped if `stop` is due before one begins. What a call throws is thrown; none begins after it.
  void parallel_for(std::int64_t count, base::FunctionRef<void(std::int64_t)> work, const StopRequest* stop = nullptr);

 private:
  using Work = base::FunctionRef<void(std::int64_t, std::int64_t)>;
  void run_stoppable(const CpuModule& module, const Range& range, Work work, const StopRequest& stop);
  void run_each(std::int64_t count, base::FunctionRef<void(std::int64_t)> work);
  void run_chunks(const CpuModule& module, std::int64_t begin, const Range& range, Chunks chunks, Work work);
  void share(std::int64_t count, base::FunctionRef<void(std::int64_t)> call);
  bool start(std::size_t allowed);
  double serial_ns(double work_ns) noexcept;

  int count_;
  std::mutex start_mutex_;
  double next_start_ = 0;
  std::unique_ptr<oneapi::tbb::task_arena> arena_;
  std::shared_ptr<WorkerPool> pool_;
  std::atomic<const WorkerPool*> known_{nullptr};  // the same, for those who do not start it
  std::atomic<double> last_short_end_{0};
  std::atomic<int> short_calls_{0};
};

/// The threads of a device as one launch has them: with what may stop the launch. A copy is as good.
class LaunchThreads {
 public:
  LaunchThreads(Threads& threads, const StopRequest* stop = nullptr) noexcept  // NOLINT(google-explicit-constructor)
      : threads_(threads), stop_(stop) {}

  [[nodiscard]] int count() const noexcept { return threads_.count(); }
  /// Returns null if the launch cannot be stopped.
  [[nodiscard]] const StopRequest* stop() const noexcept { return stop_; }
  void parallel_for(const CpuModule& module, const Range& range,
                    base::FunctionRef<void(std::int64_t, std::int64_t)> work) const {
    threads_.parallel_for(module, range, work, stop_);
  }
  void parallel_for(std::int64_t count, base::FunctionRef<void(std::int64_t)> work) const {
    threads_.parallel_for(count, work, stop_);
  }
  /// Returns in how many chunks to cut so many items. A launch that cannot be stopped is cut into `usual`, another into more.
  [[nodiscard]] std::int64_t chunks(std::int64_t items, std::int64_t usual) const noexcept {
    return stop_ == nullptr ? usual : std::max(usual, std::min(items, kChunksToStop));
  }

 private:
  static constexpr std::int64_t kChunksToStop = 65536;
  Threads& threads_;
  const StopRequest* stop_;
};

}  // namespace kiln::backend::cpu
