// <thrust/complex.h>: what stands in core/thrust.hpp.
#pragma once
