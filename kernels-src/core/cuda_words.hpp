// CUDA's words on the CPU that do not depend on where a thread is. GPUs' compilers have them, or portable.hpp.
#pragma once
#include "kiln/core/types.hpp"

#if KILN_LACKS_CUDA_WORDS

#define KILN_DEVICE_FN KILN_FN
#include "kiln/core/clang_words.hpp"

#define __launch_bounds__(...)

KILN_FN void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
KILN_FN void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_FN void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_FN long long clock64() {
  return static_cast<long long>(__builtin_readcyclecounter());
}
KILN_FN long long clock() {
  return clock64();
}
KILN_FN void __nanosleep(unsigned int) {}
KILN_FN void __trap() {
  __builtin_trap();
}

#endif
