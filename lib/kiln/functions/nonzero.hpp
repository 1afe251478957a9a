// The places of what is true.
#pragma once

#include "kiln/array.hpp"

namespace kiln::functions {

/// Returns the numbers in C order of the elements that differ from 0, as int64, where `a` is. For a GPU the call waits for
/// earlier work.
[[nodiscard]] Array flat_nonzero(const Array& a);

}  // namespace kiln::functions
