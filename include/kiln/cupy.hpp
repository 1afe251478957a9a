// Kernels in CuPy's notation, on every device. docs/cupy.md has the rules.
#pragma once

#include "kiln/cupy_elementwise.hpp"
#include "kiln/cupy_raw.hpp"
#include "kiln/cupy_reduction.hpp"
