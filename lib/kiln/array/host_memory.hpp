// Memory for host arrays: behind the array's rep while it is small, pages of the pool when it is large.
#pragma once

#include <cstddef>
#include <memory>

#include "array/rep.hpp"

namespace kiln::detail {

/// Returns a rep with `bytes` bytes of host memory at `data`, which is never null; the caller fills in the rest. Memory of 64
/// bytes and more is aligned to 64 bytes, less to 16. `zeroed` costs nothing for large blocks. DeviceError (no code) where the
/// system has no memory left.
std::shared_ptr<ArrayRep> allocate_host(std::size_t bytes, bool zeroed);

}  // namespace kiln::detail
