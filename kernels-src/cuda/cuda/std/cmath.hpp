// <cuda/std/cmath>: what stands in core/cuda_std.hpp.
#pragma once
