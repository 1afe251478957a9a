// An elementwise launch that outlives the caller's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernel/elementwise/launch.hpp"

namespace kiln::kinds {

/// Everything that the launch refers to is copied, scalars' values too.
struct QueuedElementwise {
  static constexpr std::size_t kScalarBytes = 16;
  struct alignas(kScalarBytes) Scalar {
    std::array<std::byte, kScalarBytes> bytes;
  };
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> shape;
  std::vector<Scalar> scalars;
  ElementwiseLaunch launch;

  explicit QueuedElementwise(const ElementwiseLaunch& from)
      : operands(from.operands.begin(), from.operands.end()), shape(from.shape.begin(), from.shape.end()), launch(from) {
    scalars.resize(operands.size());
    strides.reserve(operands.size() * shape.size());  // no growth below: addresses are taken
    for (std::size_t i = 0; i < operands.size(); ++i) {
      LaunchOperand& operand = operands[i];
      if (operand.scalar) {
        std::memcpy(&scalars[i], operand.data, std::min<std::size_t>(operand.itemsize, kScalarBytes));
        operand.data = &scalars[i];
      }
      if (operand.strides == nullptr) continue;
      const std::size_t first = strides.size();
      strides.insert(strides.end(), operand.strides, operand.strides + shape.size());
      operand.strides = strides.data() + first;
    }
    launch.operands = operands;
    launch.shape = shape;
  }
  QueuedElementwise(const QueuedElementwise&) = delete;
  QueuedElementwise& operator=(const QueuedElementwise&) = delete;
};

}  // namespace kiln::kinds
