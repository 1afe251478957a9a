// How a reduction's work is shared, as a manifest writes it: "mapping", "kept_rank", "reduced_rank", "aligned", "wide_index".
#pragma once

#include <functional>
#include <string_view>

#include "manifest/node.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduction_plan.hpp"

namespace kiln::manifest {

/// What is left out is as usual. `what` is not reorderable: "the ufunc"; `reads_packs` says whether kernels of a mapping do.
[[nodiscard]] ufunc::ReductionClass read_reduction_layout(const Node& node, std::string_view what, bool reorderable,
                                                          const std::function<bool(codegen::Mapping)>& reads_packs);
void write_reduction_layout(const ufunc::ReductionClass& layout, bool reorderable, Json& json);

/// "for": kinds of processors, both where it is left out.
[[nodiscard]] ufunc::Processors read_processors(const Node& node);
void write_processors(ufunc::Processors processors, Json& json);

}  // namespace kiln::manifest
