// thrust/complex.h: thrust::complex and its functions are kiln's. A kernel has those that its texts name.
#pragma once
#include "kiln/core/complex.hpp"

namespace kiln {

namespace thrust = ::kiln;

}  // namespace kiln
