// The memory that arrays and kernels take on a device: how much there is of it, how much they may take, and where it comes
// from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// What kiln has of a device's memory, in bytes. On the CPU it counts host arrays of 2 MiB and more, in whole huge pages;
/// smaller ones are the C library's.
struct MemoryStats {
  std::int64_t used = 0;              ///< in arrays, and in what kernels use among themselves
  std::int64_t kept = 0;              ///< freed by arrays and kept for the next ones; what a driver keeps, where it tells
  std::int64_t peak = 0;              ///< the most that was used at once since the start, or since reset_memory_peak()
  std::int64_t allocations = 0;       ///< that are in use
  std::optional<std::int64_t> limit;  ///< of `used`; none is set: no value
  std::optional<std::int64_t> free;   ///< on the device now, for all processes; no value on the CPU and where no driver tells
  std::int64_t total = 0;             ///< of the whole device; on the CPU what the process may use
};

/// Asks for the numbers now. Thread-safe; what other threads do meanwhile may be in one of the numbers and not in another.
/// DeviceError where the device cannot be opened.
[[nodiscard]] KILN_API MemoryStats memory_stats(const Device& device);

/// From now on the peak is the most that is used from here on. Thread-safe. DeviceError as above.
KILN_API void reset_memory_peak(const Device& device);

/// Gives what is kept back to the driver, or to the system. On a GPU it waits for all work of the process there, and lets go
/// of the arrays that were kept for that work. Thread-safe. DeviceError as above, and where the work has failed.
KILN_API void trim(const Device& device);

/// How many bytes may be in use at once; no value: as many as there are. An allocation that would be more is a DeviceError, and
/// what is in use already stays. What is kept counts against it, too: it is given back first. A GPU's limit is
/// KILN_DEVICE_MEMORY_LIMIT at first. Thread-safe. DeviceError for a negative number, and as above.
KILN_API void set_memory_limit(const Device& device, std::optional<std::int64_t> bytes);

/// Functions that hand out a GPU's memory in the place of kiln, such as a host program's pool. They are called by several
/// threads at once, with the device current, and must not call kiln.
struct MemoryAllocator {
  /// The address of at least `bytes` > 0 bytes, aligned to 256, that work queued on the stream from now on may use. `stream`
  /// is the vendor's; null: its default stream. A null address and std::bad_alloc say that there is no room: kiln then gives
  /// back what it can and asks once more. Other exceptions go to the caller of kiln.
  std::function<void*(std::size_t bytes, const Device& device, void* stream)> allocate;
  /// Takes memory of allocate() back, of the same `bytes`. Work that is queued on `stream` before may still use it. Must not
  /// throw.
  std::function<void(void* address, std::size_t bytes, const Device& device, void* stream)> deallocate;
};

/// From now on the GPU's memory comes from there; no functions: from kiln's own pool again. Memory goes back to whom it came
/// from, so that it may be set at any time; the functions are kept until then. memory_stats() and the limit count it like all
/// other. Thread-safe. DeviceError for the CPU, for one function without the other, and as above.
KILN_API void set_allocator(const Device& device, const MemoryAllocator& allocator);

}  // namespace kiln
