// An elementwise launch that outlives the caller's.
#pragma once

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
  [[nodiscard]] static std::size_t scalars_for(const LaunchOperand& operand) noexcept {
    return operand.scalar ? (operand.itemsize + kScalarBytes - 1) / kScalarBytes : 0;
  }
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> shape;
  std::vector<Scalar> scalars;
  std::vector<RawOperand> raw;
  ElementwiseLaunch launch;

  explicit QueuedElementwise(const ElementwiseLaunch& from)
      : operands(from.operands.begin(), from.operands.end()),
        shape(from.shape.begin(), from.shape.end()),
        raw(from.raw.begin(), from.raw.end()),
        launch(from) {
    std::size_t count = 0;
    for (const LaunchOperand& operand : operands) count += scalars_for(operand);
    scalars.resize(count);
    Scalar* next = scalars.data();
    strides.reserve(operands.size() * shape.size());  // no growth below: addresses are taken
    for (LaunchOperand& operand : operands) {
      if (operand.scalar) {
        std::memcpy(next, operand.data, operand.itemsize);
        operand.data = next;
        next += scalars_for(operand);
      }
      if (operand.strides == nullptr) continue;
      const std::size_t first = strides.size();
      strides.insert(strides.end(), operand.strides, operand.strides + shape.size());
      operand.strides = strides.data() + first;
    }
    launch.operands = operands;
    launch.shape = shape;
    launch.raw = raw;
  }
  QueuedElementwise(const QueuedElementwise&) = delete;
  QueuedElementwise& operator=(const QueuedElementwise&) = delete;
};

}  // namespace kiln::kinds
