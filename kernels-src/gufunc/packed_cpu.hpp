// Items of a generalized ufunc that lie side by side, the elements of each apart, on the CPU: several of them are brought into
// a buffer in which each lies in one piece, and back. Bits are moved, whatever the elements are.
#pragma once
#include "kiln/gufunc/items_cpu.hpp"

namespace kiln::loops {

// Bytes from one item to the next in a buffer (lib/kinds/gufunc/packed_text.hpp).
KILN_FN int64 brought_step(int64 bytes) {
  const int64 lines = (bytes + 63) / 64 * 64;
  return lines % 1024 == 0 ? lines + 64 : lines;
}

// Stretches of a core whose elements are evenly apart: calls row(elements before it, bytes from the first one, count).
template <int Rank, class Row>
KILN_FN void each_row(const int64* size, const int64* stride, const Row& row) {
  int outer = Rank - 1;
  int64 count = size[outer];
  while (outer > 0 && stride[outer - 1] == stride[Rank - 1] * count) {
    --outer;
    count *= size[outer];
  }
  int64 rows = 1;
  for (int d = 0; d < outer; ++d) {
    rows *= size[d];
  }
  for (int64 r = 0; r < rows; ++r) {
    int64 left = r;
    int64 place = 0;
    for (int d = outer - 1; d >= 0; --d) {
      place += left % size[d] * stride[d];
      left /= size[d];
    }
    row(r * count, place, count);
  }
}

// The core of `items` items, at most N, to where each has it `step` bytes behind the one before. Functions of their own, since
// kernels need their registers.
template <class B, int N, int Rank>
__attribute__((noinline)) static void bring_in(char* to, int64 step, const char* from, const int64* size, const int64* stride,
                                               int64 items) {
  const int64 apart = stride[Rank - 1];
  each_row<Rank>(size, stride, [&](int64 before, int64 place, int64 count) {
    char* const first = to + before * int64(sizeof(B));
    const char* const row = from + place;
    int64 e = 0;
    if (items == N) {
      const item_places<B, N> places(first, step);
#pragma clang loop unroll(disable)
      for (; e + kSquare<B, N> <= count; e += kSquare<B, N>) {
        turn_square_out<B, N>(row + e * apart, apart, places, step, e);
      }
#pragma clang loop unroll(disable)
      for (; e + kChunk<B> <= count; e += kChunk<B>) {
        turn_chunk_out<B, N>(row + e * apart, apart, places, step, e);
      }
    }
#pragma clang loop unroll(disable) vectorize(disable)
    for (; e < count; ++e) {
#pragma clang loop unroll(disable) vectorize(disable)
      for (int64 l = 0; l < items; ++l) {
        __builtin_memcpy(first + l * step + e * int64(sizeof(B)), row + e * apart + l * int64(sizeof(B)), sizeof(B));
      }
    }
  });
}
template <class B, int N, int Rank>
__attribute__((noinline)) static void bring_back(const char* from, int64 step, char* to, const int64* size, const int64* stride,
                                                 int64 items) {
  const int64 apart = stride[Rank - 1];
  each_row<Rank>(size, stride, [&](int64 before, int64 place, int64 count) {
    const char* const first = from + before * int64(sizeof(B));
    char* const row = to + place;
    int64 e = 0;
    if (items == N) {
      const item_places<B, N> places(const_cast<char*>(first), step);
#pragma clang loop unroll(disable)
      for (; e + kSquare<B, N> <= count; e += kSquare<B, N>) {
        lanes<B, N> x[2 * kChunk<B>];
        turn_square<B, N>(x, places, step, e, false);
#pragma clang loop unroll(full)
        for (int j = 0; j < 2 * kChunk<B>; ++j) {
          __builtin_memcpy(row + (e + j) * apart, &x[j].v, sizeof(x[j].v));
        }
      }
#pragma clang loop unroll(disable)
      for (; e + kChunk<B> <= count; e += kChunk<B>) {
        lanes<B, N> x[kChunk<B>];
        turn_chunk<B, N>(x, places, step, e);
#pragma clang loop unroll(full)
        for (int j = 0; j < kChunk<B>; ++j) {
          __builtin_memcpy(row + (e + j) * apart, &x[j].v, sizeof(x[j].v));
        }
      }
    }
#pragma clang loop unroll(disable) vectorize(disable)
    for (; e < count; ++e) {
#pragma clang loop unroll(disable) vectorize(disable)
      for (int64 l = 0; l < items; ++l) {
        __builtin_memcpy(row + e * apart + l * int64(sizeof(B)), first + l * step + e * int64(sizeof(B)), sizeof(B));
      }
    }
  });
}

// Asks for one of `parts` of the lines from `next` on, where the items after these are: no prefetcher sees them coming.
template <int Rank>
__attribute__((noinline)) static void expect_next(const char* next, const int64* size, const int64* stride, int64 part,
                                                  int64 parts) {
  int64 elements = 1;
  for (int d = 0; d < Rank; ++d) {
    elements *= size[d];
  }
  const int64 first = elements * part / parts;
  const int64 last = elements * (part + 1) / parts;
  each_row<Rank>(size, stride, [&](int64 before, int64 place, int64 count) {
    const int64 stop = last < before + count ? last : before + count;
    for (int64 e = first < before ? before : first; e < stop; ++e) {
      // As a number: it may be beyond the array.
      __builtin_prefetch(
          reinterpret_cast<const char*>(reinterpret_cast<uint64>(next) + uint64(place + (e - before) * stride[Rank - 1])));
    }
  });
}

// Items [begin, end), up to N of a row at once. Calls work(pointers, steps, items).
template <int Operands, int N, class Work>
KILN_FN void walk_brought(const kinds::CpuGufuncLaunch& launch, int64 begin, int64 end, const Work& work) {
  const int64 last = launch.rank - 1;
  const int64 columns = launch.shape[last];
  int64 step[Operands];
  for (int k = 0; k < Operands; ++k) {
    step[k] = launch.strides[k * launch.rank + last];
  }
  char* p[Operands];
  while (begin < end) {
    place_item<Operands>(launch, begin, p);
    const int64 row = columns - begin % columns;
    const int64 stop = end - begin < row ? end : begin + row;
    while (begin < stop) {
      const int64 items = stop - begin < N ? stop - begin : N;
      work(p, step, items);
      for (int k = 0; k < Operands; ++k) {
        p[k] += items * step[k];
      }
      begin += items;
    }
  }
}

}  // namespace kiln::loops
