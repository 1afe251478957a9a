// What differs between CUDA (NVRTC, Clang), HIP (hipRTC, Clang) and the CPU (Clang). The only file of the device-side code that
// asks which target it is compiled for, with portable_words.hpp: everything above is written once over the names defined there.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__CUDACC__) || (KILN_GPU_CLANG && defined(__CUDA__))
#define KILN_CUDA 1
#elif defined(__HIPCC_RTC__) || defined(__HIP__)
#define KILN_HIP 1
#else
#define KILN_CPU 1
#endif

#include "kiln/core/portable_words.hpp"

// Behind the declaration of a function: bodies may not call it, and the compiler says why at the call. NVRTC shows the
// function.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_REFUSED(why) = delete
#else
#define KILN_REFUSED(why) __attribute__((__diagnose_if__(true, why, "error")))
#endif

// Between these, divisions are exact and nothing is reordered, whatever the user's text may have, though products may be fused
// with sums; NVRTC and hipRTC know no such thing.
#if (KILN_CPU || KILN_GPU_CLANG) && KILN_SAME_BITS  // nor are products fused with sums
#define KILN_PRECISE_BEGIN _Pragma("float_control(precise, on, push)") _Pragma("clang fp contract(off)")
#define KILN_PRECISE_END _Pragma("float_control(pop)")
#elif KILN_CPU || KILN_GPU_CLANG
#define KILN_PRECISE_BEGIN _Pragma("float_control(precise, on, push)")
#define KILN_PRECISE_END _Pragma("float_control(pop)")
#else
#define KILN_PRECISE_BEGIN
#define KILN_PRECISE_END
#endif

// Products that no sum is fused with, whatever the user's text may have: KILN_SEPARATE_PRODUCTS stands first in the function.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_SEPARATE_PRODUCTS
#define KILN_PRODUCTF(a, b) __fmul_rn(a, b)
#define KILN_PRODUCT(a, b) __dmul_rn(a, b)
#else
#define KILN_SEPARATE_PRODUCTS _Pragma("clang fp contract(off)")
#define KILN_PRODUCTF(a, b) ((a) * (b))
#define KILN_PRODUCT(a, b) ((a) * (b))
#endif
// Square roots that are correctly rounded, whatever the user's text may have. Clang's precise __builtin_sqrt may be a call.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_EXACT_SQRTF(x) __fsqrt_rn(x)
#define KILN_EXACT_SQRT(x) __dsqrt_rn(x)
#elif KILN_HIP && !KILN_GPU_CLANG
#define KILN_EXACT_SQRTF(x) KILN_SQRTF(x)
#define KILN_EXACT_SQRT(x) ::sqrt(x)
#else
#define KILN_EXACT_SQRTF(x) __builtin_elementwise_sqrt(x)
#define KILN_EXACT_SQRT(x) __builtin_elementwise_sqrt(x)
#endif

// A fused multiply-add. Clang's __builtin_fma may set errno where nothing is reordered, and be a call.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_FMAF(a, b, c) __fmaf_rn(a, b, c)
#define KILN_FMA(a, b, c) __fma_rn(a, b, c)
#elif KILN_HIP && !KILN_GPU_CLANG
#define KILN_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define KILN_FMA(a, b, c) __builtin_fma(a, b, c)
#elif KILN_SAME_BITS && defined(__x86_64__) && !defined(__FMA__) && KILN_CPU
#define KILN_EMULATED_FMA 1
#define KILN_FMAF(a, b, c) ::kiln::emulated::fmaf(a, b, c)
#define KILN_FMA(a, b, c) ::kiln::emulated::fma(a, b, c)
#else
#define KILN_FMAF(a, b, c) __builtin_elementwise_fma(a, b, c)
#define KILN_FMA(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif

