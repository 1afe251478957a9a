// How a reduction's work is shared, as a manifest writes it: "mapping", "kept_rank", "reduced_rank", "aligned", "wide_index".
#pragma once

#include <span>
#include <string_view>

#include "kinds/reduction/plan.hpp"
#include "manifest/node.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

/// Sets what a GPU's kernel depends on, beside what `how` has of the operands, which are stored as `inputs`. What is left out
/// is as usual. `what` is not reorderable: "the ufunc".
void read_reduction_layout(const Node& node, std::string_view what, bool reorderable, std::span<const DType> inputs,
                           kinds::ReductionClass& how);
void write_reduction_layout(const kinds::ReductionClass& layout, bool reorderable, Json& json);

/// "for": kinds of processors, both where it is left out.
[[nodiscard]] ufunc::Processors read_processors(const Node& node);
void write_processors(ufunc::Processors processors, Json& json);

}  // namespace kiln::manifest
