// What a kernel of Ufunc::accumulate is specialized for. A pure value.
#pragma once

#include <cstdint>

#include "kernel/operand_spec.hpp"

namespace kiln::kinds {

/// How much machine code f is, as far as its text tells.
enum class ScanCode : std::uint8_t {
  arithmetic,  ///< sums, products and logic of its arguments alone: how many registers it takes is known
  small,       ///< a few instructions
  large,       ///< perhaps a lot: a kernel should have few copies of it
};

/// What of a call's layout decides its kernel.
struct ScanLayout {
  bool looks_back = false;  ///< a few long lines are cut into chunks, which wait for those before them
  friend bool operator==(const ScanLayout&, const ScanLayout&) = default;
};

/// The running results of f: out[0] = a[0], out[i] = f(out[i - 1], a[i]).
struct ScanSpec {
  OperandSpec input = {};           ///< in memory, and as f takes and gives it
  DType output = DType::float64;    ///< in memory
  bool reorderable = false;         ///< f may be applied in any grouping
  bool commutes = false;            ///< GPU: and to its arguments in any order
  ScanLayout layout = {};           ///< GPU
  ScanCode code = ScanCode::small;  ///< GPU
};

}  // namespace kiln::kinds
