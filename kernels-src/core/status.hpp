// What a call of a linked device function does that returns a status other than 0 (kiln::declare_device): the first of them
// becomes an error of the kernel's call.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/faults.hpp"

#if !KILN_DEBUG
extern "C" {
KILN_FAULT_BUFFER kiln::kinds::FaultBuffer kiln_faults;
}
#endif

namespace kiln {

KILN_NOINLINE void fail_status(const char* function, int32 status) {
  KILN_ATOMIC_ADD(&kiln_faults.count, 1u);
  if (!KILN_ATOMIC_CLAIM(&kiln_faults.claimed)) {
    return;
  }
  kinds::Fault& fault = kiln_faults.first;
  fault.kind = kinds::FaultKind::status;
  fault.argument = -1;
  fault.rank = 0;
  fault.index[0] = status;
#if KILN_DEBUG
  fault.place = debug::place();
#else
  fault.place = {-1, {-1, -1, -1}, {-1, -1, -1}};
#endif
  fault.line = 0;
  fault.column = 0;
  fault.file[0] = 0;
  int32 i = 0;
  for (; function[i] != 0 && i < kinds::kFaultChars - 1; ++i) {
    fault.text[i] = function[i];
  }
  fault.text[i] = 0;
}

}  // namespace kiln
