// A point in the work of a stream, with the time at which it was reached. An Event is a shared handle: copies name the same
// event.
#pragma once

#include <memory>

#include "kiln/device.hpp"
#include "kiln/export.hpp"
#include "kiln/stream.hpp"

namespace kiln {

namespace backend {
class Event;
}

/// Marks how far a stream has come: another stream can wait for it, the program can ask or wait, and two events tell the time
/// between them. Thread-safe. Destroying the last handle waits for nothing.
class KILN_API Event {
 public:
  /// An event that nothing was recorded in yet. DeviceError where the device is not there, or has no event left.
  explicit Event(const Device& device);

  /// Whether the handle names an event. It is empty after it was moved from, and every other use is a TypeError then.
  [[nodiscard]] bool valid() const noexcept { return event_ != nullptr; }
  /// Where it is.
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Marks the work that the stream has now; what was marked before is forgotten. A default Stream is the device's default
  /// stream: on the CPU the caller itself, so that the event is done at once. DeviceError for a stream of another device.
  void record(const Stream& stream = {}) const;
  /// Whether the marked work is done, without waiting; true where nothing was recorded. DeviceError where the device is lost.
  [[nodiscard]] bool done() const;
  /// Waits until the marked work is done; at once where nothing was recorded. A fault of that work is told by
  /// Stream::synchronize(); on a GPU here, too (DeviceError).
  void synchronize() const;
  /// Milliseconds of the device's clock from `start` to this event; negative where this one was reached first. DeviceError
  /// unless both are of one device, recorded, and done.
  [[nodiscard]] double elapsed_ms(const Event& start) const;

  /// For the library itself.
  [[nodiscard]] const std::shared_ptr<backend::Event>& handle() const;

 private:
  Device device_;
  std::shared_ptr<backend::Event> event_;
};

}  // namespace kiln
