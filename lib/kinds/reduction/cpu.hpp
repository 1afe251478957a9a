// A reduction on the CPU: cut, shared between threads, and put together again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cpu/module.hpp"
#include "backend/cpu/threads.hpp"
#include "kernels-src/reduction/abi.hpp"
#include "kinds/reduction/launch.hpp"

namespace kiln::kinds {

/// What the kernel tells of itself.
[[nodiscard]] inline const CpuReduction& reduction_of(const cpu::CpuModule& module) {
  return *module.kernel<CpuReductionKernel>()();
}

/// Runs it and returns when all is done. The result is the same for any number of threads.
void reduce(const cpu::CpuModule& module, const ReductionLaunch& launch, cpu::Threads& threads);

/// The same of every segment: each result is that of a reduction of its own.
void reduce_segments(const cpu::CpuModule& module, const ReductionLaunch& launch, cpu::Threads& threads);

/// A launch that outlives the caller's: everything that it refers to is copied.
struct QueuedReduction {
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> numbers;  // extents and strides
  struct alignas(16) Value {
    std::array<std::byte, 16> bytes;
  };
  std::vector<Value> values;  // of scalars
  alignas(kAccumulatorBytes) std::array<std::byte, kAccumulatorBytes> initial{};
  ReductionSegments segments;
  ReductionLaunch launch;

  explicit QueuedReduction(const ReductionLaunch& from);
  QueuedReduction(const QueuedReduction&) = delete;
  QueuedReduction& operator=(const QueuedReduction&) = delete;
};

}  // namespace kiln::kinds
