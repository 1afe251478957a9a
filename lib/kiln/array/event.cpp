// Events: a handle on a backend's.
#include "kiln/event.hpp"

#include <chrono>

#include "device/backend.hpp"
#include "device/capture.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"

namespace kiln {

Event::Event(const Device& device) : device_(device), event_(backend::backend_for(device).make_event()) {}

void Event::record(const Stream& stream) const {
  backend::Capture::refuse("an event", "it would be recorded now, and not when the graph runs; record it around the launch");
  if (!stream.is_default() && !stream.device().same_memory(device_)) {
    throw DeviceError("cannot record an event of " + to_string(device_) + " on a stream of " + to_string(stream.device()) +
                      ": make the event for the stream's device");
  }
  handle()->record(stream.queue().get());
}

const std::shared_ptr<backend::Event>& Event::handle() const {
  if (!valid()) throw TypeError("an Event that was moved from was used: assign another one first");
  return event_;
}

bool Event::done() const {
  return handle()->done();
}

void Event::synchronize() const {
  handle()->synchronize();
}

bool Event::wait_for(std::chrono::nanoseconds timeout) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point now = Clock::now();
  return handle()->wait_until(timeout < Clock::time_point::max() - now ? now + timeout : Clock::time_point::max());
}

double Event::elapsed_ms(const Event& start) const {
  if (!device_.same_memory(start.device_)) {
    throw DeviceError("cannot take the time from an event of " + to_string(start.device_) + " to one of " + to_string(device_) +
                      ": their clocks are not the same; record both on one device");
  }
  return handle()->milliseconds_since(*start.handle());
}

}  // namespace kiln
