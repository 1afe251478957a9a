// What hipRTC's own headers declare and kiln's kernels use.
#pragma once

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

namespace kiln_prelude {

// threadIdx.x and its like are built-in functions with the look of members.
template <unsigned (*X)(), unsigned (*Y)(), unsigned (*Z)()>
struct Coordinates {
  struct First {
    __device__ __forceinline__ operator unsigned() const { return X(); }
  };
  struct Second {
    __device__ __forceinline__ operator unsigned() const { return Y(); }
  };
  struct Third {
    __device__ __forceinline__ operator unsigned() const { return Z(); }
  };
  [[no_unique_address]] First x;
  [[no_unique_address]] Second y;
  [[no_unique_address]] Third z;
};

#define KILN_COORDINATE(name, builtin)             \
  __device__ __forceinline__ unsigned name##_x() { \
    return unsigned(builtin##_x());                \
  }                                                \
  __device__ __forceinline__ unsigned name##_y() { \
    return unsigned(builtin##_y());                \
  }                                                \
  __device__ __forceinline__ unsigned name##_z() { \
    return unsigned(builtin##_z());                \
  }
KILN_COORDINATE(thread, __builtin_amdgcn_workitem_id)
KILN_COORDINATE(block, __builtin_amdgcn_workgroup_id)
KILN_COORDINATE(block_size, __builtin_amdgcn_workgroup_size)
__device__ __forceinline__ unsigned grid_x() {
  return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
}
__device__ __forceinline__ unsigned grid_y() {
  return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y();
}
__device__ __forceinline__ unsigned grid_z() {
  return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z();
}
#undef KILN_COORDINATE

}  // namespace kiln_prelude

static constexpr __device__ kiln_prelude::Coordinates<kiln_prelude::thread_x, kiln_prelude::thread_y, kiln_prelude::thread_z>
    threadIdx{};
static constexpr __device__ kiln_prelude::Coordinates<kiln_prelude::block_x, kiln_prelude::block_y, kiln_prelude::block_z>
    blockIdx{};
static constexpr __device__
    kiln_prelude::Coordinates<kiln_prelude::block_size_x, kiln_prelude::block_size_y, kiln_prelude::block_size_z>
        blockDim{};
static constexpr __device__ kiln_prelude::Coordinates<kiln_prelude::grid_x, kiln_prelude::grid_y, kiln_prelude::grid_z>
    gridDim{};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

__device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ __forceinline__ void __threadfence() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

