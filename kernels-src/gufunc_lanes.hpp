// The loop of gufunc_cpu.hpp for kernels that take several indices at once.
#pragma once
#include "kiln/gufunc_cpu.hpp"
#include "kiln/lanes.hpp"
