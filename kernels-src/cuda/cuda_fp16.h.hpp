// <cuda_fp16.h>: what stands in core/cuda_fp16.hpp.
#pragma once
