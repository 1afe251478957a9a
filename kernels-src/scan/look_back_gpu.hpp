// What runs up to a chunk, from the chunks before it, while these are still computed: a decoupled look-back (Merrill and
// Garland 2016). How many chunks are combined at once follows from which of them are done, so that f must give the same in any
// grouping.
#pragma once
#include "kiln/core/atomics.hpp"
#include "kiln/core/lanes_gpu.hpp"

namespace kiln::loops {

enum chunk_state : uint32 { kChunkPending = 0, kChunkTotal = 1, kChunkRunning = 2 };  // zeros are pending

// What is known of a chunk: its total, or the running result at its end. Each 32-bit word of the value has the state beside it,
// so that the two are read at once, and no order of memory is asked for.
template <class T>
struct chunk_record {
  static constexpr int words = sizeof(T) > 4 ? 2 : 1;
  static_assert(sizeof(T) <= 8);

  volatile uint64 word[words];

  KILN_FN void publish(const T& x, chunk_state state) {
    const uint64 bits = bits_of(x);
#pragma unroll
    for (int k = 0; k < words; ++k) {
      word[k] = uint64(state) << 32 | uint32(bits >> 32 * k);
    }
  }

  // Waits until something is known.
  KILN_FN chunk_state read(T& x) const {
    for (;;) {
      uint64 seen[words];
#pragma unroll
      for (int k = 0; k < words; ++k) {
        seen[k] = word[k];
      }
      const auto state = uint32(seen[0] >> 32);
      if (state != kChunkPending && state == uint32(seen[words - 1] >> 32)) {
        uint64 bits = uint32(seen[0]);
        if constexpr (words == 2) {
          bits |= seen[1] << 32;
        }
        x = value_of(bits);
        return chunk_state(state);
      }
    }
  }

 private:
  KILN_FN static uint64 bits_of(const T& x) {
    if constexpr (sizeof(T) == 8) {
      return bit_cast<uint64>(x);
    } else if constexpr (sizeof(T) == 4) {
      return bit_cast<uint32>(x);
    } else {
      return bit_cast<typename of_size<sizeof(T)>::type>(x);
    }
  }
  KILN_FN static T value_of(uint64 bits) {
    if constexpr (sizeof(T) == 8) {
      return bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 4) {
      return bit_cast<T>(uint32(bits));
    } else {
      return bit_cast<T>(typename of_size<sizeof(T)>::type(bits));
    }
  }
};

// What runs up to chunk `number` > 0 of a line, for lane 0 of the 32 that call this.
template <class Combination>
KILN_FN typename Combination::state look_back(const chunk_record<typename Combination::state>* line, uint32 number, int lane) {
  using value = typename Combination::state;
  constexpr int lanes = 32;
  value running;
  bool any = false;
  for (int64 newest = int64(number) - 1;; newest -= lanes) {
    // Lanes beyond the line's begin have nothing to give: its first chunk has a running result.
    const int64 chunk = newest - lane < 0 ? 0 : newest - lane;
    value x;
    const bool runs = line[chunk].read(x) == kChunkRunning;
    const auto ends = uint32(KILN_BALLOT(runs));
    const int last = ends != 0 ? KILN_TRAILING_ZEROS(ends) : lanes - 1;
#pragma unroll
    for (int distance = 1; distance < lanes; distance *= 2) {
      const value older = from_lane_below(x, distance);
      if (lane + distance <= last) {
        x = Combination::combine(older, x);
      }
    }
    running = any ? Combination::combine(x, running) : x;
    any = true;
    if (ends != 0) {
      return running;
    }
  }
}

}  // namespace kiln::loops
