// The loop over the items of a generalized ufunc on the CPU. The other side of kernels-src/gufunc/abi.hpp.
#pragma once
#include "kiln/core/view.hpp"

#include "kiln/gufunc/abi.hpp"

// Functions whose loops over cores become vectors before they are unrolled (lib/clang/passes/short_rows.cpp), and what is
// part of them from the first on.
#define KILN_ROWS __attribute__((annotate("kiln_rows")))
#define KILN_INLINE __attribute__((always_inline))

namespace kiln::loops {

// The core of item `item`: `first` and as many steps. Where lanes compute several items it is in a tile of as many cores, the
// elements of all adjacent (lib/clang/spmd/tiles.hpp). bytes: of the core; room: those that it has at most;
// reads: 0 of an output that holds nothing; number: of the operand.
extern "C" __attribute__((const)) char* kiln_core(char* first, int64 step, int64 item, int64 bytes, int64 room, int64 reads,
                                                  int64 number) noexcept;
// An output's, behind the body.
extern "C" __attribute__((noduplicate)) void kiln_core_end(char* core, char* first, int64 step, int64 item,
                                                           int64 bytes) noexcept;

// Where the operands of an item are.
template <int Operands>
KILN_FN void place_item(const kinds::CpuGufuncLaunch& launch, int64 item, char** p) {
  const int64 last = launch.rank - 1;
  const int64 column = item % launch.shape[last];
  int64 rest = item / launch.shape[last];
  for (int k = 0; k < Operands; ++k) {
    p[k] = launch.data[k] + column * launch.strides[k * launch.rank + last];
  }
#pragma clang loop unroll(disable)
  for (int64 d = last - 1; d >= 0; --d) {
    const int64 at = rest % launch.shape[d];
    rest /= launch.shape[d];
    for (int k = 0; k < Operands; ++k) {
      p[k] += at * launch.strides[k * launch.rank + d];
    }
  }
}

// Items [begin, end) of the loop. Calls work(pointers, steps, number) for each, which lies as many steps behind the pointers.
// Most: of the innermost dimension, where its items are few; else 0.
template <int Operands, int Most, class Work>
KILN_FN void walk_cores(const kinds::CpuGufuncLaunch& launch, int64 begin, int64 end, const Work& work) {
  const int64 last = launch.rank - 1;
  const int64 columns = launch.shape[last];
  int64 step[Operands];
  for (int k = 0; k < Operands; ++k) {
    step[k] = launch.strides[k * launch.rank + last];
  }
  while (begin < end) {
    char* p[Operands];
    place_item<Operands>(launch, begin, p);
    const int64 left = columns - begin % columns;
    int64 count = left < end - begin ? left : end - begin;
    if (Most > 0 && count > Most) count = Most;  // never: it is what the compiler knows then
    // Lanes where items are adjacent, or bodies have loops that differ between items, or that are no vectors along a core
    // (lib/clang/spmd/); no vectors of LLVM's.
#pragma clang loop vectorize(assume_safety) vectorize_width(1) interleave_count(1)
    for (int64 c = 0; c < count; ++c) {
      KILN_ENTER_ITEM(begin + c);
      work(p, step, c);
    }
    begin += count;
  }
}

// Units [begin, end) of the loop: an item, or a tile of one where .each spreads it. Calls work(pointers, tile coordinates).
template <int Operands, int Each, class Work>
KILN_FN void walk_items(const kinds::CpuGufuncLaunch& launch, int64 begin, int64 end, const Work& work) {
  int64 per_item = 1;
  for (int e = 0; e < Each; ++e) {
    per_item *= launch.tiles[e];
  }
  int64 item = begin / per_item;
  int64 unit = begin % per_item;
  const int64 last = launch.rank - 1;
  const int64 columns = launch.shape[last];
  const int64* const strides = launch.strides;
  char* p[Operands];
  while (begin < end) {
    // A row of items.
    const int64 column = item % columns;
    place_item<Operands>(launch, item, p);
    int64 step[Operands];
    for (int k = 0; k < Operands; ++k) {
      step[k] = strides[k * launch.rank + last];
    }
    for (int64 c = column; c < columns && begin < end; ++c, ++item) {
      for (; unit < per_item && begin < end; ++unit, ++begin) {
        int64 first[Each + 1];
        int64 left = unit;
        for (int e = 0; e < Each; ++e) {
          first[e] = 0;
        }
        for (int e = Each - 1; e >= 0 && left > 0; --e) {
          first[e] = left % launch.tiles[e] * launch.tile[e];
          left /= launch.tiles[e];
        }
        KILN_ENTER_ITEM(item);
        work(p, first);
      }
      unit = 0;
      for (int k = 0; k < Operands; ++k) {
        p[k] += step[k];
      }
    }
  }
}

}  // namespace kiln::loops