#if KILN_CPU
#define KILN_FLOATING_QUOTIENTS true  // of integers: vectors have a division of floats only
#define KILN_SINES_BEYOND_1 true      // libmvec's
#define KILN_FN inline __attribute__((__always_inline__))
#define KILN_CONSTEXPR_FN constexpr inline __attribute__((__always_inline__))
#define KILN_NOINLINE inline __noinline__
#define KILN_KERNEL extern "C" __attribute__((__visibility__("default"))) void
// A function for others to link.
#define KILN_EXPORTED extern "C" __attribute__((__visibility__("default"), __used__))
#if KILN_SAME_BITS
#define KILN_INSTRUCTION(name) __builtin_##name
#define KILN_SQRTF(x) KILN_LIBM(sqrtf)(x)
#else
#define KILN_LIBM(name) __builtin_##name
#define KILN_SQRTF(x) __builtin_sqrtf(x)
#endif
#define KILN_HYPOTF(x, y) ::kiln::hypot_by_double(x, y)
#define KILN_LOGF(x) ::kiln::log_by_polynomial(x)
#if KILN_SAME_BITS
#define KILN_FUSED true
#elif defined(__FMA__) || defined(__aarch64__)
#define KILN_FUSED true
#define KILN_OWN_MATH 1
#else
#define KILN_FUSED false
#endif
// Buffers of the host may be aligned to the component only.
#define KILN_COMPLEX_ALIGN(T) alignas(T)
// A trivially copyable complex64 is passed as <2 x float>, which keeps the loop vectorizer away.
#define KILN_COMPLEX_TRIVIAL 0
#define KILN_USER_BEGIN
#define KILN_USER_END
#define KILN_LACKS_WIDE_DIVISION 1  // of __int128, for which LLVM calls functions
#define KILN_OF_CXX_LIBRARY __attribute__((__weak__, __used__))
#else
#if defined(KILN_HIP)
// LLVM divides numbers that it knows to be small in the bits that they have, and so gives -128 for int8's -128 / -1: those of
// up to 16 bits are divided as floats, and of others it must not know the divisor.
#define KILN_FLOATING_QUOTIENTS true
#define KILN_UNKNOWN(x) asm("" : "+v"(x))
#define KILN_UNKNOWN_DIVISOR(x) \
  if (!__builtin_is_constant_evaluated() && !__builtin_constant_p(x)) KILN_UNKNOWN(x)
#else
#define KILN_FLOATING_QUOTIENTS false
#if !defined(__clang__)
// NVRTC 13.0 divides numbers that it knows to be small in 16 bits, and leaves out the extension of an int8 that stands in the
// lower half of a register.
#define KILN_UNKNOWN_DIVIDEND(x) \
  if (!__builtin_is_constant_evaluated()) asm("" : "+r"(x))
