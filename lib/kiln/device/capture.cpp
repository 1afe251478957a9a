// Launches that are recorded instead of run.
#include "device/capture.hpp"

#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln::backend {
namespace {

thread_local Capture* own_capture = nullptr;

}  // namespace

std::atomic<int> Capture::running{0};

Capture* Capture::of_thread() noexcept {
  return own_capture;
}

void Capture::fail(const std::string& what, const char* why) {
  throw Because<DeviceError>(Reason::capture, what + " cannot be captured: " + why);
}

Capture::Capture(Queue* queue) : queue_(queue) {
  if (own_capture != nullptr)
    throw Because<DeviceError>(Reason::capture, "capture: this thread is in a capture already; end that one first");
  own_capture = this;
  running.fetch_add(1, std::memory_order_relaxed);
}

Capture::~Capture() {
  own_capture = nullptr;
  running.fetch_sub(1, std::memory_order_relaxed);
}

void Capture::require_own(Backend& launching, const Queue* queue) {
  if (queue != queue_) {
    throw Because<DeviceError>(
        Reason::capture,
        "capture: a call inside goes to another stream than the one that is captured; give it .stream, or make it outside");
  }
  if (backend == nullptr) backend = &launching;
  if (backend != &launching) {
    throw Because<DeviceError>(
        Reason::capture, "capture: the calls inside run on two devices; capture those of each device on a stream of its own");
  }
}

}  // namespace kiln::backend
