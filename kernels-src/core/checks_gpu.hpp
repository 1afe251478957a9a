// Where a thread is, and the checks of a kernel on a GPU that is compiled for debugging.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/faults.hpp"

namespace kiln::debug {

// Kernels that go by items have blocks of up to 256 threads in one row.
#if KILN_DEBUG_ITEMS
static __shared__ int64 item_of_thread[256];
#endif
KILN_FN void enter_item(int64 item) {
#if KILN_DEBUG_ITEMS
  item_of_thread[threadIdx.x] = item;
#endif
}
KILN_FN kinds::FaultPlace place() {
  kinds::FaultPlace here = {-1,
                            {int32(blockIdx.x), int32(blockIdx.y), int32(blockIdx.z)},
                            {int32(threadIdx.x), int32(threadIdx.y), int32(threadIdx.z)}};
#if KILN_DEBUG_ITEMS
  here.item = item_of_thread[threadIdx.x];
#endif
  return here;
}

}  // namespace kiln::debug

#include "kiln/core/checks.hpp"
