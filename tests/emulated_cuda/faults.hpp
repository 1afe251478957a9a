// What a processor refuses while a fiber runs: memory that is not there, misaligned accesses, endless loops. The fiber pauses
// for good; everything else's signals go where they went before.
#pragma once

#include <string>

namespace kiln_emulated {

struct Fault {
  int status = 0;  ///< CUDA's
  std::string what;
};

/// Watches the calling thread while it lives. One at a time in a process.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;
};

void clear_fault();
Fault last_fault();

}  // namespace kiln_emulated