#endif
#endif
#define KILN_SINES_BEYOND_1 false
#define KILN_FN __device__ inline __attribute__((__always_inline__))
// Constants of a namespace are initialized by the host's functions.
#define KILN_CONSTEXPR_FN __host__ __device__ constexpr inline __attribute__((__always_inline__))
#define KILN_NOINLINE __device__ inline __noinline__
#define KILN_KERNEL extern "C" __global__ __launch_bounds__(256) void
#if KILN_HIP
#define KILN_EXPORTED extern "C" __device__ __attribute__((__visibility__("default"), __used__))
#else
#define KILN_EXPORTED extern "C" __device__ __attribute__((__used__))
#endif
#if defined(__HIPCC_RTC__) || defined(__HIP__)
// Older compilers assume 256 threads where nothing is said.
#define KILN_RAW_KERNEL extern "C" __global__ __launch_bounds__(1024) void
#else
#define KILN_RAW_KERNEL extern "C" __global__ void
#endif
#define KILN_RAW_KERNEL_OF(...) extern "C" __global__ __launch_bounds__(__VA_ARGS__) void
#if KILN_GPU_CLANG
#if !KILN_SAME_BITS
#define KILN_LIBM(name) ::kiln::libm::name
#endif
#if KILN_VENDOR_MATH && !KILN_SAME_BITS
#if KILN_CUDA
#define KILN_SINGLE(name) __nv_##name##f
#define KILN_DOUBLE(name) __nv_##name
#define KILN_PRIVATE
#else
#define KILN_SINGLE(name) __ocml_##name##_f32
#define KILN_DOUBLE(name) __ocml_##name##_f64
#define KILN_PRIVATE __attribute__((__address_space__(5)))
#endif
#include "kiln/core/clang_vendor_math.hpp"
#undef KILN_SINGLE
#undef KILN_DOUBLE
#undef KILN_PRIVATE
#define KILN_HYPOTF(x, y) ::kiln::libm::hypotf(x, y)
#define KILN_LOGF(x) ::kiln::libm::logf(x)
#else  // all of <cmath> is kiln's own
#if !KILN_SAME_BITS
#define KILN_OWN_LIBM 1
#define KILN_OWN_MATH 1
#endif
#define KILN_HYPOTF(x, y) ::kiln::hypot_by_double(x, y)
#define KILN_LOGF(x) ::kiln::log_by_polynomial(x)
#endif
#elif KILN_SAME_BITS
#define KILN_INSTRUCTION(name) ::name
#define KILN_HYPOTF(x, y) ::kiln::hypot_by_double(x, y)
#define KILN_LOGF(x) ::kiln::log_by_polynomial(x)
#else
#define KILN_LIBM(name) ::name
#define KILN_HYPOTF(x, y) ::hypotf(x, y)
#define KILN_LOGF(x) ::logf(x)
#endif
#define KILN_FUSED true
#define KILN_COMPLEX_ALIGN(T) alignas(2 * sizeof(T))
#define KILN_COMPLEX_TRIVIAL 1
#endif
#if KILN_SAME_BITS  // all of <cmath> is kiln's own, by every compiler
#define KILN_LIBM(name) ::kiln::libm::name
#define KILN_OWN_LIBM 1
#define KILN_OWN_MATH 1
#endif
// A function of kiln's own where there is one for the target (own_polynomial.hpp), and else the vendor's. Some are faster than
// glibc's with the 32 registers and the masks of AVX-512 only: with AVX2 pow of float64 took 6.4 ns and glibc's 5.3, log1p
// 0.78 and 0.54 (float32) or 1.9 and 1.7, atan 1.5 and 1.3.
#if KILN_OWN_MATH
#define KILN_OWN(own, libm) ::kiln::own
#else
#define KILN_OWN(own, libm) KILN_LIBM(libm)
#endif
// A function that CUDA and HIP have beside C's: the vendor's where the vendor's compiler brings it, and else kiln's own.
#if KILN_CPU || KILN_GPU_CLANG || KILN_SAME_BITS
#define KILN_OWN_SPECIAL 1
#define KILN_SPECIAL(name) ::kiln::own::name
#else
#define KILN_SPECIAL(name) ::name
#endif
#if defined(__AVX512F__) || !defined(__x86_64__) || KILN_SAME_BITS
#define KILN_MANY_REGISTERS 1
#else
#define KILN_MANY_REGISTERS 0
#endif
#ifndef KILN_UNKNOWN
#define KILN_UNKNOWN(x) static_cast<void>(x)
#define KILN_UNKNOWN_DIVISOR(x) static_cast<void>(x)
#endif
#ifndef KILN_UNKNOWN_DIVIDEND
#define KILN_UNKNOWN_DIVIDEND(x) static_cast<void>(x)
#endif
// A table of constants that code reads by an index.
#if KILN_CPU
#define KILN_TABLE inline constexpr
#else
#define KILN_TABLE __device__ constexpr
#endif
#if KILN_OWN_MATH && KILN_MANY_REGISTERS
#define KILN_OWN_OF_MANY_REGISTERS(own, libm) ::kiln::own
#else
#define KILN_OWN_OF_MANY_REGISTERS(own, libm) KILN_LIBM(libm)
#endif

// Functions of whole registers of AVX-512 (avx512_cpu.hpp), which the vectorizer calls for a loop's lanes, and else of one
// number.
#if KILN_OWN_MATH && !KILN_SAME_BITS && defined(__AVX512DQ__) && KILN_VECTOR_BITS == 512
#define KILN_LANES 1
#define KILN_OF_LANES(lanes, single) ::kiln::lanes
#else
#define KILN_OF_LANES(lanes, single) single
#endif

// A function of float32 by approximate instructions, where fast mathematics allows them and the target has them.
#if KILN_APPROXIMATE_LIBM
#define KILN_APPROXIMATE(name, otherwise) ::kiln::approximate::name
#else
#define KILN_APPROXIMATE(name, otherwise) otherwise
#endif

