// <vector_types.h>: a kernel has the words of CUDA's language that its texts name.
#pragma once
