// What may end a call before its work is done: its .stop, its .timeout. A call has it on its thread; what runs parts of the
// call asks for it, and pays one look at a number where no call of the process has one.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace kiln::backend {

class Backend;
class Queue;

class StopRequest {
 public:
  using Clock = std::chrono::steady_clock;

  /// `what` is the function, for messages. `timeout` counts from now; 0: there is none. TypeError for a negative one.
  StopRequest(std::string what, std::stop_token token, std::chrono::nanoseconds timeout);

  /// Whether the call is to end. Looks at the clock where there is a timeout.
  [[nodiscard]] bool due() const noexcept;
  /// Stopped where due(): "add: stopped: its .stop was requested; <written>".
  void require_not_due(const char* written) const;
  /// Stopped. `written` says what has become of the outputs.
  [[noreturn]] void fail(const std::string& written) const;

  /// GPU: waits in the caller for all that is queued. Where the call is due first: Stopped, and `keep` is held until the work
  /// is done. DeviceError of the work.
  void wait(Backend& backend, Queue* queue, const std::shared_ptr<const void>& keep) const;

  /// Of the call that this thread works for; null: none, or it cannot be stopped.
  [[nodiscard]] static const StopRequest* current() noexcept {
    return active.load(std::memory_order_relaxed) == 0 ? nullptr : of_thread();
  }

 private:
  friend class StopScope;
  [[nodiscard]] static const StopRequest* of_thread() noexcept;
  static std::atomic<int> active;  // scopes of all threads: nearly always none

  std::string what_;
  std::stop_token token_;
  std::chrono::nanoseconds timeout_;
  Clock::time_point deadline_ = Clock::time_point::max();
};

inline constexpr const char* kPartlyWritten = "its outputs are partly written";
inline constexpr const char* kNothingWritten = "nothing was written";

/// While it lives, the request is its thread's. Of one thread; null leaves what is there.
class StopScope {
 public:
  explicit StopScope(const StopRequest* request) noexcept;
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopRequest* request_;
  const StopRequest* before_ = nullptr;
};

/// While it lives, the thread has no request: it calls a function of the user's, whose own calls are not the call's work.
class Unstoppable {
 public:
  Unstoppable() noexcept;
  ~Unstoppable();
  Unstoppable(const Unstoppable&) = delete;
  Unstoppable& operator=(const Unstoppable&) = delete;

 private:
  const StopRequest* before_;
};

}  // namespace kiln::backend
