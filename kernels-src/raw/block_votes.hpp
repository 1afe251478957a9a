// Barriers that count, where the compiler has none: every thread of the block calls them.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

KILN_FN int __syncthreads_count(int x) {
  KILN_SHARED int count;
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) count = 0;
  barrier();
  if (x != 0) atomic_add(&count, 1);
  barrier();
  const int result = count;
  barrier();
  return result;
}
KILN_FN int __syncthreads_or(int x) {
  return __syncthreads_count(x) != 0;
}
KILN_FN int __syncthreads_and(int x) {
  return __syncthreads_count(x == 0) == 0;
}

}  // namespace kiln
