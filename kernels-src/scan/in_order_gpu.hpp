// Running results on GPUs, strictly from the first element to the last: a thread for each line. The other side of ScanSpace in
// lib/kiln/kernel/scan/gpu.cpp.
#pragma once
#include "kiln/scan/line_gpu.hpp"

namespace kiln::loops {

// A thread loads P packs of W elements before it uses the first of them.
template <class Work, int W, int P>
KILN_FN void scan_in_order(const kinds::ScanSpace& s, const typename Work::in* x, typename Work::out* y) {
  const uint32 step = uint32(KILN_GRID_THREADS(x));
  for (uint64 number = uint64(blockIdx.x) * blockDim.x + threadIdx.x; number < s.lines; number += step) {
    const scan_line<typename Work::in, typename Work::out, W> line(s, x, y, uint32(number));
    typename Work::value running;
    bool runs = false;
    int64 at = 0;
#pragma unroll 1
    for (; s.extent - at >= W * P; at += W * P) {
      pack<typename Work::in, W> loaded[P];
      line.load(loaded, line.in_at(at), W);
      pack<typename Work::out, W> results[P];
#pragma unroll
      for (int p = 0; p < P; ++p) {
#pragma unroll
        for (int w = 0; w < W; ++w) {
          if (p > 0 || w > 0 || runs) {
            Work::next(running, running, loaded[p].v[w]);
          } else {
            Work::first(running, loaded[p].v[w]);
          }
          Work::last(results[p].v[w], running);
        }
      }
      runs = true;
      line.store(results, line.out_at(at), W);
    }
#pragma unroll 1
    for (; at < s.extent; ++at) {
      if (runs) {
        Work::next(running, running, line.element(at));
      } else {
        Work::first(running, line.element(at));
      }
      runs = true;
      Work::last(line.result(at), running);
    }
  }
}

}  // namespace kiln::loops
