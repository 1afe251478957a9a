// Streams: a handle on a backend's queue.
#include "kiln/stream.hpp"

#include "backend/backend.hpp"
#include "backend/capture.hpp"

namespace kiln {

Stream::Stream(const Device& device) : device_(device), queue_(backend::backend_for(device).make_queue()) {}

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

}  // namespace kiln
