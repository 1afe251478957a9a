// The kind "reduction" of a manifest.
#pragma once

#include <string>

#include "kiln/reduction.hpp"
#include "manifest/entry.hpp"
#include "reduce/impl.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_reduction(const Node& node, const std::string& folder);

/// What read_reduction() reads, without variants. `leads`: the identity stands in front of the elements.
[[nodiscard]] Json reduction_json(const ReductionDefinition& definition, bool leads);
/// An element of its "variants". What the loop tells is left out.
[[nodiscard]] Json reduction_variant_json(const ufunc::Loop& loop, std::span<const DType> storage,
                                          const reduce::ReductionClass& how, ufunc::Processors processors, bool reorderable);

}  // namespace kiln::manifest
