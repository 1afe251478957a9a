// <cuda/std/utility>: what stands in core/cuda_std.hpp.
#pragma once
