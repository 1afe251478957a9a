// What a kernel of Ufunc::accumulate is specialized for. A pure value.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel/operand_spec.hpp"
#include "kernel/scan/scan_layout.hpp"

namespace kiln::kinds {

class SpecOfKind;

/// How much machine code f is, as far as its text tells.
enum class ScanCode : std::uint8_t {
  arithmetic,  ///< sums, products and logic of its arguments alone: how many registers it takes is known
  small,       ///< a few instructions
  large,       ///< perhaps a lot: a kernel should have few copies of it
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

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(ScanSpec spec);

}  // namespace kiln::kinds
