// Coordinates of the elementwise loop on GPUs over several dimensions: a pack's number is divided by the extents, by a
// multiplication where the index has 32 bits. The other side of kernels-src/elementwise/abi.hpp.
#pragma once
#include "kiln/elementwise/gpu.hpp"

namespace kiln::loops {

template <class Index, int D, int N>
struct space {
  uint64 extent[D];
  int64 stride[N][D];
  KILN_FN uint64 divide(uint64 i, int d) const { return i / extent[d]; }
};
template <int D, int N>
struct space<uint32, D, N> {
  uint32 extent[D];
  uint32 magic[D];
  uint32 shift[D];
  int64 stride[N][D];
  KILN_FN uint32 divide(uint32 i, int d) const { return (uint32((uint64(i) * magic[d]) >> 32) + i) >> shift[d]; }
};

// The coordinates of the first element of pack i.
template <class Index, int D, int W>
struct place {
  Index at[D];
  template <int N>
  KILN_FN place(const space<Index, D, N>& s, Index i) {
#pragma unroll
    for (int d = D - 1; d > 0; --d) {
      const Index q = s.divide(i, d);
      at[d] = i - q * s.extent[d];
      i = q;
    }
    at[0] = i;
    at[D - 1] *= W;
  }
  // Along the first `Moving` dimensions; the others do not move it.
  template <int Moving = D>
  KILN_FN int64 offset(const int64 (&stride)[D]) const {
    int64 sum = 0;
#pragma unroll
    for (int d = 0; d < Moving; ++d) {
      sum += int64(at[d]) * stride[d];
    }
    return sum;
  }
};

template <class T>
KILN_FN T* moved(T* p, int64 bytes) {
  return reinterpret_cast<T*>((char*)(p) + bytes);
}

template <int W, class T>
KILN_FN pack<T, W> load_strided(const T* p, int64 stride) {
  pack<T, W> x;
#pragma unroll
  for (int k = 0; k < W; ++k) {
    x.v[k] = *moved(p, k * stride);
  }
  return x;
}
template <int W, class T>
KILN_FN void store_strided(T* p, int64 stride, const pack<T, W>& x) {
#pragma unroll
  for (int k = 0; k < W; ++k) {
    *moved(p, k * stride) = x.v[k];
  }
}
template <int W, class T>
KILN_FN void store_strided(T* p, int64 stride, const pack<T, W>& x, const boolean (&kept)[W]) {
#pragma unroll
  for (int k = 0; k < W; ++k) {
    if (!kept[k]) {
      *moved(p, k * stride) = x.v[k];
    }
  }
}

}  // namespace kiln::loops
