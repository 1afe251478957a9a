// What listens: the records of a Profile, or of the process.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "profiling/call.hpp"
#include "profiling/device_clock.hpp"

namespace kiln::profiling {

struct HostSpan {
  Clock::time_point begin = {};
  Clock::time_point end = {};
};

/// A call that has returned. The record has all but its times.
struct Measured {
  CallRecord record;
  HostSpan host;
  std::optional<HostSpan> load = std::nullopt;
  std::optional<HostSpan> run = std::nullopt;             ///< of work that is done when a launch returns
  std::shared_ptr<const backend::Event> first = nullptr;  ///< of queued work: before the first launch
  std::shared_ptr<const backend::Event> last = nullptr;   ///< behind the last one
  std::shared_ptr<const DeviceClock> clock = nullptr;     ///< of the events
};

/// Thread-safe.
class Collector {
 public:
  /// `thread`: whose calls; nothing: all threads'.
  Collector(ProfileOptions options, std::optional<std::thread::id> thread);

  [[nodiscard]] bool hears(std::thread::id thread) const noexcept { return !thread_ || *thread_ == thread; }
  [[nodiscard]] bool wants_ranges() const noexcept { return options_.ranges; }
  /// Whether it has a use for times.
  [[nodiscard]] bool wants_records() const noexcept { return options_.limit > 0 || options_.on_call != nullptr; }

  /// The work of earlier calls that is done now is completed, too.
  void add(Measured call) noexcept;
  /// Waits for the work of all calls.
  void settle() noexcept;
  /// What is complete.
  [[nodiscard]] std::vector<CallRecord> records() const;
  [[nodiscard]] std::size_t dropped() const;
  /// What comes later is not kept, and once this returns the callback does not run and is not called again.
  void close() noexcept;
  /// Throws what the callback threw, once.
  void rethrow();

  /// Around fork(): before it, then in the parent, and in the child: what the parent's devices still do is not known there,
  /// and to `forget` is to be a child's own.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child(bool forget);

 private:
  void complete(Measured&& call) noexcept;
  void tell(const CallRecord& record) noexcept;

  const ProfileOptions options_;
  const std::optional<std::thread::id> thread_;
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;  ///< never held while something waits, or in the callback
  std::mutex settling_;       ///< who waits for the work of calls: another one finds them complete
  std::deque<Measured> pending_;
  std::vector<CallRecord> records_;
  std::size_t dropped_ = 0;
  std::exception_ptr thrown_;
  bool failed_ = false;  ///< the callback has thrown
  bool closed_ = false;
  int delivering_ = 0;  ///< threads in the callback
  std::condition_variable delivered_;
};

/// Makes it hear calls, until it is removed. Thread-safe.
void listen(const std::shared_ptr<Collector>& collector);
void remove(const Collector& collector) noexcept;
/// Those that hear calls of the thread. Asks the environment the first time.
[[nodiscard]] std::vector<std::shared_ptr<Collector>> hearing(std::thread::id thread);
/// Waits for the work of all calls that anyone recorded.
void settle_all() noexcept;

/// What the environment asks for (KILN_TRACE, KILN_TRACE_RANGES); null: nothing. Asked once.
[[nodiscard]] std::shared_ptr<Collector> open_process_trace() noexcept;

}  // namespace kiln::profiling
