// <cupy/math_constants.h>: what stands in core/cuda_constants.hpp.
#pragma once
