// The elementwise loop on GPUs by square tiles of the two innermost dimensions. An operand that lies across, whose neighbours
// in memory are neighbours along the outer of the two, goes through shared memory: the lanes of a warp read and write
// neighbours of every operand. The other side of kernels-src/elementwise/abi.hpp.
#pragma once
#include "kiln/elementwise/gpu_nd.hpp"

#include "kiln/elementwise/abi.hpp"

namespace kiln::loops {

// The elements of an operand across, by row and column of the loop. Rows are padded, or the cells of a column would lie in the
// same bank.
template <class T, int Side>
struct tile {
  static constexpr int pitch = Side + (sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1);
  T cell[Side * pitch];
};

// An operand's elements of a tile that are a thread's, from one to the next. Behind the last it points anywhere.
template <class T>
struct lane {
  T* p;
  int64 step;
  KILN_FN T& operator*() const { return *p; }
  KILN_FN void move_on() { p = moved(p, step); }
};

// A thread's place in a tile: column x, and each `step`-th row from y on. Of operands across row x, and columns from y on.
template <int D, int Side>
struct tile_place {
  static constexpr int elements = kinds::kTileElements;
  static constexpr int step = Side / elements;
  place<uint32, D, Side> at;  // of the tile's first element
  uint32 x, y;
  int count, count_across;  // of the elements, those that the loop has

  template <int N>
  KILN_FN tile_place(const space<uint32, D, N>& s, uint32 i, uint32 all_rows, uint32 all_columns)
      : at(s, i), x(threadIdx.x % Side), y(threadIdx.x / Side) {
    at.at[D - 2] *= Side;
    const uint32 rows = in_tile(all_rows - at.at[D - 2]);
    const uint32 columns = in_tile(all_columns - at.at[D - 1]);
    count = x < columns ? steps(rows) : 0;
    count_across = x < rows ? steps(columns) : 0;
  }

  // `inner` is stride[D - 1].
  template <class T>
  KILN_FN lane<T> along(T* p, const int64 (&stride)[D], int64 inner) const {
    return {moved(p, at.offset(stride) + x * inner + y * stride[D - 2]), step * stride[D - 2]};
  }
  // stride[D - 2] is a few bytes.
  template <class T>
  KILN_FN lane<T> across(T* p, const int64 (&stride)[D]) const {
    return {moved(p, at.offset(stride) + int32(x) * int32(stride[D - 2]) + y * stride[D - 1]), step * stride[D - 1]};
  }
  // The number of element k, of the strides that give it.
  KILN_FN int64 number(const int64 (&stride)[D], int k) const {
    return at.offset(stride) + x * stride[D - 1] + (y + uint32(k * step)) * stride[D - 2];
  }

  template <class T>
  KILN_FN T& cell(tile<T, Side>& t, int k) const {
    return t.cell[int(y * t.pitch + x) + k * (step * t.pitch)];
  }
  template <class T>
  KILN_FN T& cell_across(tile<T, Side>& t, int k) const {
    return t.cell[int(x * t.pitch + y) + k * step];
  }

  // Memory to the tile, with 32 bytes in flight or as many elements as a thread has.
  template <class T>
  KILN_FN void fill(tile<T, Side>& t, lane<const T> from) const {
    constexpr int batch = sizeof(T) >= 8 ? 4 : sizeof(T) == 4 ? 8 : elements;
    int left = count_across;
    int cell = int(x * t.pitch + y);
#pragma unroll 1
    for (; left >= batch; left -= batch) {
      fill_some<batch>(t, from, cell);
    }
#pragma unroll 1
    for (; left > 0; --left) {
      fill_some<1>(t, from, cell);
    }
  }
  // The tile to memory.
  template <class T>
  KILN_FN void drain(tile<T, Side>& t, lane<T> to) const {
#pragma unroll 4
    for (int k = 0; k < count_across; ++k) {
      *to = cell_across(t, k);
      to.move_on();
    }
  }
  // The same, but for elements that are kept as they are.
  template <class T>
  KILN_FN void drain(tile<T, Side>& t, lane<T> to, tile<uint8, Side>& kept) const {
#pragma unroll 4
    for (int k = 0; k < count_across; ++k) {
      if (cell_across(kept, k) == 0) *to = cell_across(t, k);
      to.move_on();
    }
  }

 private:
  KILN_FN static uint32 in_tile(uint32 left) { return left < Side ? left : Side; }
  KILN_FN int steps(uint32 all) const { return all > y ? int((all - y + step - 1) / step) : 0; }

  template <int U, class T>
  KILN_FN static void fill_some(tile<T, Side>& t, lane<const T>& from, int& cell) {
    T value[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      value[u] = *from;
      from.move_on();
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      t.cell[cell + u * step] = value[u];
    }
    cell += U * step;
  }
};

// The thread's elements from k on, U at a time, as long as there are so many: all U are loaded before one is computed.
template <int U, class Place, class Work>
KILN_FN void compute_by(const Place& at, Work& work, int& k) {
#pragma unroll 1
  for (; k + U <= at.count; k += U) {
    typename Work::loaded x[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      x[u] = work.load(at, k + u);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      work.finish(at, k + u, x[u]);
    }
  }
}

// Computes a tile. `more`: the block goes on to another one.
template <int U, class Place, class Work>
KILN_FN void compute_tile(const Place& at, Work& work, bool more) {
  work.fill(at);
  if constexpr (Work::fills) KILN_BARRIER();
  int k = 0;
  compute_by<U>(at, work, k);
  if constexpr (U > 1) compute_by<1>(at, work, k);
  if constexpr (Work::drains) {
    KILN_BARRIER();
    work.drain(at);
  }
  // With both, the barriers above stand between the uses of either for two tiles.
  if constexpr (!Work::fills || !Work::drains) {
    if (more) KILN_BARRIER();
  }
}

}  // namespace kiln::loops
