// <cuda_bf16.h>: what stands in core/cuda_bf16.hpp.
#pragma once
