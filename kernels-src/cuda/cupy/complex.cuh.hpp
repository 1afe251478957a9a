// <cupy/complex.cuh>: what stands in core/thrust.hpp.
#pragma once