// A kernel of blocks of 256 threads, `blocks` of which share a multiprocessor.
#if KILN_CUDA && __CUDA_ARCH__ >= 800
#define KILN_KERNEL_OF(blocks) extern "C" __global__ __launch_bounds__(256, blocks) void
#else
#define KILN_KERNEL_OF(blocks) KILN_KERNEL
#endif

// The library's sincos reduces its angle once, and has the bits of its sin and cos.
#if !KILN_SAME_BITS && ((KILN_CUDA && !KILN_GPU_CLANG) || (KILN_OWN_LIBM && !KILN_APPROXIMATE_LIBM))
#define KILN_SINCOS 1
#endif

#if KILN_CUDA
#define KILN_WARP 32
// The value of the lane that many above this one, or below it, or of that lane; all lanes of the warp take part.
#define KILN_SHUFFLE_DOWN(x, distance) __shfl_down_sync(0xffffffffu, x, distance)
#define KILN_SHUFFLE_UP(x, distance) __shfl_up_sync(0xffffffffu, x, distance)
#define KILN_SHUFFLE_FROM(x, lane) __shfl_sync(0xffffffffu, x, lane)
// A bit for each lane of the warp; all of them take part.
#define KILN_BALLOT(x) __ballot_sync(0xffffffffu, x)
// What the lanes of a warp wrote to shared memory is there for all of them.
#define KILN_WARP_BARRIER() __syncwarp()
#elif KILN_HIP
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
#define KILN_WARP __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
#define KILN_WARP __AMDGCN_WAVEFRONT_SIZE
#else
#define KILN_WARP KILN_WAVE  // an option of the compile: lib/kiln/library/dialect.cpp
#endif
#define KILN_LANE() int(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)))
#define KILN_SHUFFLE_FROM(x, lane) static_cast<unsigned int>(__builtin_amdgcn_ds_bpermute((lane) << 2, static_cast<int>(x)))
#define KILN_SHUFFLE_DOWN(x, distance) KILN_SHUFFLE_FROM(x, KILN_LANE() + (distance))
#define KILN_SHUFFLE_UP(x, distance) KILN_SHUFFLE_FROM(x, KILN_LANE() - (distance))
#if __GFX9__ || __GFX10__ || __GFX11__ || __GFX12__
#define KILN_DPP 1  // a vector instruction may read other lanes of the 16 that are a row
#endif
#if __GFX10__ || __GFX11__ || __GFX12__
#define KILN_ROW_PAIRS(x) static_cast<uint32>(__builtin_amdgcn_permlanex16(int(x), int(x), 0x76543210, 0xfedcba98, true, false))
#else
#define KILN_ROW_PAIRS(x) static_cast<uint32>(__builtin_amdgcn_ds_swizzle(int(x), 0x401f))
#endif
#define KILN_BALLOT(x) __ballot(x)
#define KILN_WARP_BARRIER()                                                                \
  (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"), __builtin_amdgcn_wave_barrier(), \
   __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"))
#endif

// A pointer that the compiler takes for one into global memory. Of one that it reads from a parameter at a place that it does
// not know, it would ask at each access.
#if KILN_HIP
#define KILN_GLOBAL(T, p) \
  (T*)(reinterpret_cast<T __attribute__((__address_space__(1)))*>(reinterpret_cast<unsigned long long>(p)))
#else
#define KILN_GLOBAL(T, p) (p)
#endif
// A word of 64 bits in global memory that other blocks read or write meanwhile, at once.
#if KILN_HIP
#define KILN_GLOBAL_WORD(p)                                                               \
  (*reinterpret_cast<volatile unsigned long long __attribute__((__address_space__(1)))*>( \
      reinterpret_cast<unsigned long long>(p)))
#else
#define KILN_GLOBAL_WORD(p) (*static_cast<volatile unsigned long long*>(p))
#endif

#if KILN_GPU_CLANG
#define KILN_OF_CXX_LIBRARY __device__ __attribute__((__used__))
#endif
#if !KILN_CUDA || KILN_GPU_CLANG
#define KILN_DEFINES_INITIALIZER_LIST 1  // NVRTC has its own
#define KILN_OFFSET_OF(type, member) __builtin_offsetof(type, member)
#else
#define KILN_OFFSET_OF(type, member) __INTADDR__(&((static_cast<type*>(nullptr))->member))
#endif

