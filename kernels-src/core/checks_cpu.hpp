// Where a thread is, and the checks of a kernel on the CPU that is compiled for debugging.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/faults.hpp"

namespace kiln::debug {

static thread_local kinds::FaultPlace place_of_thread = {-1, {-1, -1, -1}, {-1, -1, -1}};
KILN_FN void enter_item(int64 item) {
  place_of_thread.item = item;
}
KILN_FN void enter_thread(uint32 bx, uint32 by, uint32 bz, uint32 tx, uint32 ty, uint32 tz) {
  place_of_thread = {-1, {int32(bx), int32(by), int32(bz)}, {int32(tx), int32(ty), int32(tz)}};
}
KILN_FN kinds::FaultPlace place() {
  return place_of_thread;
}

}  // namespace kiln::debug

#include "kiln/core/checks.hpp"
