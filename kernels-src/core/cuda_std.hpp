// cuda::std: its names are kiln's. A kernel has those that its texts name.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::cuda {

namespace std = ::kiln;

}  // namespace kiln::cuda
