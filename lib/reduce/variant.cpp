#include "reduce/variant.hpp"

#include <algorithm>
#include <cstddef>

namespace kiln::reduce {
namespace {

using codegen::Access;
using codegen::Mapping;

/// Elements of a 16-byte access to the largest of the inputs that move; a mask moves, too.
int pack_width(Mapping mapping, const KernelVariant& variant) {
  if (mapping != Mapping::warp && mapping != Mapping::block) return 1;
  std::size_t largest = variant.masked ? 1 : 0;
  for (std::size_t k = 0; k < variant.access.size(); ++k) {
    const bool still = variant.access[k] == Access::scalar || variant.access[k] == Access::broadcast;
    if (!still) largest = std::max<std::size_t>(largest, itemsize(variant.storage[k]));
  }
  return largest == 0 ? 1 : 16 / static_cast<int>(largest);
}

}  // namespace

bool reads_packs(Mapping mapping, const KernelVariant& variant) {
  return pack_width(mapping, variant) > 1;
}

KernelVariant variant_of(const codegen::ReductionSpec& spec) {
  KernelVariant variant{.masked = spec.masked};
  for (const codegen::OperandSpec& input : spec.inputs) {
    variant.storage.push_back(input.storage);
    variant.access.push_back(input.access);
  }
  for (const codegen::OperandSpec& output : spec.outputs) variant.storage.push_back(output.storage);
  variant.layout = {.mapping = spec.mapping,
                    .kept_rank = static_cast<std::uint8_t>(spec.kept_rank),
                    .reduced_rank = static_cast<std::uint8_t>(spec.reduced_rank),
                    .wide_index = spec.wide_index};
  variant.layout.packs = spec.width > 1 || !reads_packs(spec.mapping, variant);
  return variant;
}

KernelVariant usual_variant(const ufunc::Loop& loop, bool ordered) {
  KernelVariant variant{.storage = ufunc::dtypes_of(loop), .access = {loop.inputs.size(), Access::contiguous}};
  variant.layout.mapping = ordered ? Mapping::thread : Mapping::block;
  return variant;
}

codegen::ReductionSpec specialize(codegen::ReductionSpec spec, const KernelVariant& variant, DeviceKind kind) {
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    spec.inputs[k].storage = variant.storage[k];
    spec.inputs[k].access = variant.access[k];
  }
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) spec.outputs[k].storage = variant.storage[spec.inputs.size() + k];
  spec.masked = variant.masked;
  if (kind == DeviceKind::cpu) return spec;
  spec.mapping = variant.layout.mapping;
  spec.kept_rank = variant.layout.kept_rank;
  spec.reduced_rank = variant.layout.reduced_rank;
  spec.width = variant.layout.packs ? pack_width(spec.mapping, variant) : 1;
  spec.wide_index = variant.layout.wide_index;
  return spec;
}

}  // namespace kiln::reduce
