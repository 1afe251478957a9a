// The kind "gufunc": a definition of a generalized ufunc, and the loops or calls that it is compiled for.
#pragma once

#include <string>

#include "kiln/gufunc.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_gufunc(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what guvectorize() refuses.
[[nodiscard]] Made<detail::GufuncImpl> read_gufunc_definition(const Node& node, const std::string& folder, Others uses = {});

}  // namespace kiln::manifest
