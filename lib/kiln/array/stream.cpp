// Streams: a handle on a backend's queue.
#include "kiln/stream.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "base/of_thread.hpp"
#include "device/backend.hpp"
#include "device/capture.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "registry/registry.hpp"

namespace kiln {

Stream::Stream(const Device& device, StreamOptions options)
    : device_(device), queue_(backend::backend_for(device).make_queue(options.priority)) {}

namespace {

struct StreamsOfThread {
  std::vector<Stream> all;
};

}  // namespace

Stream Stream::per_thread(const Device& device) {
  std::vector<Stream>& own = base::of_thread<StreamsOfThread>().all;
  for (const Stream& stream : own) {
    if (stream.device_ == device) return stream;
  }
  return own.emplace_back(device);
}

Stream Stream::wrap(const Device& device, void* native) {
  return {device, backend::backend_for(device).wrap_queue(native)};
}

void* Stream::native() const noexcept {
  return queue_ != nullptr ? queue_->native() : nullptr;
}

void Stream::synchronize() const {
  backend::Capture::refuse("a wait for a stream", "the work inside runs only when the graph does; wait after the launch");
  if (queue_) {
    queue_->synchronize();
  } else {
    device_.synchronize();
  }
}

void Stream::wait(const Event& event) const {
  backend::Capture::refuse("a wait for an event", "it would be made now, and not when the graph runs; wait before the launch");
  if (!is_default() && !device_.same_memory(event.device())) {
    throw DeviceError("a stream of " + to_string(device_) + " cannot wait for an event of " + to_string(event.device()) +
                      ": wait for it in the program, with Event::synchronize()");
  }
  event.handle()->wait(queue_.get());
}

SynchronizeScope::SynchronizeScope(Stream stream) : stream_(std::move(stream)), exceptions_(std::uncaught_exceptions()) {}

SynchronizeScope::~SynchronizeScope() noexcept(false) {
  if (std::uncaught_exceptions() == exceptions_) {
    stream_.synchronize();
    return;
  }
  try {
    stream_.synchronize();
  } catch (...) {
    // The exception that leaves the scope is reported; two cannot be.
  }
}

SynchronizeScope auto_synchronize(const Stream& stream) {
  return SynchronizeScope(stream);
}

}  // namespace kiln
