// How a thread of a GPU takes packs of elements: many loads in flight, and sums whose grouping follows from the number of packs
// alone. A Source has load(i), which reads pack i and computes nothing.
#pragma once
#include "kiln/reduction/reduction.hpp"

namespace kiln::loops {

// Packs that a thread loads before it combines the first of them: more where they are small, fewer where code would be long.
template <class Sum, class Loaded>
constexpr int kLoads = Sum::long_code && Sum::elements >= 16 ? 2
                       : sizeof(Loaded) <= 8                 ? 8
                                                             : 4;

// A pack of one state that another launch left.
template <class State>
struct made_state {
  State value;
};

template <class C, class Loaded>
KILN_FN typename C::state state_of(const Loaded& x, int w) {
  return C::one(x, w);
}
template <class C>
KILN_FN typename C::state state_of(const made_state<typename C::state>& x, int) {
  return x.value;
}

// x[0] becomes what all N of them amount to, in pairs. By recursion: NVRTC does not unroll loops over halves of 16, and then
// keeps the array in memory.
template <class C, int N>
KILN_FN void combine_pairs(typename C::state* x) {
  if constexpr (N > 1) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      x[i] = C::combine(x[i], x[i + N / 2]);
    }
    combine_pairs<C, N / 2>(x);
  }
}

// A sum for each element of a pack. `Group` packs are combined in pairs, and then with the sum.
template <class C, int W, int Group>
struct sums_of_elements {
  static constexpr int group = Group;
  static constexpr int elements = W;
  static constexpr bool long_code = false;
  typename C::state sums[W];

  template <class Loaded>
  KILN_FN void start(const Loaded& x) {
#pragma unroll
    for (int w = 0; w < W; ++w) {
      sums[w] = state_of<C>(x, w);
    }
  }
  template <int N, class Loaded>
  KILN_FN void add(const Loaded* x) {
#pragma unroll
    for (int w = 0; w < W; ++w) {
      typename C::state y[N];
#pragma unroll
      for (int n = 0; n < N; ++n) {
        y[n] = state_of<C>(x[n], w);
      }
      combine_pairs<C, N>(y);
      sums[w] = C::combine(sums[w], y[0]);
    }
  }
  KILN_FN typename C::state result() {
    combine_pairs<C, W>(sums);
    return sums[0];
  }
};

// One sum: several of large states would not fit into the registers. Up to four elements are combined in pairs.
template <class C, int W>
struct sum_of_packs {
  static constexpr int group = 1;
  static constexpr int elements = W;
  static constexpr bool long_code = true;
  typename C::state sum;

  static constexpr int part = W < 4 ? W : 4;

  template <class Loaded>
  static KILN_FN typename C::state some(const Loaded& x, int first) {
    typename C::state y[part];
#pragma unroll
    for (int w = 0; w < part; ++w) {
      y[w] = state_of<C>(x, first + w);
    }
    combine_pairs<C, part>(y);
    return y[0];
  }
  template <int First, class Loaded>
  KILN_FN void add_elements(const Loaded& x) {
#pragma unroll
    for (int w = First; w < W; w += part) {
      sum = C::combine(sum, some(x, w));
    }
  }
  template <class Loaded>
  KILN_FN void start(const Loaded& x) {
    sum = some(x, 0);
    add_elements<part>(x);
  }
  template <int N, class Loaded>
  KILN_FN void add(const Loaded* x) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      add_elements<0>(x[n]);
    }
  }
  KILN_FN typename C::state result() const { return sum; }
};

// One sum of neighbours, from the first element to the last.
template <class C, int W>
struct sum_of_neighbours {
  static constexpr int group = 1;
  static constexpr int elements = W;
  static constexpr bool long_code = true;
  typename C::state sum;

  template <int First, class Loaded>
  KILN_FN void add_elements(const Loaded& x) {
#pragma unroll
    for (int w = First; w < W; ++w) {
      sum = C::combine(sum, state_of<C>(x, w));
    }
  }
  template <class Loaded>
  KILN_FN void start(const Loaded& x) {
    sum = state_of<C>(x, 0);
    add_elements<1>(x);
  }
  template <int N, class Loaded>
  KILN_FN void add(const Loaded* x) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      add_elements<0>(x[n]);
    }
  }
  KILN_FN typename C::state result() const { return sum; }
};

// States of so many bytes are kept for each element of a pack.
constexpr int kSmallState = 8;

template <class C, int W, int Group, bool Neighbours = !C::commutes,
          bool Large = (W > 1 && sizeof(typename C::state) > kSmallState)>
struct sum_for {
  using type = sums_of_elements<C, W, Group>;
};
template <class C, int W, int Group>
struct sum_for<C, W, Group, false, true> {
  using type = sum_of_packs<C, W>;
};
template <class C, int W, int Group, bool Large>
struct sum_for<C, W, Group, true, Large> {
  using type = sum_of_neighbours<C, W>;
};
template <class C, int W, int Group>
using thread_sum = typename sum_for<C, W, Group>::type;

// A sum for each of V outputs whose elements lie together in packs.
template <class C, int V, int Group>
using column_sums = sums_of_elements<C, V, C::commutes ? Group : 1>;

// Packs from, from + by, … below `to` to a sum; false where there is none. The first pack is loaded with the first batch,
// and those behind the last whole batch together, so that a thread waits once for each batch.
template <class Sum, class Source>
KILN_FN bool gather(const Source& source, uint64 from, uint64 to, uint64 by, Sum& sum) {
  using loaded = typename Source::loaded;
  using index = typename Source::index;
  constexpr int G = Sum::group;
  constexpr int L = kLoads<Sum, loaded>;
  constexpr bool together = Sum::elements <= (Sum::long_code ? 4 : 8);
  if (from >= to) {
    return false;
  }
  const index first = index(from), end = index(to), step = index(by);
  loaded x[L];
  const auto load_batch = [&](index i) {
#pragma unroll
    for (int u = 0; u < L; ++u) {
      x[u] = source.load(i + u * step);
    }
  };
  const auto add_batch = [&] {
#pragma unroll
    for (int u = 0; u < L; u += G) {
      sum.template add<G>(x + u);
    }
  };
  const auto add_batches = [&](index& i) {
#pragma unroll 1
    for (; i + (L - 1) * step < end; i += L * step) {
      load_batch(i);
      add_batch();
    }
  };
  const loaded start = source.load(first);
  index i = first + step;
  if (together && i + (L - 1) * step < end) {
    load_batch(i);
    sum.start(start);
    add_batch();
    i += L * step;
    add_batches(i);
  } else {
    sum.start(start);
    if constexpr (!together) {
      add_batches(i);
    }
  }
  if (i >= end) {
    return true;
  }
  // Another pack is loaded in place of one that there is not.
#pragma unroll
  for (int u = 0; u < L - 1; ++u) {
    x[u] = source.load(i + u * step < end ? i + u * step : i);
  }
#pragma unroll
  for (int u = 0; u < L - 1; u += G) {
    if (u + G < L && i + (u + G - 1) * step < end) {
      sum.template add<G>(x + u);
      continue;
    }
#pragma unroll
    for (int k = u; k < u + G && k < L - 1; ++k) {
      if (i + k * step < end) {
        sum.template add<1>(x + k);
      }
    }
  }
  return true;
}

}  // namespace kiln::loops
