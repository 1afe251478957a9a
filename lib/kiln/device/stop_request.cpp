// What may end a call before its work is done.
#include "device/stop_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "device/backend.hpp"
#include "kiln/error.hpp"

namespace kiln::backend {
namespace {

/// "200 ms": in the largest unit of which it is a whole number.
std::string duration_text(std::chrono::nanoseconds time) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1000, "us"}};
  for (const auto& [length, unit] : kUnits) {
    if (time.count() % length == 0) return fmt::format("{} {}", time.count() / length, unit);
  }
  return fmt::format("{} ns", time.count());
}

}  // namespace

StopRequest::StopRequest(std::string what, std::stop_token token, std::chrono::nanoseconds timeout)
    : what_(std::move(what)), token_(std::move(token)), timeout_(timeout) {
  if (timeout.count() < 0) {
    throw TypeError(what_ + ": .timeout is " + duration_text(timeout) + "; give a time above 0, or 0 for no limit");
  }
  const Clock::time_point now = Clock::now();
  if (timeout.count() > 0 && timeout < Clock::time_point::max() - now) deadline_ = now + timeout;
}

bool StopRequest::due() const noexcept {
  return token_.stop_requested() || (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_);
}

void StopRequest::require_not_due(const char* written) const {
  if (due()) fail(written);
}

void StopRequest::fail(const std::string& written) const {
  throw Stopped(what_ + ": stopped: " +
                (token_.stop_requested() ? std::string("its .stop was requested")
                                         : "it took longer than its .timeout of " + duration_text(timeout_)) +
                "; " + written);
}

void StopRequest::wait(Backend& backend, Queue* queue, const std::shared_ptr<const void>& keep) const {
  using std::chrono::microseconds;
  constexpr microseconds kLongest{1000};
  const std::shared_ptr<Event> event = backend.make_event();
  event->record(queue);
  for (microseconds pause{0}; !event->done(); pause = std::min(2 * pause + microseconds(1), kLongest)) {
    if (due()) {
      if (queue == nullptr) backend.outlive(keep);  // another queue holds it already
      fail("its kernel still runs on " + backend.name() +
           ", which is busy until the kernel ends; then its outputs are written");
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace kiln::backend
