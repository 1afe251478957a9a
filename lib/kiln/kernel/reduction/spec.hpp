// What the kernel of a reduction is specialized for. A pure value.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/operand_spec.hpp"
#include "kernel/reduction/mapping.hpp"

namespace kiln::kinds {

class SpecOfKind;

/// A reduction: each element becomes an accumulator, accumulators are combined, and what is left becomes the results: by the
/// user's stages (UserText::stages), or for a ufunc by casts around its operation. See kernels-src/reduction/reduction.hpp.
struct ReductionSpec {
  /// Access::scalar and Access::broadcast (one value for all elements), Access::raw, or any other.
  std::vector<OperandSpec> inputs = {};
  std::vector<OperandSpec> outputs = {};
  bool identity = false;           ///< UserText::identity takes part
  bool masked = false;             ///< a bool operand follows the inputs: which elements count
  bool stages = false;             ///< UserText::stages is there
  bool indexed = false;            ///< stages: an operand follows the inputs and the mask: each element's number
  bool prepends_identity = false;  ///< stages: the identity stands in front of the elements, as a ufunc's does
  int state_bytes = 0;             ///< stages: of an accumulator, at most
  std::uint32_t read_outputs = 0;  ///< stages: a bit for each output that begins as what its array holds
  int in_rank = 0;                 ///< stages that ask for it: axes of the elements
  int out_rank = 0;                ///< and of the outputs
  bool ordered = false;            ///< strictly from the first element to the last
  /// By the balanced tree over the numbers of elements, whatever their layout; no identity stands in front. Outputs are states
  /// of a part of what is reduced.
  bool part = false;
  Mapping mapping = Mapping::warp;  ///< GPU
  int kept_rank = 1;                ///< GPU: merged axes that the result has
  int reduced_rank = 1;             ///< GPU: merged axes that it has not
  /// GPU: outputs are of segments of the one reduced axis, which are a kept axis; an operand follows that says where they
  /// begin. There is one input, contiguous or strided along the axis. Mapping::warp: segments of any lengths, whose elements
  /// are neighbours; columns: of any lengths, outputs are; thread: in order.
  bool segmented = false;
  int width = 1;            ///< GPU: elements per access, along the innermost reduced axis; by columns the innermost kept one
  bool wide_index = false;  ///< GPU: 64-bit index
};

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(ReductionSpec spec);

}  // namespace kiln::kinds
