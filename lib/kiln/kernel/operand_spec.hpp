// An operand of a kernel, as it is rendered.
#pragma once

#include <cstdint>

#include "kiln/dtype.hpp"

namespace kiln::kinds {

/// How the kernel reaches an operand along the innermost dimension.
enum class Access : std::uint8_t {
  contiguous,  ///< stride is the itemsize
  broadcast,   ///< stride 0 innermost (other dimensions may move): loaded once per row
  strided,     ///< any stride, known at launch
  scalar,      ///< the value travels as a kernel argument
  raw,         ///< each element sees the whole array
  across,      ///< through a tile: neighbours in memory are neighbours along the dimension before the innermost one
};

/// What a mask does: elements where it is false are not computed.
enum class Masking : std::uint8_t {
  none,  ///< there is none
  zero,  ///< their outputs are set to zero
  keep,  ///< their outputs stay as they were
};

/// The axes of a raw operand, as its kernel knows them.
struct RawAxesSpec {
  std::uint8_t rank = 0;
  bool packed = false;  ///< elements are consecutive in C order
  bool wide = false;    ///< elements may be 2³¹ or more

  friend bool operator==(const RawAxesSpec&, const RawAxesSpec&) = default;
};

struct OperandSpec {
  DType storage = DType::float64;  ///< dtype in memory (of a scalar: equal to compute)
  DType compute = DType::float64;  ///< dtype of the loop; converted in registers
  Access access = Access::contiguous;
  RawAxesSpec axes = {};  ///< of a raw operand

  friend bool operator==(const OperandSpec&, const OperandSpec&) = default;
};

}  // namespace kiln::kinds
