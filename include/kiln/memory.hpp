// The memory that arrays and kernels use on a device: its size, its limit, and its allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Statistics of kiln's memory on a device, in bytes. On the CPU they cover host arrays of 2 MiB and more, in whole huge pages;
/// smaller arrays use the C library's allocator.
struct MemoryStats {
  std::int64_t used = 0;  ///< memory of arrays, and temporary memory of kernels
  /// Memory that arrays freed and that is pooled for later ones; includes the driver's pool, if it reports one.
  std::int64_t kept = 0;
  std::int64_t peak = 0;              ///< maximum of `used` since the start, or since reset_memory_peak()
  std::int64_t allocations = 0;       ///< number of allocations in use
  std::optional<std::int64_t> limit;  ///< limit of `used`; no value: none is set
  /// Free memory of the device, for all processes; no value on the CPU or if no driver reports it.
  std::optional<std::int64_t> free;
  std::int64_t total = 0;  ///< size of the device's memory; on the CPU the memory that the process may use
};

/// Returns the current statistics. Work of other threads during the call may be in one number and not in another. Throws
/// DeviceError if the device cannot be opened. Thread-safe.
[[nodiscard]] KILN_API MemoryStats memory_stats(const Device& device);

/// Restarts the peak at the current use. Throws DeviceError if the device cannot be opened. Thread-safe.
KILN_API void reset_memory_peak(const Device& device);

/// Returns pooled memory to the driver, or to the system. On a GPU the call waits for all work of the process there, and
/// releases the arrays that this work kept alive. Throws DeviceError if the device cannot be opened, and if the work has
/// failed. Thread-safe.
KILN_API void trim(const Device& device);

/// Limits the bytes in use at once; no value: no limit. An allocation beyond the limit throws DeviceError. Memory in use
/// already is not affected. Pooled memory counts, too, but is returned first.
///
/// A GPU's limit starts as KILN_DEVICE_MEMORY_LIMIT. Throws DeviceError for a negative number, and if the device cannot be
/// opened. Thread-safe.
KILN_API void set_memory_limit(const Device& device, std::optional<std::int64_t> bytes);

/// Functions that allocate a GPU's memory instead of kiln, such as a host program's pool. Several threads may call them at
/// once, with the device current. They must not call kiln.
struct MemoryAllocator {
  /// Returns the address of at least `bytes` > 0 bytes, aligned to 256. Work queued on the stream after the call may use them.
  /// `stream` is the vendor's; null: its default stream.
  ///
  /// A null address or std::bad_alloc means that memory is insufficient: kiln then returns pooled memory and asks once more.
  /// Other exceptions reach the caller of kiln.
  std::function<void*(std::size_t bytes, const Device& device, void* stream)> allocate;
  /// Frees memory of allocate(), with the same `bytes`. Work queued on `stream` before the call may still use it. Must not
  /// throw.
  std::function<void(void* address, std::size_t bytes, const Device& device, void* stream)> deallocate;
};

/// Makes these functions allocate the GPU's memory; no functions: kiln's own pool. Each block is freed by the allocator that
/// made it, so replacing the allocator is safe at any time. kiln holds the functions until their last block is freed.
///
/// memory_stats() and the limit count this memory like all other. Throws DeviceError for the CPU, for one function without the
/// other, and if the device cannot be opened. Thread-safe.
KILN_API void set_allocator(const Device& device, const MemoryAllocator& allocator);

}  // namespace kiln
