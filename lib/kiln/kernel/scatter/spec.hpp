// What a kernel of Ufunc::at is specialized for. A pure value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kernel/operand_spec.hpp"
#include "kernel/scatter/scatter_layout.hpp"

namespace kiln::kinds {

class SpecOfKind;

/// What a device changes in memory in one operation.
enum class Atomic : std::uint8_t { none, add, minimum, maximum, bit_and, bit_or, bit_xor };

/// a[index] = f(a[index], b), or f(a[index]), in place.
struct ScatterSpec {
  OperandSpec target = {};                          ///< elements of a: in memory, and as f takes them
  DType result = DType::float64;                    ///< of the loop; converted to the target's dtype
  std::optional<OperandSpec> value = std::nullopt;  ///< elements of b; none of a ufunc of one input
  bool ordered = false;          ///< GPU: what meets in an element is applied in order; else by atomic operations
  Atomic atomic = Atomic::none;  ///< GPU: the one that f is, if any
  ScatterLayout layout = {};     ///< GPU
};

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(ScatterSpec spec);

}  // namespace kiln::kinds
