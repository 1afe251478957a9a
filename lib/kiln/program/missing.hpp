// The words for a kernel that no cache has and nobody can compile.
#pragma once

#include <string>
#include <string_view>

#include "kiln/cache_handle.hpp"
#include "program/job.hpp"

namespace kiln::program {

/// Names the kernel, its loop, its variant and its target; says why nobody compiles it, and of each tier of the cache why it
/// has no entry. Looks through all of the cache.
[[nodiscard]] std::string why_missing(const Job& job, const Cache& cache, std::string_view no_compiler);

}  // namespace kiln::program
