// Device memory that the kernels of one launch use among themselves.
#pragma once

#include <cstddef>

#include "backend/gpu/backend.hpp"

namespace kiln::backend::gpu {

/// Handed out and taken back in the order of the queue, so it may go as soon as the last kernel is queued.
class Scratch {
 public:
  /// None where `bytes` is 0. Throws as Backend::allocate does.
  Scratch(GpuBackend& backend, std::size_t bytes, Queue* queue)
      : backend_(backend), queue_(queue), address_(bytes == 0 ? nullptr : backend.allocate(bytes, queue)) {}
  ~Scratch() { backend_.deallocate_scratch(address_, queue_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] void* address() const noexcept { return address_; }

 private:
  GpuBackend& backend_;
  Queue* queue_;
  void* address_;
};

}  // namespace kiln::backend::gpu
