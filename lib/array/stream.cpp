// Streams: a handle on a backend's queue.
#include "kiln/stream.hpp"

#include "backend/backend.hpp"

namespace kiln {

Stream::Stream(const Device& device) : device_(device), queue_(backend::backend_for(device).make_queue()) {}

Stream Stream::wrap(const Device& device, void* native) {
  return {device, backend::backend_for(device).wrap_queue(native)};
}

void* Stream::native() const noexcept {
  return queue_ != nullptr ? queue_->native() : nullptr;
}

void Stream::synchronize() const {
  if (queue_) {
    queue_->synchronize();
  } else {
    device_.synchronize();
  }
}

}  // namespace kiln
