// The public functions of a device's memory. The CPU's is the page pool of the process, which has no backend.
#include "kiln/memory.hpp"

#include <limits>
#include <string>

#include "base/page_pool.hpp"
#include "base/usable_memory.hpp"
#include "kiln/error.hpp"
#include "registry/registry.hpp"

namespace kiln {

MemoryStats memory_stats(const Device& device) {
  if (!device.is_cpu()) return backend::backend_for(device).memory_stats();
  const base::PagePool::Stats pool = base::page_pool().stats();
  MemoryStats stats;
  stats.used = static_cast<std::int64_t>(pool.used);
  stats.kept = static_cast<std::int64_t>(pool.kept);
  stats.peak = static_cast<std::int64_t>(pool.peak);
  stats.allocations = static_cast<std::int64_t>(pool.blocks);
  if (pool.most != base::PagePool::kNoLimit) stats.limit = static_cast<std::int64_t>(pool.most);
  stats.total = static_cast<std::int64_t>(base::usable_memory());
  return stats;
}

void reset_memory_peak(const Device& device) {
  if (device.is_cpu()) return base::page_pool().reset_peak();
  backend::backend_for(device).reset_memory_peak();
}

void trim(const Device& device) {
  if (device.is_cpu()) return base::page_pool().release();
  backend::backend_for(device).trim();
}

void set_memory_limit(const Device& device, std::optional<std::int64_t> bytes) {
  if (bytes && *bytes < 0) {
    throw DeviceError("set_memory_limit: " + std::to_string(*bytes) +
                      " bytes; give a number that is not negative, or std::nullopt for no limit");
  }
  if (!device.is_cpu()) return backend::backend_for(device).set_memory_limit(bytes);
  base::page_pool().set_most(bytes ? static_cast<std::size_t>(*bytes) : base::PagePool::kNoLimit);
}

void set_allocator(const Device& device, const MemoryAllocator& allocator) {
  if (device.is_cpu()) {
    throw DeviceError(
        "set_allocator: the CPU's memory has no allocator of the user's; wrap memory of your own with Array::view");
  }
  if ((allocator.allocate == nullptr) != (allocator.deallocate == nullptr)) {
    throw DeviceError("set_allocator: there is only one of .allocate and .deallocate; give both, or none for kiln's own pool");
  }
  backend::backend_for(device).set_allocator(device, allocator);
}

}  // namespace kiln
