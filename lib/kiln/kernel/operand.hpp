// An array or a scalar as launches of elementwise kernels and reductions have it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kiln::kinds {

inline constexpr std::size_t kAccumulatorBytes = 16;  ///< of a value of the widest dtype: what a reduction starts from

/// One operand, in the order of the kernel's: inputs, then outputs.
struct LaunchOperand {
  void* data = nullptr;                   ///< device address; for a scalar, host address of its value (≤ 64 KiB)
  const std::int64_t* strides = nullptr;  ///< bytes, one for each dimension, outermost first; null for a scalar
  std::uint16_t itemsize = 0;
  bool scalar = false;
};

}  // namespace kiln::kinds
