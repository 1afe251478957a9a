// A team on a GPU is some whole warps: a block, or a warp of a block that several teams share. Bodies with .group are members
// of a structure that derives from it.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/gufunc/gpu.hpp"
#include "kiln/reduction/gpu.hpp"

namespace kiln {

template <int Lanes>
struct team : shared_memory {
  static constexpr index lanes = Lanes;
  static constexpr int kWarps = (Lanes + KILN_WARP - 1) / KILN_WARP;
  // Of one warp: its threads wait for each other, and nobody else.
  static constexpr bool kIsWarp = Lanes == KILN_WARP;
  // Two sets of 16 bytes for each warp: what one reduction reads is not what the next one writes.
  static constexpr int kCells = kIsWarp ? 0 : 2 * 16 * kWarps;
  unsigned char* cells;
  mutable int turn = 0;
  index lane = index(threadIdx.x % unsigned(Lanes));

  KILN_FN team(unsigned char* memory, unsigned char* c, index declared) : shared_memory(memory, declared), cells(c) {}

  // Every lane comes here.
  KILN_FN void sync() const {
    if constexpr (kIsWarp) {
      KILN_WARP_BARRIER();
    } else {
      KILN_BARRIER();
    }
  }
  KILN_FN void barrier() const { sync(); }
  // f over every lane's x, for every lane; the grouping follows from the number of lanes alone. Every lane comes here.
  template <class T, class F>
  KILN_FN T team_reduce(T x, const F& f) const {
    static_assert(sizeof(T) <= 16);
    const int thread = int(lane);
    const int warp = thread / KILN_WARP;
    const int place = thread % KILN_WARP;
    const int count = Lanes - warp * KILN_WARP < KILN_WARP ? Lanes - warp * KILN_WARP : KILN_WARP;
#pragma unroll
    for (int distance = KILN_WARP / 2; distance > 0; distance /= 2) {
      const T other = loops::from_pair(x, distance);
      if (loops::has_pair<true>(place, distance, count)) {
        x = f(x, other);
      }
    }
    if constexpr (kIsWarp) {
      return loops::from_one_lane(x, 0);
    } else {
      T* const all = reinterpret_cast<T*>(cells + turn * (kCells / 2));
      turn ^= 1;
      if (place == 0) {
        all[warp] = x;
      }
      KILN_BARRIER();
      T result = all[0];
#pragma unroll
      for (int w = 1; w < kWarps; ++w) {
        result = f(result, all[w]);
      }
      return result;
    }
  }
  template <class T>
  KILN_FN T team_sum(T x) const {
    return team_reduce(x, [](const T& a, const T& b) { return T(a + b); });
  }
  template <class T>
  KILN_FN T team_max(T x) const {
    return team_reduce(x, [](const T& a, const T& b) { return a < b ? b : a; });
  }
  template <class T>
  KILN_FN T team_min(T x) const {
    return team_reduce(x, [](const T& a, const T& b) { return b < a ? b : a; });
  }

  // Whether this thread writes an output that is a value.
  template <class T>
  KILN_FN bool kiln_writes(const T&) const {
    return lane == 0;
  }
};

}  // namespace kiln