// int64(a) * int64(b) of 32-bit numbers. NVIDIA's instruction for it is lost where LLVM extends one of them outside of a loop.
#if KILN_CUDA
#define KILN_WIDE_PRODUCT(product, a, b) asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b))
#else
#define KILN_WIDE_PRODUCT(product, a, b) product = static_cast<long long>(a) * (b)
#endif

#if KILN_CUDA
#define KILN_TRAILING_ZEROS(x) (__ffsll(static_cast<long long>(x)) - 1)
#define KILN_LEADING_ZEROS(x) __clzll(static_cast<long long>(x))
#define KILN_POPULATION_32(x) __popc(x)
#define KILN_POPULATION_64(x) __popcll(x)
#else
#define KILN_TRAILING_ZEROS(x) __builtin_ctzll(x)
#define KILN_LEADING_ZEROS(x) __builtin_clzll(x)
#define KILN_POPULATION_32(x) __builtin_popcount(x)
#define KILN_POPULATION_64(x) __builtin_popcountll(x)
#endif

#if KILN_CUDA
#define KILN_SQRTF(x) KILN_LIBM(sqrtf)(x)
#if KILN_GPU_CLANG  // user functions carry no __device__
#define KILN_USER_BEGIN _Pragma("clang force_cuda_host_device begin")
#define KILN_USER_END _Pragma("clang force_cuda_host_device end")
#else
#define KILN_USER_BEGIN
#define KILN_USER_END
#endif
#define KILN_FLOAT_TO_HALF(bits, x) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x))
#define KILN_HALF_TO_FLOAT(x, bits) asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits))
#elif KILN_HIP
#if KILN_GPU_CLANG  // its square roots are exact
#define KILN_SQRTF(x) KILN_LIBM(sqrtf)(x)
#else
#define KILN_SQRTF(x) ::kiln::sqrt_refined(x)
#endif
// User functions carry no __device__.
#define KILN_USER_BEGIN _Pragma("clang force_cuda_host_device begin")
#define KILN_USER_END _Pragma("clang force_cuda_host_device end")
#if !KILN_GPU_CLANG
namespace kiln {
// hipRTC 5.2 compiles every float sqrt to a bare v_sqrt_f32 (1 ulp). One step over the neighbours, judged by the residual,
// makes it correctly rounded; small arguments are scaled out of the subnormals first.
KILN_FN float sqrt_refined(float x) {
  const bool small = x < 0x1p-96f;
  const float y = small ? x * 0x1p32f : x;
  const float root = __builtin_sqrtf(y);
  const float below = __builtin_bit_cast(float, __builtin_bit_cast(int, root) - 1);
  const float above = __builtin_bit_cast(float, __builtin_bit_cast(int, root) + 1);
  float s = __builtin_fmaf(-below, root, y) <= 0 ? below : __builtin_fmaf(-above, root, y) > 0 ? above : root;
  s = small ? s * 0x1p-16f : s;
  return y == 0 ? y : y < __builtin_inff() ? s : root;  // zeros, infinity, NaN and negatives need no step
}
}  // namespace kiln
#endif
#endif

#if KILN_SAME_BITS
// y, or rare(x) where the size of x is not below the limit: of few numbers, so that a loop of others is one of vectors.
#if KILN_CPU
#define KILN_RARELY_IN_LANES 1
#define KILN_RARELY(y, x, limit, rare) kiln_rarely_double(y, x, limit, rare)
#else
#define KILN_RARELY(y, x, limit, rare) (KILN_LIBM(fabs)(x) < (limit) ? (y) : rare(x))
#endif
#if KILN_EMULATED_FMA
#include "kiln/core/emulated_fma.hpp"
#endif
#if !KILN_GPU_CLANG
#include "kiln/core/same_bits.hpp"
#endif
#include "kiln/core/extrema.hpp"
#endif

