// The options of several ufuncs as those of one kernel.
#pragma once

#include "fusion/graph.hpp"
#include "kiln/fuse.hpp"

namespace kiln::fusion {

/// A definition without signature and texts. TypeError where the ufuncs' options do not go together: the text names two of
/// them, and what to do.
[[nodiscard]] UfuncDefinition options_of(const Graph& graph, const FuseDefinition& wanted);

}  // namespace kiln::fusion
