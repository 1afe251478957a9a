// The kind "ufunc": a definition, and the loops or calls that it is compiled for.
#pragma once

#include <string>

#include "kiln/ufunc.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_ufunc(const Node& node, const std::string& folder);

/// A definition without what is compiled of it and defaults left out.
[[nodiscard]] Json ufunc_json(const UfuncDefinition& definition);

}  // namespace kiln::manifest
