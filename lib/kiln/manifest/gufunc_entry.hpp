// The kind "gufunc": a definition of a generalized ufunc, and the loops or calls that it is compiled for.
#pragma once

#include <string>

#include "kiln/gufunc.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_gufunc(const Node& node, const std::string& folder);

/// A definition without what is compiled of it and defaults left out.
[[nodiscard]] Json gufunc_json(const GufuncDefinition& definition);

}  // namespace kiln::manifest
