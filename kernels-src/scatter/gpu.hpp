// a[index] = f(a[index], b) on GPUs. The other side of lib/kiln/kernel/scatter/gpu.cpp.
//
// Of a function that takes any order, a thread for each position and element of its row, which changes memory atomically. Of
// others, a thread for each different target and element of its row, which applies what meets there in order.
#pragma once
#include "kiln/core/atomics.hpp"
#include "kiln/scatter/places_gpu.hpp"

namespace kiln::loops {

constexpr int scatter_threads = 256;

// many(i) takes elements i, i + scatter_threads, …, `Unroll` of them, and one(i) a single one. All threads of a block come to
// many() together.
template <int Unroll, class Number, class Many, class One>
KILN_FN void scatter_tiles(Number count, const Many& many, const One& one) {
  constexpr Number tile = scatter_threads * Unroll;
  const Number step = KILN_GRID_BLOCKS(scatter_threads) * tile;
#pragma unroll 1
  for (Number begin = blockIdx.x * tile; begin < count; begin += step) {
    const Number first = begin + threadIdx.x;
    if constexpr (Unroll > 1) {
      if (count - begin >= tile) {
        many(first);
        continue;
      }
    }
#pragma unroll 1
    for (Number i = first; i < count && i - begin < tile; i += scatter_threads) {
      one(i);
    }
  }
}

// As from_lane_below() of core/lanes_gpu.hpp, through which NVRTC spills 64-bit words for sm_80.
template <class T>
KILN_FN T scatter_from_above(const T& x, int distance) {
  if constexpr (sizeof(T) == 4) {
    return bit_cast<T>(uint32(KILN_SHUFFLE_DOWN(bit_cast<uint32>(x), distance)));
  } else {
    const uint64 bits = bit_cast<uint64>(x);
    const uint32 low = KILN_SHUFFLE_DOWN(uint32(bits), distance);
    const uint32 high = KILN_SHUFFLE_DOWN(uint32(bits >> 32), distance);
    return bit_cast<T>(uint64(high) << 32 | low);
  }
}

// Work::update(at, b), where neighbours of a warp that change the same element do so at once. All lanes come here, and the low
// words of their addresses differ where the addresses do.
template <class Work>
KILN_FN void update_together(typename Work::target* at, typename Work::value b) {
  const int lane = int(threadIdx.x % KILN_WARP);
  const uint32 own = uint32(reinterpret_cast<unsigned long long>(at));
  const uint32 next = KILN_SHUFFLE_DOWN(own, 1);
  const auto joined = KILN_BALLOT(lane + 1 < KILN_WARP && own == next);  // lanes that have the next one's element
  // Fewer cost less than the shuffles.
  if (KILN_POPULATION_64(joined) >= KILN_WARP / 2) {
    const int behind = KILN_TRAILING_ZEROS(~(joined >> lane));
#pragma unroll
    for (int distance = 1; distance < KILN_WARP; distance *= 2) {
      const typename Work::value other = scatter_from_above(b, distance);
      if (distance <= behind) {
        b = Work::join(b, other);
      }
    }
    if (lane > 0 && (joined >> (lane - 1) & 1) != 0) {
      return;
    }
  }
  Work::update(at, b);
}

// The values of a tile are read before the first change, which the compiler takes to change them.
template <class Work, class Places, class Target>
KILN_FN bool scatter_elements(const kinds::ScatterCall& call, const Places& places, const Target& target_of) {
  using number = typename Places::number;
  using value = typename Work::value;
  const auto value_of = [&](const scatter_spot& spot) { return *in_global_memory<value>(call.value, spot.value); };
  bool good = true;
  scatter_tiles<Places::unroll>(
      number(call.work),
      [&](number first) {
        scatter_spot spots[Places::unroll];
        value values[Places::unroll];
#pragma unroll
        for (int k = 0; k < Places::unroll; ++k) {
          spots[k] = places.spot(first + number(k * scatter_threads));
          values[k] = value_of(spots[k]);
          good = good && spots[k].good;
        }
#pragma unroll
        for (int k = 0; k < Places::unroll; ++k) {
          if constexpr (Work::joins && Places::narrow && !Places::rows) {
            update_together<Work>(target_of(spots[k]), values[k]);
          } else {
            Work::update(target_of(spots[k]), values[k]);
          }
        }
      },
      [&](number i) {
        const scatter_spot spot = places.spot(i);
        good = good && spot.good;
        Work::update(target_of(spot), value_of(spot));
      });
  return good;
}

template <class Places>
KILN_FN bool all_indices_good(const kinds::ScatterCall& call, const Places& places) {
  using number = typename Places::number;
  const number row = Places::rows ? number(call.row) : 1;
  bool good = true;
  scatter_tiles<Places::unroll>(
      number(call.positions),
      [&](number first) {
#pragma unroll
        for (int k = 0; k < Places::unroll; ++k) {
          good = places.spot((first + number(k * scatter_threads)) * row).good && good;
        }
      },
      [&](number i) { good = places.spot(i * row).good && good; });
  return good;
}

template <class Work, class Places>
KILN_FN void scatter_in_order(const kinds::ScatterCall& call, const Places& places) {
  using number = typename Places::number;
  using target = typename Work::target;
  using value = typename Work::value;
  const number row = Places::rows ? number(call.row) : 1;
  const number step = number(KILN_GRID_BLOCKS(scatter_threads)) * scatter_threads;
#pragma unroll 1
  for (number i = number(blockIdx.x) * scatter_threads + threadIdx.x; i < number(call.work); i += step) {
    const number group = i / row;
    const number element = i - group * row;
    const int64 end = in_global_memory(call.starts)[group + 1];
    for (int64 k = in_global_memory(call.starts)[group]; k < end; ++k) {
      const scatter_spot spot = places.spot(number(in_global_memory(call.order)[k]) * row + element);
      Work::apply(*in_global_memory<target>(call.target, spot.target), *in_global_memory<value>(call.value, spot.value));
    }
  }
}

// By the launch before this one.
KILN_FN bool found_bad(const kinds::ScatterCall& call) {
  return call.bad != nullptr && *in_global_memory(call.bad) != 0;
}

template <class Work, class Places>
KILN_FN void scatter(const kinds::ScatterCall& call, const Places& places) {
  if (call.pass == 0) {
    if (!all_indices_good(call, places)) {
      atomicOr(in_global_memory(call.bad), 1u);
    }
  } else if (!found_bad(call)) {
    scatter_elements<Work>(call, places, [&](const scatter_spot& spot) {
      return in_global_memory<typename Work::target>(call.target, spot.target);
    });
  }
}

template <class T>
KILN_FN bool has_bits_of(T a, T b) {
  using bits = typename scatter_words<sizeof(T) == 8>::type;
  return bit_cast<bits>(a) == bit_cast<bits>(b);
}

// Each block has the target's window of memory in shared memory, where it begins with what changes nothing.
template <class Work, class Places>
KILN_FN void scatter_by_bins(const kinds::ScatterCall& call, const Places& places) {
  using target = typename Work::target;
  alignas(16) extern __shared__ unsigned char kiln_bins[];
  target* const bins = reinterpret_cast<target*>(kiln_bins);
  target* const copies = in_global_memory(static_cast<target*>(call.copies));
  if (call.pass == 0) {
    // One more, for indices that are out of range.
    for (uint32 i = threadIdx.x; i <= call.bins; i += scatter_threads) {
      bins[i] = Work::nothing();
    }
    KILN_BARRIER();
    const bool good = scatter_elements<Work>(call, places, [&](const scatter_spot& spot) {
      const uint32 offset = uint32(call.origin) + uint32(spot.target);
      return reinterpret_cast<target*>(kiln_bins + (spot.good ? offset : call.bins * uint32(sizeof(target))));
    });
    if (!good) {
      atomicOr(in_global_memory(call.bad), 1u);
    }
    KILN_BARRIER();
    for (uint32 i = threadIdx.x; i < call.bins; i += scatter_threads) {
      copies[uint64(blockIdx.x) * call.bins + i] = bins[i];
    }
  } else if (!found_bad(call)) {
    const uint32 parts = (call.blocks + kinds::kScatterCopiesEach - 1) / kinds::kScatterCopiesEach;
    const uint32 step = KILN_GRID_BLOCKS(scatter_threads) * scatter_threads;
#pragma unroll 1
    for (uint32 i = blockIdx.x * scatter_threads + threadIdx.x; i < call.bins * parts; i += step) {
      const uint32 part = i / call.bins;
      const uint32 bin = i - part * call.bins;
      const uint32 first = part * kinds::kScatterCopiesEach;
      target sum = Work::nothing();
#pragma unroll
      for (uint32 k = 0; k < kinds::kScatterCopiesEach; ++k) {
        if (first + k < call.blocks) {
          sum = Work::join(sum, copies[uint64(first + k) * call.bins + bin]);
        }
      }
      // What no index leads to may be another array's. Bits are compared: 0 and -0 are equal numbers.
      if (!has_bits_of(sum, Work::nothing())) {
        Work::update(in_global_memory<target>(call.target, -call.origin) + bin, sum);
      }
    }
  }
}

}  // namespace kiln::loops
