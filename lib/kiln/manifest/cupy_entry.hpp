// The kinds "cupy.…": definitions in CuPy's notation, and the loops or calls that they are compiled for.
#pragma once

#include <string>

#include "kiln/definition.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"
#include "reduce/impl.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_cupy_elementwise(const Node& node, const std::string& folder);
[[nodiscard]] Entry read_cupy_reduction(const Node& node, const std::string& folder);
[[nodiscard]] Entry read_cupy_raw(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what cupy::elementwise() refuses.
[[nodiscard]] Made<detail::UfuncImpl> read_cupy_elementwise_definition(const Node& node, const std::string& folder,
                                                                       Others uses = {});
/// Likewise for what cupy::reduction() refuses.
[[nodiscard]] Made<detail::ReductionImpl> read_cupy_reduction_definition(const Node& node, const std::string& folder,
                                                                         Others uses = {});
/// The one kernel of a source. Fails for what cupy::raw_kernel() refuses, and for a source of several kernels.
[[nodiscard]] AnyFunction define_cupy_raw(const Node& node);

}  // namespace kiln::manifest
