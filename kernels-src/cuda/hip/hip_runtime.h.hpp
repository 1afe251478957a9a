// <hip/hip_runtime.h>: a kernel has the words of the language that its texts name.
#pragma once
