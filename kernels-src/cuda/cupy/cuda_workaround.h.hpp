// <cupy/cuda_workaround.h>: names of std, which kernels have without it.
#pragma once
