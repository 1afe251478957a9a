// The loop of gufunc_cpu.hpp for kernels that take several indices at once.
#pragma once
#include "kiln/gufunc/cpu.hpp"
#include "kiln/gufunc/lanes.hpp"
