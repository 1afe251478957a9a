// How the arrays of a call lie, in the terms of a kernel: the loop's merged dimensions, the strides of each core, and what of
// them decides the variant. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gufunc/core_shape.hpp"
#include "layout/iteration.hpp"

namespace kiln::gufunc {

/// One operand as it lies in memory, inputs first, then the mask if there is one, then outputs.
struct PlacedCore {
  const Shape* shape = nullptr;                          ///< whole; null for a scalar
  const Strides* strides = nullptr;                      ///< bytes
  const OperandAxes* axes = nullptr;                     ///< null for a scalar
  const std::vector<std::size_t>* dimensions = nullptr;  ///< its core dimensions; null for the mask
  std::int64_t itemsize = 0;
};

struct CoreLayout {
  layout::Iteration iteration;             ///< over the loop
  std::vector<std::int64_t> core_strides;  ///< of each operand's core dimensions, one operand behind the other
  /// Of each operand, how its core lies: the core dimension whose stride is the itemsize, and whether all of it is packed, in C
  /// order.
  struct Core {
    int unit = -1;
    bool packed = false;
    bool dense = false;  ///< its elements are all of a stretch of memory, in whatever order of its dimensions
  };
  std::vector<Core> cores;

  CoreLayout(const CoreShape& shape, std::span<const PlacedCore> operands);
};

/// "contiguous", "contiguous along n", "strided", "one element": for resolve().
[[nodiscard]] std::string describe(const CoreLayout::Core& core, const signature::Layout& layout,
                                   const std::vector<std::size_t>& dimensions);

}  // namespace kiln::gufunc
