// Memory for host arrays: 64-byte aligned, one allocation with its reference count while it is small, pages of the pool when it
// is large.
#pragma once

#include <cstddef>
#include <memory>

namespace kiln::detail {

struct HostMemory {
  std::shared_ptr<void> owner;  ///< frees it
  char* data = nullptr;         ///< never null, also for zero bytes
};

/// `zeroed` costs nothing for large blocks. DeviceError (no code) where the system has no memory left.
HostMemory allocate_host(std::size_t bytes, bool zeroed);

}  // namespace kiln::detail
