// The loop over the items of a generalized ufunc on GPUs. The other side of kernels-src/gufunc/abi.hpp.
#pragma once
#include "kiln/core/view.hpp"
#include "kiln/elementwise/gpu_nd.hpp"

namespace kiln::loops {

// Calls work(i) for each of [0, count) once, whatever the grid.
template <class Index, class Work>
KILN_FN void walk_items(Index count, const Work& work) {
  const uint64 threads = KILN_GRID_THREADS(x);
#pragma unroll 1
  for (uint64 i = uint64(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    work(Index(i));
  }
}

}  // namespace kiln::loops
