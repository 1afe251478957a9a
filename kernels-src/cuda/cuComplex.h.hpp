// <cuComplex.h>: what stands in core/cuda_complex.hpp.
#pragma once
