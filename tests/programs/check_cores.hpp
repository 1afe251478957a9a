// Programs over cores of generalized ufuncs.
#pragma once

#include "check.hpp"

namespace programs {

/// Runs the program with cores of some lengths, in some of the layouts that operands may have.
[[nodiscard]] Verdict check_cores(const Program& program, std::uint64_t seed, const kiln::Cache& cache,
                                  const BeforeCall& before);

}  // namespace programs
