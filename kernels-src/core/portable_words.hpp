// What CUDA's words need of a target, in kiln's own texts and the user's: portable.hpp includes it.
#pragma once

// KILN_GPU_CLANG: Clang compiles for a GPU, an option of the compile (lib/kiln/compiler/gpu/clang_compiler.cpp).
#if KILN_GPU_CLANG && defined(__CUDA__)
#define KILN_WARP_REDUCTIONS (__CUDA_ARCH__ >= 800)
#include "kiln/core/clang_cuda.hpp"
#elif KILN_GPU_CLANG
#include "kiln/core/clang_hip.hpp"
#endif

#undef assert  // NVRTC's; assertions.hpp has kiln's, where a text means that

#if !KILN_CPU
#include "kiln/core/attributes.hpp"
#undef __launch_bounds__
#if KILN_CUDA
#define __launch_bounds__(...) __attribute__((__launch_bounds__(__VA_ARGS__)))
#else
// Threads of a block, and waves of an execution unit.
#define KILN_BOUNDS(threads, waves, name, ...) name(threads, waves)
#define KILN_BOUND_THREADS(threads, waves) __attribute__((__amdgpu_flat_work_group_size__(1, threads)))
#define KILN_BOUND_BOTH(threads, waves) KILN_BOUND_THREADS(threads, waves) __attribute__((__amdgpu_waves_per_eu__(waves)))
#define __launch_bounds__(...) KILN_BOUNDS(__VA_ARGS__, KILN_BOUND_BOTH, KILN_BOUND_THREADS)
#endif
#endif

#if KILN_CPU
#ifndef __device__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((__noinline__))
#define __align__(n) __attribute__((__aligned__(n)))
// Nothing else writes it, so that loads of it move out of loops.
#define __constant__ __attribute__((__internal_linkage__))
#endif
#endif

// A constant whose value the host writes; a function that tells the host a size, or on GPUs a variable that has it; and whether
// CUDA's words (cuda_words.hpp) and quick functions are kiln's own.
#if KILN_CPU
#define KILN_LACKS_CUDA_WORDS 1
#define KILN_EXPORTED_CONSTANT __attribute__((__visibility__("default")))
#define KILN_EXPORTED_SIZE(name, ...)    \
  KILN_EXPORTED_CONSTANT uint64 name() { \
    return sizeof(__VA_ARGS__);          \
  }
#elif KILN_CUDA
#define KILN_EXPORTED_CONSTANT __constant__
#else
#define KILN_EXPORTED_CONSTANT __constant__ __attribute__((__visibility__("protected")))
#endif
#if !KILN_CPU
#define KILN_EXPORTED_SIZE(name, ...) KILN_EXPORTED_CONSTANT unsigned char name[sizeof(__VA_ARGS__)];
#endif

#if !KILN_CUDA || KILN_GPU_CLANG
#define KILN_LACKS_QUICK 1
#endif
// By NVIDIA's instructions, or otherwise; and whether shuffles of a warp take numbers of 4 and 8 bytes alone.
#if KILN_CUDA
#define KILN_SHUFFLES_NUMBERS 1
#define KILN_BY_NVIDIA(instructions, otherwise) instructions
#else
#define KILN_BY_NVIDIA(instructions, otherwise) otherwise
#endif

// CUDA's compiler lets numbers become narrower ones in braces.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_ALLOW_NARROWING
#else
#define KILN_ALLOW_NARROWING _Pragma("clang diagnostic ignored \"-Wc++11-narrowing\"")
#endif

#if !KILN_CPU
#define KILN_SHARED __shared__
#define KILN_BARRIER() __syncthreads()
#endif
// The dynamic shared memory that the launch gives a block. AMD's processors do not tell: no bound.
#if KILN_CUDA
#define KILN_DYNAMIC_BYTES(bytes) asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes))
#else
#define KILN_DYNAMIC_BYTES(bytes) bytes = ~0u
#endif
// The threads of the grid along an axis, and its blocks where they have so many threads. AMD's hardware counts threads:
// gridDim is a quotient there.
#if KILN_HIP
#define KILN_GRID_COUNTS_THREADS true
#define KILN_GRID_THREADS(axis) static_cast<unsigned long long>(__builtin_amdgcn_grid_size_##axis())
#define KILN_GRID_BLOCKS(threads) (__builtin_amdgcn_grid_size_x() / static_cast<unsigned int>(threads))
#else
#define KILN_GRID_COUNTS_THREADS false
#define KILN_GRID_THREADS(axis) (static_cast<unsigned long long>(gridDim.axis) * blockDim.axis)
#define KILN_GRID_BLOCKS(threads) gridDim.x
#endif
