// <cuda/std/bit>: what stands in core/cuda_std.hpp.
#pragma once
