// Page-locked host memory of one GPU's driver, kept for reuse: locking pages costs more than copying them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "device/gpu/core.hpp"

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
  /// Memory of the host's own that is page-locked from now on, and is no longer. It may throw std::bad_alloc.
  void add_locked(void* address, std::size_t bytes);
  void remove_locked(void* address) noexcept;
  /// Whether the bytes lie in one block of either kind.
  [[nodiscard]] bool contains(const void* address, std::size_t bytes) const noexcept;
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
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> locked_;  // bytes of what is in use, by address
  std::vector<Block> idle_;                       // the one given back first is the first
  std::size_t idle_bytes_ = 0;
};

}  // namespace kiln::backend::gpu
