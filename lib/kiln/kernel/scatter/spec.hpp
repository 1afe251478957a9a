// What a kernel of Ufunc::at is specialized for. A pure value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/operand_spec.hpp"

namespace kiln::kinds {

/// What a device changes in memory in one operation.
enum class Atomic : std::uint8_t { none, add, minimum, maximum, bit_and, bit_or, bit_xor };

/// What a GPU's kernel takes; the caller folds more into one.
inline constexpr std::size_t kMaxScatterIndices = 8;

/// What of a call's layout decides its kernel on a GPU.
struct ScatterLayout {
  std::array<DType, kMaxScatterIndices> indices = {};  ///< of each array of indices; the first dtype behind them
  std::uint8_t arrays = 0;    ///< of indices; 0: the kernel for any layout, of which the rest says nothing
  std::uint8_t rank = 0;      ///< merged dimensions of the positions
  std::uint8_t row_rank = 0;  ///< merged dimensions of a row; 0: it is one element
  bool wide_index = false;    ///< 2³¹ elements or bytes, or more
  bool bins = false;          ///< each block changes a copy of the target's memory first

  [[nodiscard]] bool any() const noexcept { return arrays == 0; }
  friend bool operator==(const ScatterLayout&, const ScatterLayout&) = default;
};

/// a[index] = f(a[index], b), or f(a[index]), in place.
struct ScatterSpec {
  OperandSpec target = {};                          ///< elements of a: in memory, and as f takes them
  DType result = DType::float64;                    ///< of the loop; converted to the target's dtype
  std::optional<OperandSpec> value = std::nullopt;  ///< elements of b; none of a ufunc of one input
  bool ordered = false;          ///< GPU: what meets in an element is applied in order; else by atomic operations
  Atomic atomic = Atomic::none;  ///< GPU: the one that f is, if any
  ScatterLayout layout = {};     ///< GPU
};

}  // namespace kiln::kinds
