// Measures the launch shapes of a kernel that is about to be launched, and keeps the best.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "autotune/choice.hpp"
#include "autotune/session.hpp"
#include "autotune/tuned.hpp"
#include "base/function_ref.hpp"
#include "device/backend.hpp"
#include "kiln/cache_handle.hpp"

namespace kiln::autotune {

/// A loaded kernel whose launch shape is free.
struct Kernel {
  backend::Backend& backend;
  const std::shared_ptr<backend::Module>& module;  ///< with the cost model's accesses
  int accesses = 1;                                ///< the cost model's
  std::vector<int> all_accesses = {1};             ///< that it can be compiled for, with the cost model's
  const Cache& cache;
  /// Compiled for another number of accesses; throws kiln::Error.
  base::FunctionRef<std::shared_ptr<backend::Module>(int accesses)> load;
};

/// Takes what was measured before on this device, with this driver, from the kernel's cache. What does not fit the kernel is
/// left out; where a kernel for it cannot be had, the cost model goes on, which the log says.
void read(const Kernel& kernel, Tuned& tuned);

/// A launch of it.
struct Work {
  Session* session = nullptr;  ///< that asked for it; null: KILN_TUNE did
  backend::Queue* queue = nullptr;
  std::int64_t elements = 0;
  int width = 1;  ///< elements of an access
  Choice model;
  /// Queues the kernel once, on data that each run finds the same; throws DeviceError.
  base::FunctionRef<void(const backend::Module&, const Choice&)> run;
  /// Queued before each run, and not measured.
  base::FunctionRef<void()> prepare;
};

/// Runs each candidate some times over, waits for them, and keeps the best in `tuned` and in the cache. Returns at once where
/// another thread measures, or the size class was tried. In a session it waits its turn, and fills the report. Throws what the
/// cost model's own launch does.
void measure(const Kernel& kernel, const Work& work, Tuned& tuned);

}  // namespace kiln::autotune
