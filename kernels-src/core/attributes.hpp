// The words of CUDA and HIP that are attributes. A compiler's own expand to names such as `device`, which may be macros of the
// user's; these expand to reserved names, which none is.
#pragma once

#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __align__

// In its own expansion a macro's name is not replaced.
#define __host__ __attribute__((__host__))
#define __device__ __attribute__((__device__))
#define __global__ __attribute__((__global__))
#define __shared__ __attribute__((__shared__))
#define __constant__ __attribute__((__constant__))
#define __forceinline__ inline __attribute__((__always_inline__))
#define __noinline__ __attribute__((__noinline__))
#define __align__(n) __attribute__((__aligned__(n)))
