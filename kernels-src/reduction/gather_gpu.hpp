// How a thread of a GPU takes packs of elements: many loads in flight, and sums whose grouping follows from the number of packs
// alone. A Source has load(i), which reads pack i and computes nothing.
#pragma once
#include "kiln/reduction/reduction.hpp"

namespace kiln::loops {

// Packs that a thread loads before it combines the first of them.
constexpr int kLoads = 4;

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

// x[0] becomes what `N` of them amount to, in pairs.
template <class C, int N>
KILN_FN void combine_pairs(typename C::state (&x)[N]) {
#pragma unroll
  for (int distance = N / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < distance; ++i) {
      x[i] = C::combine(x[i], x[i + distance]);
    }
  }
}

// A sum for each element of a pack. `Group` packs are combined in pairs, and then with the sum.
template <class C, int W, int Group>
struct sums_of_elements {
  static constexpr int group = Group;
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
      combine_pairs<C>(y);
      sums[w] = C::combine(sums[w], y[0]);
    }
  }
  KILN_FN typename C::state result() {
    combine_pairs<C>(sums);
    return sums[0];
  }
};

// One sum: several of large states would not fit into the registers. The elements of a pack are combined in pairs.
template <class C, int W>
struct sum_of_packs {
  static constexpr int group = 1;
  typename C::state sum;

  template <class Loaded>
  static KILN_FN typename C::state pack(const Loaded& x) {
    typename C::state y[W];
#pragma unroll
    for (int w = 0; w < W; ++w) {
      y[w] = state_of<C>(x, w);
    }
    combine_pairs<C>(y);
    return y[0];
  }
  template <class Loaded>
  KILN_FN void start(const Loaded& x) {
    sum = pack(x);
  }
  template <int N, class Loaded>
  KILN_FN void add(const Loaded* x) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      sum = C::combine(sum, pack(x[n]));
    }
  }
  KILN_FN typename C::state result() const { return sum; }
};

// One sum of neighbours, from the first element to the last.
template <class C, int W>
struct sum_of_neighbours {
  static constexpr int group = 1;
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

// Packs first, first + step, … below end to a sum; false where there is none. The first pack is loaded with the first batch,
// and those behind the last whole batch together, so that a thread waits once for each batch.
template <class Sum, class Source>
KILN_FN bool gather(const Source& source, uint64 first, uint64 end, uint64 step, Sum& sum) {
  using loaded = typename Source::loaded;
  constexpr int G = Sum::group;
  if (first >= end) {
    return false;
  }
  loaded x[kLoads];
  const auto load_batch = [&](uint64 i) {
#pragma unroll
    for (int u = 0; u < kLoads; ++u) {
      x[u] = source.load(i + u * step);
    }
  };
  const auto add_batch = [&] {
#pragma unroll
    for (int u = 0; u < kLoads; u += G) {
      sum.template add<G>(x + u);
    }
  };
  const loaded start = source.load(first);
  uint64 i = first + step;
  if (i + (kLoads - 1) * step < end) {
    load_batch(i);
    sum.start(start);
    add_batch();
#pragma unroll 1
    for (i += kLoads * step; i + (kLoads - 1) * step < end; i += kLoads * step) {
      load_batch(i);
      add_batch();
    }
  } else {
    sum.start(start);
  }
  if (i >= end) {
    return true;
  }
  // Another pack is loaded in place of one that there is not.
#pragma unroll
  for (int u = 0; u < kLoads - 1; ++u) {
    x[u] = source.load(i + u * step < end ? i + u * step : i);
  }
#pragma unroll
  for (int u = 0; u < kLoads - 1; u += G) {
    if (u + G < kLoads && i + (u + G - 1) * step < end) {
      sum.template add<G>(x + u);
      continue;
    }
#pragma unroll
    for (int k = u; k < u + G && k < kLoads - 1; ++k) {
      if (i + k * step < end) {
        sum.template add<1>(x + k);
      }
    }
  }
  return true;
}

}  // namespace kiln::loops
