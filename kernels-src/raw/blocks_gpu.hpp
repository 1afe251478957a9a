// What threads of a block share, on GPUs: KILN_SHARED variables, dynamic shared memory, and a barrier.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/raw/gpu.hpp"

namespace kiln {

// Every thread of the block waits here for the others.
KILN_FN void barrier() {
  KILN_BARRIER();
}
KILN_FN void sync() {
  barrier();
}

template <class T>
KILN_FN T* kiln_dynamic_memory() {
  alignas(16) extern __shared__ unsigned char kiln_dynamic_shared[];
  return reinterpret_cast<T*>(kiln_dynamic_shared);
}

KILN_FN shared_memory kiln_dynamic_arrays() {
#if KILN_DEBUG
  unsigned int bytes;
  KILN_DYNAMIC_BYTES(bytes);
  return {kiln_dynamic_memory<unsigned char>(), index(bytes)};
#else
  return {kiln_dynamic_memory<unsigned char>(), 0};
#endif
}

}  // namespace kiln

#define KILN_DYNAMIC_SHARED(type) kiln_dynamic_memory<type>()
