// <cupy/atomics.cuh>: what stands in elementwise/cupy.hpp.
#pragma once
