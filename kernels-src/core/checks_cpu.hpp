// Where a thread is, and the checks of a kernel on the CPU that is compiled for debugging.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/faults.hpp"

namespace kiln::debug {

static thread_local kinds::FaultPlace place_of_thread = {-1, {-1, -1, -1}, {-1, -1, -1}};
KILN_FN void enter_item(int64 item) {
  place_of_thread.item = item;
}
// The same where a body may crash at any instruction: nothing moves across.
static thread_local bool place_is_exact = false;
KILN_FN void stay_in_order() {
  place_is_exact = true;
  __asm__ volatile("" : : "r"(&place_of_thread) : "memory");
}
KILN_FN void enter_item_exactly(int64 item) {
  place_of_thread.item = item;
  stay_in_order();
}
// Consecutive items, from this one on: next_item() before each.
KILN_FN void begin_items(int64 first) {
  place_of_thread.item = first - 1;
}
KILN_FN void next_item() {
  ++place_of_thread.item;
}
KILN_FN void enter_thread(uint32 bx, uint32 by, uint32 bz, uint32 tx, uint32 ty, uint32 tz) {
  place_of_thread = {-1, {int32(bx), int32(by), int32(bz)}, {int32(tx), int32(ty), int32(tz)}};
  stay_in_order();
}
KILN_FN kinds::FaultPlace place() {
  return place_of_thread;
}

}  // namespace kiln::debug

#include "kiln/core/checks.hpp"

// Called by the host in the thread whose body a signal ended.
KILN_EXPORTED void kiln_crashed(int signal, kiln::uint64 address, int what, int line, int column, const char* file) {
  using namespace kiln::debug;
  if (Fault* const fault = begin_fault(FaultKind::crash, line, column, file)) {
    fault->bits = signal;
    fault->index[0] = kiln::int64(address);
    fault->index[1] = what;
    if (!place_is_exact) {
      fault->place = {-1, {-1, -1, -1}, {-1, -1, -1}};
    }
  }
}
