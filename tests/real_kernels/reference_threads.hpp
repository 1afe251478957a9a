// Kernels of threads for a host compiler: each thread runs to its end, or to the next barrier, one after the other. Behind
// reference.hpp.
#pragma once
#include <ucontext.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>
// clang-format off: a line for each name
struct uint3 { unsigned x, y, z; };
using dim3 = uint3;
inline uint3 threadIdx, blockIdx, blockDim, gridDim;
inline constexpr int warpSize = 32;
inline void __threadfence() {}
#define __align__(n) __attribute__((aligned(n)))
#define SHIM_VECTOR(T, Name)                                                          \
  struct Name##1 { T x; };                                                            \
  struct alignas(2 * sizeof(T)) Name##2 { T x, y; };                                  \
  struct Name##3 { T x, y, z; };                                                      \
  struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) Name##4 { T x, y, z, w; };       \
  inline Name##2 make_##Name##2(T x, T y) { return {x, y}; }                          \
  inline Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VECTOR(float, float)
SHIM_VECTOR(double, double)
SHIM_VECTOR(int, int)
SHIM_VECTOR(short, short)
SHIM_VECTOR(char, char)
inline double __dmul_rn(double a, double b) { return a * b; }
inline void __builtin_assume(bool) {}
inline float16 __hmax(float16 a, float16 b) { return max(a, b); }
inline float16 __hmin(float16 a, float16 b) { return min(a, b); }
inline float __half2float(float16 x) { return x; }
inline float16 __float2half(float x) { return x; }
inline float16 __habs(float16 x) { return fabsf(x); }
#define SHIM_CU_COMPLEX(T, Name, f)                                                   \
  inline T cuCreal##f(Name z) { return z.real(); }                                    \
  inline T cuCimag##f(Name z) { return z.imag(); }                                    \
  inline Name make_##Name(T re, T im) { return {re, im}; }                            \
  inline Name cuCadd##f(Name a, Name b) { return a + b; }                             \
  inline Name cuCsub##f(Name a, Name b) { return a - b; }                             \
  inline Name cuCmul##f(Name a, Name b) { return a * b; }                             \
  inline Name cuCdiv##f(Name a, Name b) { return a / b; }                             \
  inline Name cuCfma##f(Name a, Name b, Name c) { return a * b + c; }                 \
  inline Name cuConj##f(Name z) { return conj(z); }                                   \
  inline T cuCabs##f(Name z) { return abs(z); }
using cuFloatComplex = complex<float>;
using cuComplex = cuFloatComplex;
using cuDoubleComplex = complex<double>;
SHIM_CU_COMPLEX(float, cuFloatComplex, f)
SHIM_CU_COMPLEX(double, cuDoubleComplex, )
inline cuFloatComplex cuCadd(cuFloatComplex a, cuFloatComplex b) { return a + b; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex(z); }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex(z); }
// clang-format on

/// "float32", or "?" for a type that no array has.
template <class T>
std::string shim_name() {
  if (std::is_same_v<T, bool>) return "bool";
  if (std::is_same_v<T, float16>) return "float16";
  if (std::is_same_v<T, complex<float>>) return "complex64";
  if (std::is_same_v<T, complex<double>>) return "complex128";
  const std::string bits = std::to_string(8 * sizeof(T));
  if (std::is_floating_point_v<T>) return "float" + bits;
  return std::is_integral_v<T> ? (std::is_signed_v<T> ? "int" : "uint") + bits : "?";
}
/// "p float32" of a pointer, "c float32" of one to what is only read, "s int32" of a number.
template <class P>
std::string shim_parameter() {
  using T = std::remove_pointer_t<P>;
  if constexpr (std::is_void_v<T> || std::is_pointer_v<T>)
    return "? ?";
  else if constexpr (std::is_pointer_v<P>)
    return (std::is_const_v<T> ? "c " : "p ") + shim_name<std::remove_cv_t<T>>();
  else
    return "s " + shim_name<std::remove_cv_t<P>>();
}
template <class... P>
std::string shim_parameters(void (*)(P...)) {
  return ((shim_parameter<P>() + "\n") + ... + std::string());
}
template <class P>
P shim_argument(void* place) {
  if constexpr (std::is_pointer_v<P>)
    return static_cast<P>(place);
  else
    return *static_cast<P*>(place);
}
/// The threads of a block, each with a stack of its own.
class ShimBlock {
 public:
  static inline ShimBlock* running = nullptr;
  void run(unsigned threads, int mode, const std::function<void(unsigned)>& thread) {
    running = this;
    thread_ = &thread;
    contexts_.resize(threads);
    ended_.assign(threads, false);
    stacks_.resize(threads);
    for (unsigned t = 0; t < threads; ++t) {
      if (!stacks_[t]) stacks_[t] = std::make_unique<char[]>(kStack);
      getcontext(&contexts_[t]);
      contexts_[t].uc_stack.ss_sp = stacks_[t].get();
      contexts_[t].uc_stack.ss_size = kStack;
      contexts_[t].uc_link = &scheduler_;
      makecontext(&contexts_[t], [] { running->begin(); }, 0);
    }
    for (unsigned left = threads; left > 0;) {
      for (unsigned k = 0; k < threads; ++k) {
        at_ = mode ? threads - 1 - k : k;
        if (ended_[at_]) continue;
        (*enter)(at_);
        swapcontext(&scheduler_, &contexts_[at_]);
        if (ended_[at_]) --left;
      }
    }
  }
  void wait() { swapcontext(&contexts_[at_], &scheduler_); }
  const std::function<void(unsigned)>* enter = nullptr;  ///< says where the thread is

 private:
  static constexpr std::size_t kStack = 1 << 17;
  void begin() {
    (*thread_)(at_);
    ended_[at_] = true;
  }
  ucontext_t scheduler_;
  std::vector<ucontext_t> contexts_;
  std::vector<std::unique_ptr<char[]>> stacks_;
  std::vector<bool> ended_;
  const std::function<void(unsigned)>* thread_ = nullptr;
  unsigned at_ = 0;
};
inline void __syncthreads() {
  ShimBlock::running->wait();
}

/// mode 1: from the last thread to the first.
template <class... P, std::size_t... K>
void shim_launch(void (*kernel)(P...), std::index_sequence<K...>, void** places, int mode, dim3 grid, dim3 block) {
  gridDim = grid;
  blockDim = block;
  const unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
  static ShimBlock all;
  const std::function<void(unsigned)> enter = [&](unsigned t) {
    threadIdx = {t % block.x, t / block.x % block.y, t / block.x / block.y};
  };
  all.enter = &enter;
  for (unsigned k = 0; k < blocks; ++k) {
    const unsigned b = mode ? blocks - 1 - k : k;
    blockIdx = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
    all.run(threads, mode, [&](unsigned) { kernel(shim_argument<std::remove_cv_t<P>>(places[K])...); });
  }
}
template <class... P>
void shim_launch(void (*kernel)(P...), void** places, int mode, dim3 grid, dim3 block) {
  shim_launch(kernel, std::index_sequence_for<P...>(), places, mode, grid, block);
}
