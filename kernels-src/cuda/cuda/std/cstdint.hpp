// <cuda/std/cstdint>: what stands in core/cuda_std.hpp.
#pragma once
