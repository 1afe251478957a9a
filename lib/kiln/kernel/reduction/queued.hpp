// A launch of a reduction that outlives the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/reduction/launch.hpp"

namespace kiln::kinds {

/// Everything that the launch refers to is copied.
struct QueuedReduction {
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> numbers;  // extents and strides
  struct alignas(16) Value {
    std::array<std::byte, 16> bytes;
  };
  std::vector<Value> values;         // of scalars
  std::vector<std::int64_t> beside;  // of the scalar that is larger
  alignas(kAccumulatorBytes) std::array<std::byte, kAccumulatorBytes> initial{};
  ReductionSegments segments;
  ReductionLaunch launch;

  explicit QueuedReduction(const ReductionLaunch& from);
  QueuedReduction(const QueuedReduction&) = delete;
  QueuedReduction& operator=(const QueuedReduction&) = delete;
};

}  // namespace kiln::kinds
