// A point in the work of a stream, with the time at which it was reached. An Event is a shared handle: copies name the same
// event.
#pragma once

#include <chrono>
#include <memory>

#include "kiln/device.hpp"
#include "kiln/export.hpp"
#include "kiln/stream.hpp"

namespace kiln {

namespace backend {
class Event;
}

/// Marks how far a stream has come. Another stream can wait for it, the program can test it or wait, and two events measure the
/// time between them. Thread-safe. Destroying the last handle waits for nothing.
class KILN_API Event {
 public:
  /// Constructs an event without recorded work. Throws DeviceError if the device is not available, or has no event left.
  explicit Event(const Device& device);

  /// Returns true if the handle names an event. A moved-from handle is empty, and every other use of it throws TypeError.
  [[nodiscard]] bool valid() const noexcept { return event_ != nullptr; }
  /// Returns the device of the event.
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Marks the work that is queued on the stream now and forgets an earlier mark. A default Stream means the device's default
  /// stream. On the CPU that is the caller itself, so the event is done at once. Throws DeviceError for a stream of another
  /// device.
  void record(const Stream& stream = {}) const;
  /// Returns true if the marked work is done, or if nothing was recorded; it does not wait. Throws DeviceError if the device is
  /// lost.
  [[nodiscard]] bool done() const;
  /// Waits until the marked work is done; returns at once if nothing was recorded. Stream::synchronize() throws a fault of that
  /// work; on a GPU this function throws it (DeviceError), too.
  void synchronize() const;
  /// Waits as synchronize() does, but for at most `timeout`. Returns done(). 0 and less wait for nothing.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds timeout) const;
  /// Returns the milliseconds from `start` to this event by the device's clock; negative if this one was reached first. Throws
  /// DeviceError unless both events are of one device, recorded, and done.
  [[nodiscard]] double elapsed_ms(const Event& start) const;

  /// Accessor for the library's own use.
  [[nodiscard]] const std::shared_ptr<backend::Event>& handle() const;

 private:
  Device device_;
  std::shared_ptr<backend::Event> event_;
};

}  // namespace kiln
