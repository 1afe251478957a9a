// <cupy/float16.cuh>: what stands in core/half.hpp.
#pragma once
