// What runs up to a chunk, from the chunks before it, while these are still computed: a look-back (Merrill and Garland 2016)
// over totals of 1, 32 and 1024 chunks. Which of them are combined follows from the chunk's number alone, never from which
// chunks are done, so that the bits are the same in every run.
#pragma once
#include "kiln/core/lanes_gpu.hpp"

namespace kiln::loops {

constexpr int kChunkBits = 5;  // 32 chunks are a group, and 32 groups another: as many as lanes
constexpr uint32 kGroup = 1u << kChunkBits;

// A value that other blocks wait for. Each 32-bit word of it has a mark beside it, so that both are read at once, and no order
// of memory is asked for.
template <class T>
struct published {
  uint64 word[words<T>::count];  // zeros: not yet

  KILN_FN void clear() {
#pragma unroll
    for (int k = 0; k < words<T>::count; ++k) {
      KILN_GLOBAL_WORD(word + k) = 0;
    }
  }
  KILN_FN void publish(const T& x) {
    words<T> all;
    all.w[words<T>::count - 1] = 0;  // of which a small value has a part
    all.value = x;
#pragma unroll
    for (int k = 0; k < words<T>::count; ++k) {
      KILN_GLOBAL_WORD(word + k) = uint64(1) << 32 | all.w[k];
    }
  }
  KILN_FN T wait() {
    words<T> all;
#pragma unroll
    for (int k = 0; k < words<T>::count; ++k) {
      uint64 seen;
      do {
        seen = KILN_GLOBAL_WORD(word + k);
      } while (seen >> 32 == 0);
      all.w[k] = uint32(seen);
    }
    return all.value;
  }
};

// What is known of a line's chunks. Functions are called by the 32 lanes of a warp, and give lane 0 their values.
template <class Combination>
struct chunk_totals {
  using value = typename Combination::state;
  using cell = published<value>;

  cell* cells;
  uint32 chunks;

  KILN_FN chunk_totals(cell* memory, uint32 count) : cells(memory), chunks(count) {}
  // Cells of a line.
  KILN_FN static uint32 count(uint32 chunks) { return chunks + (chunks >> kChunkBits) + (chunks >> (2 * kChunkBits)); }

  // Publishes the total of that chunk, and gives what runs up to it, of all chunks but the first.
  KILN_FN value look_back(uint32 number, const value& total, int lane, bool last) const {
    cell* const chunk = cells;                             // the total of each
    cell* const group = chunk + chunks;                    // of each 32 chunks
    cell* const running = group + (chunks >> kChunkBits);  // what runs up to the end of each 32 groups
    if (lane == 0 && !last) {
      chunk[number].publish(total);
    }
    const uint32 groups = number >> kChunkBits;
    const uint32 large = groups >> kChunkBits;
    const uint32 chunks_before = number & (kGroup - 1);
    const uint32 groups_before = groups & (kGroup - 1);
    value before, all;
    bool any = false;
    if (large > 0) {
      before = running[large - 1].wait();
      any = true;
    }
    if (groups_before > 0) {
      const value x = combined(group + (groups - groups_before), groups_before, lane);
      before = any ? Combination::combine(before, x) : x;
      any = true;
    }
    bool grouped = false;
    if (chunks_before > 0) {
      all = combined(chunk + (number - chunks_before), chunks_before, lane);
      grouped = true;
    }
    // The last chunk of a group tells what the group amounts to.
    if (chunks_before == kGroup - 1 && lane == 0 && !last) {
      const value whole = Combination::combine(all, total);
      group[groups].publish(whole);
      if (groups_before == kGroup - 1) {
        running[large].publish(any ? Combination::combine(before, whole) : whole);
      }
    }
    return !grouped ? before : any ? Combination::combine(before, all) : all;
  }

 private:
  // `count` values from the first to the last, 1 to 32 of them.
  KILN_FN static value combined(cell* first, uint32 count, int lane) {
    value x;
    if (lane < int(count)) {
      x = first[lane].wait();
    }
#pragma unroll
    for (int distance = 1; distance < int(kGroup); distance *= 2) {
      const value later = from_lane_below(x, distance);
      if (lane + distance < int(count)) {
        x = Combination::combine(x, later);
      }
    }
    return x;
  }
};

}  // namespace kiln::loops
