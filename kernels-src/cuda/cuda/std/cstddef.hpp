// <cuda/std/cstddef>: what stands in core/cuda_std.hpp.
#pragma once