#if !KILN_CUDA
#if KILN_HIP || defined(__F16C__) || defined(__AVX512FP16__) || defined(__aarch64__)
#if KILN_HIP
// Of a quotient of halves LLVM would make one in halves, by a product with a reciprocal: it must not know what it converts.
#define KILN_FLOAT_TO_HALF(bits, x)                                               \
  {                                                                               \
    float kiln_exact = x;                                                         \
    KILN_UNKNOWN(kiln_exact);                                                     \
    bits = __builtin_bit_cast(unsigned short, static_cast<_Float16>(kiln_exact)); \
  }
#else
#define KILN_FLOAT_TO_HALF(bits, x) bits = __builtin_bit_cast(unsigned short, static_cast<_Float16>(x))
#endif
#define KILN_HALF_TO_FLOAT(x, bits) x = static_cast<float>(__builtin_bit_cast(_Float16, bits))
#else
// Without F16C, _Float16 would call into compiler-rt, which nothing here links.
#define KILN_FLOAT_TO_HALF(bits, x) bits = ::kiln::half_from_float(x)
#define KILN_HALF_TO_FLOAT(x, bits) x = ::kiln::float_from_half(bits)
#endif
#endif

// Of kernels that report faults: those that are compiled for debugging (checks.hpp), and those that call functions with a
// status.
#if KILN_CPU
#define KILN_FAULT_BUFFER __attribute__((__visibility__("default")))
#define KILN_ATOMIC_ADD(at, x) __atomic_fetch_add(at, x, __ATOMIC_RELAXED)
#define KILN_ATOMIC_CLAIM(at) (__atomic_exchange_n(at, 1u, __ATOMIC_RELAXED) == 0)
#elif KILN_CUDA
#define KILN_FAULT_BUFFER __device__
#else
#define KILN_FAULT_BUFFER __device__ __attribute__((__visibility__("default")))
#endif
#if !KILN_CPU
#define KILN_ATOMIC_ADD(at, x) atomicAdd(at, x)
#define KILN_ATOMIC_CLAIM(at) (atomicExch(at, 1u) == 0)
#endif

// Whether to compute an element: one that counts, or one that a mask leaves out where nothing comes of it but a value that is
// not used. Clang's passes tell (lib/clang/passes/masked_bodies.cpp).
#if KILN_CPU || KILN_GPU_CLANG
extern "C" __device__ __attribute__((__const__, __nothrow__)) bool kiln_computes(bool counts);
#define KILN_COMPUTES(counts) ::kiln_computes(counts)
#else
#define KILN_COMPUTES(counts) (counts)
#endif

#if KILN_DEBUG
// NVRTC knows the line alone.
#if KILN_CUDA && !KILN_GPU_CLANG
#define KILN_COLUMN 0
#else
#define KILN_COLUMN __builtin_COLUMN()
#endif
#if KILN_SANITIZER  // an option of the compile: Clang's checks, of the user's texts alone
#if KILN_HIP
#define KILN_SANITIZER_DATA const __attribute__((__address_space__(1)))
#else
#define KILN_SANITIZER_DATA const
#endif
#if KILN_CPU
#define KILN_SANITIZER_HANDLER __attribute__((__used__)) __noinline__
#else
#define KILN_SANITIZER_HANDLER __device__ __attribute__((__used__)) __noinline__
#endif
// clang-format off: one literal
#define KILN_UNCHECKED_BEGIN \
  _Pragma("clang attribute push(__attribute__((no_sanitize(\"shift-exponent\", \"float-cast-overflow\", \"array-bounds\"))), apply_to = function)")
// clang-format on
#define KILN_UNCHECKED_END _Pragma("clang attribute pop")
KILN_UNCHECKED_BEGIN
#else
#define KILN_UNCHECKED_BEGIN
#define KILN_UNCHECKED_END
#endif
#if KILN_CPU
#define KILN_ENTER_ITEM(i) ::kiln::debug::enter_item_exactly(i)
#else
#define KILN_ENTER_ITEM(i) ::kiln::debug::enter_item(i)
#endif
#define KILN_NEXT_ITEM() ::kiln::debug::next_item()
#else
#define KILN_UNCHECKED_BEGIN
#define KILN_UNCHECKED_END
#define KILN_ENTER_ITEM(i) static_cast<void>(0)
#define KILN_NEXT_ITEM() static_cast<void>(0)
#endif
