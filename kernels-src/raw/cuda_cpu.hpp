// CUDA's words in raw kernels on the CPU: behind the header of the kernel's form, whose barrier and shared memory these are.
#pragma once
#include "kiln/raw/here_cpu.hpp"

#define __shared__ KILN_SHARED
#define __syncthreads() ::kiln::barrier()
// In functions, too.
#undef KILN_DYNAMIC_SHARED
#define KILN_DYNAMIC_SHARED(type) static_cast<type*>(::kiln_here.dynamic)
