// <cupy/type_traits.cuh>: what stands in elementwise/cupy.hpp.
#pragma once
