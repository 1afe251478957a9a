// <cuda/std/limits>: what stands in core/cuda_std.hpp.
#pragma once
