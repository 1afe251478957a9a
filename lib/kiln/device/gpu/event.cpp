// A driver's event.
#include "device/gpu/event.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "device/gpu/queue.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
GpuEvent::GpuEvent(const Core& core) : core_(core) {
  core.require_usable();
  const Current current(core);
  core.check(core.calls().event_create(&event_, abi::kEventWithTiming), "create an event");
}

GpuEvent::~GpuEvent() {
  if (!core_.usable()) return;
  const Current current(core_, std::nothrow);
  if (current.ok()) core_.calls().event_destroy(event_);
}

void GpuEvent::record(Queue* queue) {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().event_record(event_, stream_of(queue)), "record an event");
}

void GpuEvent::wait(Queue* queue) {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().stream_wait_event(stream_of(queue), event_, 0), "wait for an event");
}

bool GpuEvent::done() const {
  core_.require_usable();
  const Current current(core_);
  const abi::Status status = core_.calls().event_query(event_);
  if (status != abi::kNotReady) core_.check(status, "ask for an event");
  return status == abi::kSuccess;
}

void GpuEvent::synchronize() const {
  core_.require_usable();
  const Current current(core_);
  core_.check(core_.calls().event_synchronize(event_), "wait for an event");
}

bool GpuEvent::wait_until(std::chrono::steady_clock::time_point end) const {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  // The sleep costs a small part of the wait, and short waits none.
  constexpr microseconds kAwake{100};
  constexpr microseconds kLongest{1000};
  const Clock::time_point begin = Clock::now();
  while (!done()) {
    const Clock::time_point now = Clock::now();
    if (now >= end) return false;
    if (now - begin < kAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>({(now - begin) / 16, kLongest, end - now}));
    }
  }
  return true;
}

double GpuEvent::milliseconds_since(const Event& start) const {
  core_.require_usable();
  const Current current(core_);
  float milliseconds = 0;
  const abi::Status status = core_.calls().event_elapsed(&milliseconds, static_cast<const GpuEvent&>(start).event_, event_);
  // The drivers' answers for an event that is not done, and for one that was never recorded.
  if (status == abi::kNotReady || status == abi::kInvalidHandle) {
    throw DeviceError("failed to take the time between events on " + core_.name() +
                          ": one is not recorded or not reached; synchronize() both first",
                      status, core_.driver().error_name(status));
  }
  core_.check(status, "take the time between events");
  return static_cast<double>(milliseconds);
}

}  // namespace kiln::backend::gpu
