// The kind "ufunc": a definition, and the loops or calls that it is compiled for.
#pragma once

#include <string>

#include "kiln/ufunc.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_ufunc(const Node& node, const std::string& folder);

/// The entry of a function that only calls use: its "types", "loops" or "calls".
[[nodiscard]] Entry entry_of_calls(const Node& node, const Made<detail::UfuncImpl>& made);

/// The definition, beside which there may be `uses`. Fails for what vectorize() refuses.
[[nodiscard]] Made<detail::UfuncImpl> read_ufunc_definition(const Node& node, const std::string& folder, Others uses = {});

}  // namespace kiln::manifest