// Of the device, not of the system: what hipRTC's are.
#define KILN_ATOMIC(T)                                                                                                    \
  __device__ __forceinline__ T atomicAdd(T* at, T x) {                                                                    \
    return __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                     \
  }                                                                                                                       \
  __device__ __forceinline__ T atomicMin(T* at, T x) {                                                                    \
    return __hip_atomic_fetch_min(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                     \
  }                                                                                                                       \
  __device__ __forceinline__ T atomicMax(T* at, T x) {                                                                    \
    return __hip_atomic_fetch_max(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                     \
  }                                                                                                                       \
  __device__ __forceinline__ T atomicExch(T* at, T x) {                                                                   \
    return __hip_atomic_exchange(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                      \
  }                                                                                                                       \
  __device__ __forceinline__ T atomicCAS(T* at, T expected, T x) {                                                        \
    __hip_atomic_compare_exchange_strong(at, &expected, x, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    return expected;                                                                                                      \
  }
KILN_ATOMIC(int)
KILN_ATOMIC(unsigned)
KILN_ATOMIC(unsigned long long)
#undef KILN_ATOMIC
__device__ __forceinline__ float atomicAdd(float* at, float x) {
  return __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __forceinline__ double atomicAdd(double* at, double x) {
  return __hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// What is an instruction or a few of them; the others are AMD's device library's.
#define KILN_BUILTIN_1(name)                          \
  __device__ __forceinline__ double name(double x) {  \
    return __builtin_##name(x);                       \
  }                                                   \
  __device__ __forceinline__ float name##f(float x) { \
    return __builtin_##name##f(x);                    \
  }
#define KILN_BUILTIN_2(name)                                   \
  __device__ __forceinline__ double name(double x, double y) { \
    return __builtin_##name(x, y);                             \
  }                                                            \
  __device__ __forceinline__ float name##f(float x, float y) { \
    return __builtin_##name##f(x, y);                          \
  }
#define KILN_OCML_1(name)                                   \
  extern "C" __device__ double __ocml_##name##_f64(double); \
  extern "C" __device__ float __ocml_##name##_f32(float);   \
  __device__ __forceinline__ double name(double x) {        \
    return __ocml_##name##_f64(x);                          \
  }                                                         \
  __device__ __forceinline__ float name##f(float x) {       \
    return __ocml_##name##_f32(x);                          \
  }
#define KILN_OCML_2(name)                                           \
  extern "C" __device__ double __ocml_##name##_f64(double, double); \
  extern "C" __device__ float __ocml_##name##_f32(float, float);    \
  __device__ __forceinline__ double name(double x, double y) {      \
    return __ocml_##name##_f64(x, y);                               \
  }                                                                 \
  __device__ __forceinline__ float name##f(float x, float y) {      \
    return __ocml_##name##_f32(x, y);                               \
  }
#define KILN_INTEGER(name, from, R)               \
  __device__ __forceinline__ R name(double x) {   \
    return static_cast<R>(from(x));               \
  }                                               \
  __device__ __forceinline__ R name##f(float x) { \
    return static_cast<R>(from##f(x));            \
  }
KILN_BUILTIN_1(sqrt)
KILN_BUILTIN_1(floor)
KILN_BUILTIN_1(ceil)
KILN_BUILTIN_1(trunc)
KILN_BUILTIN_1(round)
KILN_BUILTIN_1(rint)
KILN_BUILTIN_1(nearbyint)
KILN_BUILTIN_1(fabs)
KILN_BUILTIN_2(fmin)
KILN_BUILTIN_2(fmax)
KILN_BUILTIN_2(copysign)
KILN_OCML_1(exp)
KILN_OCML_1(exp2)
KILN_OCML_1(expm1)
KILN_OCML_1(log)
KILN_OCML_1(log2)
KILN_OCML_1(log10)
KILN_OCML_1(log1p)
KILN_OCML_1(cbrt)
KILN_OCML_1(sin)
KILN_OCML_1(cos)
KILN_OCML_1(tan)
KILN_OCML_1(asin)
KILN_OCML_1(acos)
KILN_OCML_1(atan)
KILN_OCML_1(sinh)
KILN_OCML_1(cosh)
KILN_OCML_1(tanh)
KILN_OCML_1(asinh)
KILN_OCML_1(acosh)
KILN_OCML_1(atanh)
KILN_OCML_1(erf)
KILN_OCML_1(erfc)
KILN_OCML_1(tgamma)
KILN_OCML_1(lgamma)
KILN_OCML_1(logb)
KILN_OCML_2(pow)
KILN_OCML_2(atan2)
KILN_OCML_2(hypot)
KILN_OCML_2(fmod)
KILN_OCML_2(remainder)
KILN_OCML_2(nextafter)
KILN_OCML_2(fdim)
KILN_INTEGER(lround, round, long)
KILN_INTEGER(llround, round, long long)
KILN_INTEGER(lrint, rint, long)
KILN_INTEGER(llrint, rint, long long)
extern "C" __device__ int __ocml_ilogb_f64(double);
extern "C" __device__ int __ocml_ilogb_f32(float);
__device__ __forceinline__ int ilogb(double x) {
  return __ocml_ilogb_f64(x);
}
__device__ __forceinline__ int ilogbf(float x) {
  return __ocml_ilogb_f32(x);
}
__device__ __forceinline__ double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
__device__ __forceinline__ float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
__device__ __forceinline__ double ldexp(double x, int e) {
  return __builtin_ldexp(x, e);
}
__device__ __forceinline__ float ldexpf(float x, int e) {
  return __builtin_ldexpf(x, e);
}
__device__ __forceinline__ double frexp(double x, int* e) {
  return __builtin_frexp(x, e);
}
__device__ __forceinline__ float frexpf(float x, int* e) {
  return __builtin_frexpf(x, e);
}
#undef KILN_BUILTIN_1
#undef KILN_BUILTIN_2
#undef KILN_OCML_1
#undef KILN_OCML_2
#undef KILN_INTEGER
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
