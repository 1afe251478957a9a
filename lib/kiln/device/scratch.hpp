// Device memory that the kernels of one launch use among themselves.
#pragma once

#include <cstddef>

#include "device/backend.hpp"

namespace kiln::backend {

/// Handed out and taken back in the order of the queue, so it may go as soon as the last kernel is queued.
class Scratch {
 public:
  /// None where `bytes` is 0. Throws as Backend::allocate does.
  Scratch(Backend& backend, std::size_t bytes, Queue* queue)
      : backend_(backend), queue_(queue), bytes_(bytes), address_(bytes == 0 ? nullptr : backend.allocate(bytes, queue)) {}
  ~Scratch() {
    if (address_ != nullptr) backend_.deallocate_scratch(address_, bytes_, queue_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] void* address() const noexcept { return address_; }

 private:
  Backend& backend_;
  Queue* queue_;
  std::size_t bytes_;
  void* address_;
};

}  // namespace kiln::backend
