// A team on the CPU has one lane. Bodies with .group are members of a structure that derives from it.
#pragma once
#include "kiln/gufunc/cpu.hpp"

namespace kiln {

template <int Lanes>
struct team {
  static constexpr index lane = 0;
  static constexpr index lanes = 1;
  unsigned char* pool;

  KILN_FN void sync() const {}
  template <class T>
  KILN_FN T* shared(index count) {
    T* const place = reinterpret_cast<T*>(pool);
    pool += (count * index(sizeof(T)) + 15) / 16 * 16;
    return place;
  }
  template <class T, class F>
  KILN_FN T team_reduce(T x, const F&) const {
    return x;
  }
  template <class T>
  KILN_FN T team_sum(T x) const {
    return x;
  }
  template <class T>
  KILN_FN T team_max(T x) const {
    return x;
  }
  template <class T>
  KILN_FN T team_min(T x) const {
    return x;
  }
};

}  // namespace kiln
