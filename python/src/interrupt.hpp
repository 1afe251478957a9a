// Ctrl+C during a call that may take long.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// Ends the call that was given `stop` when SIGINT comes while the object lives. It does so in the main thread alone, and if
/// Python handles SIGINT. A watching thread requests the stop, since a handler of signals may not.
class Interrupt {
 public:
  explicit Interrupt(bool wanted) noexcept;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  [[nodiscard]] const kiln_stop* stop() const noexcept { return active_ ? stop_.get() : nullptr; }
  /// Returns whether SIGINT came. Python's own handler then has KeyboardInterrupt ready.
  [[nodiscard]] bool came() const noexcept;

 private:
  StopHandle stop_;
  bool active_ = false;
};

/// Waits for an event without the GIL. In the main thread a handler of signals that raises ends the wait; the work goes on.
/// Returns false with an exception.
bool wait_for(const kiln_event* event);

/// Waits so in the main thread for the work that a stream has; nullptr: the default stream of the device. What fails is for the
/// stream's own wait, which follows, to say.
bool wait_for_work(kiln_device device, const kiln_stream* stream);

/// The number of elements from which a call is worth the two system calls.
inline constexpr npy_intp kInterruptible = 1 << 18;

}  // namespace kiln::python
