// The kind "reduction" of a manifest.
#pragma once

#include <string>

#include "kiln/reduction.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_reduction(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what reduction() refuses.
[[nodiscard]] Made<detail::ReductionImpl> read_reduction_definition(const Node& node, const std::string& folder,
                                                                    Others uses = {});
/// What a definition is compiled for: its "calls", or the loops that are meant.
[[nodiscard]] Entry entry_of_calls(const Node& node, const Made<detail::ReductionImpl>& made);
/// A reduction's JSON, with whether the identity stands in front of the elements.
[[nodiscard]] Json with_prepended_identity(Json reduction, bool prepends_identity);

}  // namespace kiln::manifest
