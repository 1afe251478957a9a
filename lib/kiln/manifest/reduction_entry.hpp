// The kind "reduction" of a manifest.
#pragma once

#include <string>

#include "kiln/reduction.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_reduction(const Node& node, const std::string& folder);

/// What read_reduction() reads, without calls. `leads`: the identity stands in front of the elements.
[[nodiscard]] Json reduction_json(const ReductionDefinition& definition, bool leads);
}  // namespace kiln::manifest
