// The element at which a reduction on the CPU is, in each operand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/reduction/cut.hpp"

namespace kiln::kinds {

/// The number of the element that the index's operand has at an address.
[[nodiscard]] inline std::int64_t number_at(const char* address) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) - kIndexOrigin);
}

struct ReducedPlace {
  ReducedPlace(const CpuReduction& kernel, const ReductionLaunch& launch);

  /// Distances in bytes along the innermost dimension of the outputs, and of what is reduced.
  [[nodiscard]] std::int64_t kept_stride(int operand) const;
  [[nodiscard]] std::int64_t reduced_stride(int operand) const;
  /// Whether the operand is one value, or the index, and no array to walk over.
  [[nodiscard]] bool is_scalar(int operand) const { return launch_.operands[static_cast<std::size_t>(operand)].scalar; }
  [[nodiscard]] bool is_index(int operand) const { return operand == kernel_.index; }

  /// Moves to the tile that begins in that row and column of the outputs.
  void place(std::int64_t row, std::int64_t column);
  /// Moves to an element of what is reduced, by its number.
  void seek(std::int64_t element);
  /// Moves over elements of this innermost row, at most to its end; or over whole rows, at most to the end of the dimension
  /// around.
  void advance(std::int64_t count);

  const CpuReduction& kernel_;
  const ReductionLaunch& launch_;
  const std::int64_t run_;                // of the innermost reduced dimension
  std::int64_t run_at_ = 0;               // in the innermost reduced dimension
  std::array<std::int64_t, 64> index_;    // of the other reduced dimensions
  std::array<char*, kMaxOperands> tile_;  // of each operand: where the tile's first element is
  std::array<char*, kMaxOperands> at_;    // and where the innermost reduced row is, at its start
};

}  // namespace kiln::kinds
