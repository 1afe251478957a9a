// What of a reduction's call decides its kernel, in terms that hold for every processor: calls and manifests choose by the
// same.
#pragma once

#include <vector>

#include "codegen/spec.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduction_plan.hpp"

namespace kiln::detail {
class ReductionImpl;
}

namespace kiln::reduce {

struct KernelVariant {
  std::vector<DType> storage = {};  ///< in memory: inputs, then outputs
  std::vector<codegen::Access> access =
      {};  ///< of the inputs: scalar, broadcast (one value for all elements), or contiguous for any other
  bool masked = false;
  ufunc::ReductionClass layout = {};

  friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};

/// A kernel that ran, as it is reported to ufunc::recorder().
struct Use {
  const detail::ReductionImpl& reduction;
  const ufunc::Loop& loop;
  const KernelVariant& variant;
  ufunc::Processors processors;
};

/// The variant that a GPU's spec is of.
[[nodiscard]] KernelVariant variant_of(const codegen::ReductionSpec& spec);

/// For arrays of the loop's dtypes, one long axis of which is reduced.
[[nodiscard]] KernelVariant usual_variant(const ufunc::Loop& loop, bool ordered);

/// `spec` for such operands and layout on a kind of device.
[[nodiscard]] codegen::ReductionSpec specialize(codegen::ReductionSpec spec, const KernelVariant& variant, DeviceKind kind);

/// Whether a kernel that shares its work so reads packs of several elements where it may.
[[nodiscard]] bool reads_packs(codegen::Mapping mapping, const KernelVariant& variant);

}  // namespace kiln::reduce
