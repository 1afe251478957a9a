// Functions by the text of their definitions.
#pragma once

#include "kiln/cache_handle.hpp"
#include "kiln/definition.hpp"

namespace kiln::command {

/// Returns the same function with its kernels in that cache.
[[nodiscard]] AnyFunction in_cache(const AnyFunction& function, const Cache& cache);

}  // namespace kiln::command
