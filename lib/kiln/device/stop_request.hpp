// What may end a call before its work is done: its .stop, its .timeout. The call passes it to all that works for it.
#pragma once

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

 private:
  std::string what_;
  std::stop_token token_;
  std::chrono::nanoseconds timeout_;
  Clock::time_point deadline_ = Clock::time_point::max();
};

inline constexpr const char* kPartlyWritten = "its outputs are partly written";
inline constexpr const char* kNothingWritten = "nothing was written";

}  // namespace kiln::backend
