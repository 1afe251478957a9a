// What a kernel of Ufunc::accumulate is specialized for. A pure value.
#pragma once

#include "kinds/operand_spec.hpp"

namespace kiln::kinds {

/// The running results of f: out[0] = a[0], out[i] = f(out[i - 1], a[i]).
struct ScanSpec {
  OperandSpec input = {};         ///< in memory, and as f takes and gives it
  DType output = DType::float64;  ///< in memory
  bool reorderable = false;       ///< f may be applied in any grouping
};

}  // namespace kiln::kinds
