// The kinds "cupy.…": definitions in CuPy's notation, and the loops or calls that they are compiled for.
#pragma once

#include <string>

#include "manifest/definition.hpp"
#include "manifest/entry.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_cupy_elementwise(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what cupy::elementwise() refuses.
[[nodiscard]] Made<detail::UfuncImpl> read_cupy_elementwise_definition(const Node& node, const std::string& folder,
                                                                       Others uses = {});

}  // namespace kiln::manifest
