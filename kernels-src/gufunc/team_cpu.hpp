// A team on the CPU: its threads are lanes of vectors, whole warps in each, as a GPU has them. Bodies with .group are members
// of a structure that derives from it. lib/clang/spmd/exchanges.cpp is the other side of what is declared here.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/core/waiting_cpu.hpp"
#include "kiln/gufunc/cpu.hpp"

extern "C" {
// As kiln_lanes(), in kiln_threads(): another name, or compilers would see the loop's last iteration in it.
__attribute__((const)) kiln::int64 kiln_together();
// x of the lane `distance` behind, if the warp has it, else of this one; x of lane number `lane`. Both are constants.
__attribute__((const, convergent)) kiln::uint32 kiln_from_lane_below4(kiln::uint32 x, kiln::uint32 distance);
__attribute__((const, convergent)) kiln::uint64 kiln_from_lane_below8(kiln::uint64 x, kiln::uint32 distance);
__attribute__((const, convergent)) kiln::uint32 kiln_of_lane4(kiln::uint32 x, kiln::uint32 lane);
__attribute__((const, convergent)) kiln::uint64 kiln_of_lane8(kiln::uint64 x, kiln::uint32 lane);
}

namespace kiln {

namespace loops {

constexpr int kWarp = 32;

// Of all KILN_SHARED variables, in front of what shared<T>() gives.
KILN_FN int64 variable_bytes() {
  return (kiln_shared_bytes() + 63) / 64 * 64;
}

KILN_FN uint32 from_lane_below(uint32 word, uint32 distance) {
  return kiln_from_lane_below4(word, distance);
}
KILN_FN uint64 from_lane_below(uint64 word, uint32 distance) {
  return kiln_from_lane_below8(word, distance);
}
KILN_FN uint32 of_lane(uint32 word, uint32 lane) {
  return kiln_of_lane4(word, lane);
}
KILN_FN uint64 of_lane(uint64 word, uint32 lane) {
  return kiln_of_lane8(word, lane);
}

template <bool Wide>
struct word_of_lane {
  using type = uint32;
};
template <>
struct word_of_lane<true> {
  using type = uint64;
};

// x with f of each of its words.
template <class T, class F>
KILN_FN T by_words(const T& x, const F& f) {
  // Of 8 bytes those that are one number: LLVM 19 has no instructions for two that it takes apart behind the exchange.
  using word = typename word_of_lane<alignof(T) % 8 == 0>::type;
  constexpr int count = (sizeof(T) + sizeof(word) - 1) / sizeof(word);
  word all[count] = {};
  __builtin_memcpy(all, &x, sizeof(T));
#pragma unroll
  for (int i = 0; i < count; ++i) all[i] = f(all[i]);
  T result = x;
  __builtin_memcpy(static_cast<void*>(&result), all, sizeof(T));
  return result;
}

// The threads of an item, to their end. threads: kiln_threads.
template <int Threads, class Item, class Function>
KILN_FN void share_item(const kinds::CpuWaiting* waits, void* shared, Item& item, const Function& threads) {
  item.first = 0;
  if (kiln_lanes() == Threads) {
    threads(waits, shared, item);
    return;
  }
  waiting_threads* all[Threads];
  int64 waiting = 0;
  waits->begin_block(waits->owner);
  for (; item.first < Threads; item.first += kiln_lanes()) waiting = with_waiting(all, waiting, threads(waits, shared, item));
  resume_all(all, waiting);
}

}  // namespace loops

template <int Threads>
struct team : shared_memory {
  static constexpr index lanes = Threads;
  static constexpr int kWarps = Threads / loops::kWarp;
  // 16 bytes for each thread and each warp; two times, so that a reduction need not wait for those who read the last one's.
  static constexpr int kCells = 16 * (Threads + kWarps);
  unsigned char* cells;
  mutable bool kiln_odd = false;
  index kiln_first;  // of those that are computed at once
  int kiln_place;    // among them, in its warp
  index lane;

  KILN_FN team(unsigned char* memory, unsigned char* c, index declared, index first, index at)
      : shared_memory(memory, declared), cells(c), kiln_first(first), kiln_place(int(at) % loops::kWarp), lane(first + at) {
    __builtin_assume(lane >= 0 && lane < lanes);
  }

  // Every lane comes here.
  KILN_FN void sync() const { kiln_barrier(); }
  KILN_FN void barrier() const { sync(); }
  // f over every lane's x, for every lane, in the order of a GPU with warps of 32. Every lane comes here.
  template <class T, class F>
  KILN_FN T team_reduce(T x, const F& f) const {
    static_assert(sizeof(T) <= 16);
    T* const warps = reinterpret_cast<T*>(cells + (kiln_odd ? kCells : 0));
    kiln_odd = !kiln_odd;
#if !KILN_DEBUG
    if (kiln_together() > 1) {
#pragma unroll
      for (int distance = loops::kWarp / 2; distance > 0; distance /= 2) {
        const T other = loops::by_words(x, [&](auto word) { return loops::from_lane_below(word, distance); });
        if (kiln_place + distance < loops::kWarp) {
          x = f(x, other);
        }
      }
      if (kiln_together() == Threads) {
        T result = of_lane(x, 0);
#pragma unroll
        for (int w = 1; w < kWarps; ++w) {
          result = f(result, of_lane(x, w * loops::kWarp));
        }
        return result;
      }
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        if (w * loops::kWarp < kiln_together()) {
          warps[kiln_first / loops::kWarp + w] = of_lane(x, w * loops::kWarp);
        }
      }
    } else
#endif
    {
      T* const threads = warps + kWarps;
      threads[lane] = x;
      kiln_barrier();
      if (lane % loops::kWarp == 0) {
        for (int distance = loops::kWarp / 2; distance > 0; distance /= 2) {
          for (index i = lane; i < lane + distance; ++i) {
            threads[i] = f(threads[i], threads[i + distance]);
          }
        }
        warps[lane / loops::kWarp] = threads[lane];
      }
    }
    kiln_barrier();
    T result = warps[0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) {
      result = f(result, warps[w]);
    }
    return result;
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

  // Whether this thread writes an output that is a value; it has that of thread 0 then.
  template <class T>
  KILN_FN bool kiln_writes(T& value) const {
#if !KILN_DEBUG
    if (kiln_together() > 1) {
      value = of_lane(value, 0);
      return kiln_first == 0;
    }
#endif
    return lane == 0;
  }

 private:
  template <class T>
  static KILN_FN T of_lane(const T& x, uint32 number) {
    return loops::by_words(x, [&](auto word) { return loops::of_lane(word, number); });
  }
};

}  // namespace kiln
