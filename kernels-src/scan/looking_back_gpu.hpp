// Running results of a few long lines on GPUs, of operations that may be applied in any grouping: a block for each chunk of a
// tile, which waits for those before it. The other side of ScanSpace in lib/kiln/kernel/scan/gpu.cpp.
#pragma once
#include "kiln/scan/gpu.hpp"

namespace kiln::loops {

template <class Work, int W, int P>
struct scan_looking_back {
  using value = typename Work::value;
  using totals = chunk_totals<scan_combination<Work>>;
  using cell = typename totals::cell;
  static constexpr int cell_bytes = 2 * kScanThreads * int(sizeof(value));
  static constexpr int shared_bytes = cell_bytes + int(sizeof(uint32));

  // `memory`: a counter of chunks, and the cells of each line.
  KILN_FN static void run(const kinds::ScanSpace& s, const typename Work::in* x, typename Work::out* y, value* memory,
                          void* shared) {
    auto* const cells = reinterpret_cast<cell*>(memory);
    const uint32 of_line = totals::count(s.chunks);
    if (s.pass == kinds::kScanClear) {
      const uint64 number = uint64(s.first_block + blockIdx.x) * kScanThreads + threadIdx.x;
      if (number <= uint64(s.lines) * of_line) {
        cells[number].clear();
      }
      return;
    }
    using team = scan_team<Work, W, P, true>;
    team t(s, static_cast<value*>(shared));
    const uint32 taken =
        next_chunk(reinterpret_cast<uint32*>(memory), reinterpret_cast<uint32*>(static_cast<char*>(shared) + cell_bytes));
    const uint32 number = taken / s.chunks;
    t.totals = totals(cells + 1 + uint64(number) * of_line, s.chunks);
    t.chunk = taken - number * s.chunks;
    t.last_chunk = t.chunk == s.chunks - 1;
    t.there = true;
    typename team::line line(s, x, y, number);
    line.skip(t.chunk * s.chunk);
    scan_chunk<Work, W, P>(s, t, line, t.chunk, true);
  }

 private:
  // Blocks begin in any order. Each takes the first chunk that nobody has, so that those before it run or are done.
  KILN_FN static uint32 next_chunk(uint32* counter, uint32* shared) {
    if (threadIdx.x == 0) {
      *shared = KILN_ATOMIC_ADD(counter, 1u);
    }
    KILN_BARRIER();
    return *shared;
  }
};

}  // namespace kiln::loops
