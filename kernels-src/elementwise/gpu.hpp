// The elementwise loop on GPUs: accesses of up to 16 bytes, several in flight per thread, and a stride over the whole grid, so
// that any grid is right. The other side of kernels-src/elementwise/abi.hpp.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::loops {

template <int Bytes>
struct word;
template <>
struct word<1> {
  using type = uint8;
};
template <>
struct word<2> {
  using type = uint16;
};
template <>
struct word<4> {
  using type = uint32;
};
struct alignas(8) word8 {
  uint32 w[2];
};
template <>
struct word<8> {
  using type = word8;
};
struct alignas(16) word16 {
  uint32 w[4];
};
template <>
struct word<16> {
  using type = word16;
};

template <class T, int W>
struct pack {
  T v[W];
};

// One access moves up to 16 bytes, whatever the element type: compilers split vectors of small elements otherwise.
template <int W, class T>
KILN_FN pack<T, W> load_pack(const T* p) {
  constexpr int bytes = W * int(sizeof(T));
  if constexpr (W == 1) {
    return {*p};
  } else if constexpr (bytes <= 16) {
    return bit_cast<pack<T, W>>(*reinterpret_cast<const typename word<bytes>::type*>(p));
  } else {
    pack<word16, bytes / 16> raw;
#pragma unroll
    for (int k = 0; k < bytes / 16; ++k) {
      raw.v[k] = reinterpret_cast<const word16*>(p)[k];
    }
    return bit_cast<pack<T, W>>(raw);
  }
}
template <int W, class T>
KILN_FN void store_pack(T* p, const pack<T, W>& x) {
  constexpr int bytes = W * int(sizeof(T));
  if constexpr (W == 1) {
    *p = x.v[0];
  } else if constexpr (bytes <= 16) {
    using whole = typename word<bytes>::type;
    *reinterpret_cast<whole*>(p) = bit_cast<whole>(x);
  } else {
    const auto raw = bit_cast<pack<word16, bytes / 16>>(x);
#pragma unroll
    for (int k = 0; k < bytes / 16; ++k) {
      reinterpret_cast<word16*>(p)[k] = raw.v[k];
    }
  }
}

// The same, but for elements that are kept as they are.
template <int W, class T>
KILN_FN void store_pack(T* p, const pack<T, W>& x, const boolean (&kept)[W]) {
  boolean any = false;
#pragma unroll
  for (int k = 0; k < W; ++k) {
    any = any || kept[k];
  }
  if (!any) {
    store_pack<W>(p, x);
    return;
  }
#pragma unroll
  for (int k = 0; k < W; ++k) {
    if (!kept[k]) {
      p[k] = x.v[k];
    }
  }
}

// Calls work on packs [0, packs), each once, and keeps U loads in flight.
template <int U, class Index, class Work>
KILN_FN void walk(Index packs, const Work& work) {
  const uint64 first = uint64(blockIdx.x) * blockDim.x + threadIdx.x;
  const uint64 threads = KILN_GRID_THREADS(x);
  if (first >= packs) {
    return;
  }
  const Index step = Index(threads < packs ? threads : packs);  // below 2^31 where Index has 32 bits
  Index i = Index(first);
  if constexpr (U > 1) {
#pragma unroll 1
    for (; uint64(i) + uint64(U - 1) * step < packs; i += U * step) {
      typename Work::loaded x[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        x[u] = work.load(i + u * step);
      }
#pragma unroll
      for (int u = 0; u < U; ++u) {
        work.finish(i + u * step, x[u]);
      }
    }
  }
#pragma unroll 1
  for (; i < packs; i += step) {
    work.finish(i, work.load(i));
  }
}

// Elements that fill no pack: fewer than W, one thread each.
template <int W, class Index, class Work>
KILN_FN void rest(Index n, const Work& work) {
  if constexpr (W > 1) {
    const uint64 i = uint64(n / W) * W + uint64(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
      work.one(Index(i));
    }
  }
}

// Elements before the first pack and behind the last: fewer than 2 * W.
template <int W, class Index, class Work>
KILN_FN void rest_around(Index n, Index head, const Work& work) {
  const uint64 thread = uint64(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index behind = (n - head) % W;
  if (thread < head + behind) {
    work.one(thread < head ? Index(thread) : n - behind + (Index(thread) - head));
  }
}

}  // namespace kiln::loops
