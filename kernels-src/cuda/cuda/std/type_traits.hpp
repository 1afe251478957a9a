// <cuda/std/type_traits>: what stands in core/cuda_std.hpp.
#pragma once
