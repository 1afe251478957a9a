// The factor of the norm, and tasks of several threads, on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.hpp"
#include "kiln/device.hpp"

namespace kiln::fft {

/// Elements in memory.
struct Region {
  struct Axis {
    std::int64_t extent;
    std::int64_t stride;  ///< bytes, not 0
  };
  char* data = nullptr;
  bool single = true;
  bool complex = true;
  std::vector<Axis> axes;  ///< in any order; none: one element
};

/// Multiplies each element. Large regions are divided among the device's threads.
void multiply(const Region& region, double factor, const Device& device);

/// The same of numbers that lie together, by the caller.
void multiply_reals(void* values, std::int64_t count, bool single, double factor);

/// Calls work(task) for each of [0, tasks), several at once by the device's threads.
void for_each_task(std::int64_t tasks, const Device& device, base::FunctionRef<void(std::int64_t)> work);

}  // namespace kiln::fft
