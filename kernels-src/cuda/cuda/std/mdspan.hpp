// <cuda/std/mdspan>: what stands in core/mdspan.hpp and core/cuda_std.hpp.
#pragma once
