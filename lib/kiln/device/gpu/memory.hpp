// Where a GPU's memory comes from: a pool of the driver's, the driver itself, or the user's allocator; how much is in use, and
// how much may be. It orders no streams: that is the backend's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "device/gpu/core.hpp"
#include "kiln/memory.hpp"

namespace kiln::backend::gpu {

/// Thread-safe. The device has to be current for every call but those that read or set numbers.
class DeviceMemory {
 public:
  /// Makes a pool where the driver has them.
  explicit DeviceMemory(const Core& core);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Whether there is a pool, which hands out and takes back in the order of a stream. Else the driver does so at once.
  [[nodiscard]] bool has_pool() const noexcept { return pool_ != nullptr; }
  /// kOutOfMemory beyond the limit as well. Throws what a user's allocator throws, but std::bad_alloc.
  [[nodiscard]] abi::Status allocate(void** address, std::size_t bytes, abi::Handle stream);
  /// DeviceError that says why allocate() gave that status, with the sizes that tell.
  [[noreturn]] void fail(abi::Status status, std::size_t bytes) const;
  /// `bytes` as it was allocated with. To whom it came from.
  void deallocate(void* address, std::size_t bytes, abi::Handle stream) noexcept;
  /// Gives what the pool keeps back to the driver.
  void trim() noexcept;

  [[nodiscard]] MemoryStats stats() const;
  void reset_peak() noexcept { peak_.store(used_.load()); }
  void set_limit(std::optional<std::int64_t> bytes) noexcept;
  void set_allocator(const Device& device, MemoryAllocator functions);

 private:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  struct Allocator {
    Device device;
    MemoryAllocator functions;
  };

  void create_pool();
  [[nodiscard]] abi::Status take(void** address, std::size_t bytes, abi::Handle stream) const noexcept;
  [[nodiscard]] abi::Status take_from_user(void** address, std::size_t bytes, abi::Handle stream,
                                           const std::shared_ptr<const Allocator>& user);
  [[nodiscard]] bool give_to_user(void* address, std::size_t bytes, abi::Handle stream) noexcept;
  [[nodiscard]] bool count(std::size_t bytes) noexcept;
  void uncount(std::size_t bytes) noexcept;

  const Core& core_;
  abi::Handle pool_ = nullptr;
  std::atomic<std::int64_t> used_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> allocations_{0};
  std::atomic<std::int64_t> limit_{kNoLimit};
  std::atomic<bool> has_user_{false};  // there was an allocator of the user's: blocks may be its own
  mutable std::mutex user_mutex_;
  std::shared_ptr<const Allocator> user_;
  std::unordered_map<void*, std::shared_ptr<const Allocator>> user_blocks_;
};

}  // namespace kiln::backend::gpu
