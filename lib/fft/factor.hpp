// The factor of the norm, on the CPU.
#pragma once

#include <cstdint>
#include <vector>

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
void multiply(Region region, double factor, const Device& device);

/// The same of numbers that lie together, by the caller.
void multiply_reals(void* values, std::int64_t count, bool single, double factor);

}  // namespace kiln::fft
