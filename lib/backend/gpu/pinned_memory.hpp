// Page-locked host memory of one GPU's driver, kept for reuse: locking pages costs more than copying them.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "backend/gpu/core.hpp"

namespace kiln::backend::gpu {

/// Thread-safe. Keeps up to kMostIdle bytes that nobody uses; what was given back first makes room for the next.
class PinnedMemory {
 public:
  explicit PinnedMemory(const Core& core) noexcept : core_(core) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  static constexpr std::size_t kMostIdle = std::size_t{256} << 20;

  /// Ordinary memory where the driver has no page-locked one. DeviceError where there is not so much.
  [[nodiscard]] void* allocate(std::size_t bytes);
  /// `bytes` as it was allocated with.
  void deallocate(void* address, std::size_t bytes) noexcept;
  /// Gives what is idle back to the driver. The device has to be current.
  void release() noexcept;

 private:
  struct Block {
    void* address;
    std::size_t bytes;
  };
  [[nodiscard]] bool locks() const noexcept {
    return core_.calls().host_allocate != nullptr && core_.calls().host_deallocate != nullptr;
  }
  [[nodiscard]] void* take(std::size_t size) noexcept;
  [[nodiscard]] std::vector<Block> drop_to(std::size_t most) noexcept;
  void free(const std::vector<Block>& blocks) noexcept;

  const Core& core_;
  std::mutex mutex_;
  std::vector<Block> idle_;  // the one given back first is the first
  std::size_t idle_bytes_ = 0;
};

}  // namespace kiln::backend::gpu
