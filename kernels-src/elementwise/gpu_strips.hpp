// The elementwise loop on GPUs by strips of rows that begin and end anywhere: 32 lanes take neighbours, and each of them more
// elements, 32 apart. A thread computes its place once for all of them. The other side of kernels-src/elementwise/abi.hpp.
#pragma once
#include "kiln/elementwise/gpu_nd.hpp"

#include "kiln/elementwise/abi.hpp"

namespace kiln::loops {

constexpr int kStripLanes = kinds::kStripLanes;

// A thread's place in strip i of U elements for each lane.
template <int D, int U>
struct strip_place {
  place<uint32, D, 1> at;  // of the thread's first element
  int count;               // of the thread's elements, those that the row has

  template <int N>
  KILN_FN strip_place(const space<uint32, D, N>& s, uint32 i, uint32 columns) : at(s, i) {
    const uint32 column = at.at[D - 1] * (kStripLanes * U) + threadIdx.x % kStripLanes;
    at.at[D - 1] = column;
    const uint32 left = column < columns ? (columns - column + (kStripLanes - 1)) / kStripLanes : 0;
    count = int(left < U ? left : U);
  }
  // The number of that element, in the order of the iteration.
  template <int N>
  KILN_FN int64 number(const space<uint32, D, N>& s, uint32 i, uint32 columns) const {
    return int64(s.divide(i, D - 1)) * columns + at.at[D - 1];
  }
  template <class T>
  KILN_FN T* contiguous(T* p, const int64 (&stride)[D]) const {
    return moved(p, at.template offset<D - 1>(stride)) + at.at[D - 1];
  }
  template <class T>
  KILN_FN T* broadcast(T* p, const int64 (&stride)[D]) const {
    return moved(p, at.template offset<D - 1>(stride));
  }
  template <class T>
  KILN_FN T* strided(T* p, const int64 (&stride)[D]) const {
    return moved(p, at.offset(stride));
  }
};

// The thread's elements from k on, U of them or, not All, as many as there are; all are loaded before one is computed.
template <int U, bool All, class Work>
KILN_FN void compute_strip_part(const Work& work, int k, int count) {
  typename Work::loaded x[U];
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (All || k + u < count) x[u] = work.load(k + u);
  }
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (All || k + u < count) work.finish(k + u, x[u]);
  }
}

template <int U, class Work>
KILN_FN void compute_strip(const Work& work, int count) {
  if (count == U) {
    compute_strip_part<U, true>(work, 0, count);
    return;
  }
#pragma unroll 1
  for (int k = 0; k < count; k += 4) {
    compute_strip_part<4, false>(work, k, count);
  }
}

}  // namespace kiln::loops
