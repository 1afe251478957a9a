// The loops of a part of a reduction on the CPU, by the balanced tree over the numbers of its elements: of 2ⁿ elements the
// first half is combined with the second, and so on down to neighbours. Where there are fewer, what has no partner is handed on
// as it is. The tree is the same whatever the layout, so that parts of an array give the same bits on every device.
#pragma once
#include "kiln/reduction/cpu.hpp"

namespace kiln::loops {

template <class R>
struct balanced_reducer {
  using C = counted<R>;
  using state = typename C::state;
  static constexpr int most = 1024;  // elements that become one state at once
  static constexpr int some = 64;

  // The first 2N lanes become N, neighbours with each other, and so on to one. Each loop is over vectors, but for the last
  // ones.
  template <int N, class L>
  static KILN_FN void join_neighbours(L& x) {
    if constexpr (N > 0) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
      for (int i = 0; i < N; ++i) {
        x.put(i, C::combine(x.get(2 * i), x.get(2 * i + 1)));
      }
      join_neighbours<N / 2>(x);
    }
  }

  // N elements, a power of two.
  template <int N, class source>
  static KILN_FN state sum_of(const source& s, int64 at) {
    if constexpr (N == 1) {
      return C::one(s, at);
    } else {
      state_lanes<R, C, N / 2> x;
#pragma clang loop vectorize(assume_safety) unroll(disable)
      for (int i = 0; i < N / 2; ++i) {
        x.put(i, C::combine(C::one(s, at + 2 * i), C::one(s, at + 2 * i + 1)));
      }
      join_neighbours<N / 4>(x);
      return x.get(0);
    }
  }

  // States of 2ⁿ elements each, the largest first: those that the binary digits of the number of elements so far say.
  struct tree {
    state nodes[64];
    int64 depth = 0;
    int64 elements = 0;

    KILN_FN void add(state sum, int64 count) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (int64 digits = elements / count; (digits & 1) != 0; digits >>= 1) {
        sum = C::combine(nodes[--depth], sum);
      }
      nodes[depth++] = sum;
      elements += count;
    }
    KILN_FN state whole() {
      state sum = nodes[--depth];
#pragma clang loop vectorize(disable) unroll(disable)
      while (depth > 0) {
        sum = C::combine(nodes[--depth], sum);
      }
      return sum;
    }
  };

  // While pairs are joined nothing is read, and the processor's prefetchers stop: the next elements are asked for beforehand.
  static constexpr int64 ahead = 1024;
  static constexpr int64 of_line = 8;  // elements at most of a cache line that are prefetched at once

  template <int N, class source>
  static KILN_FN void add(tree& all, const source& s, int64 count) {
#pragma clang loop unroll(disable)
    while (count - all.elements >= N) {
      if constexpr (N >= some) {
#pragma clang loop unroll_count(8)
        for (int64 i = 0; i < N; i += of_line) {
          s.prefetch(all.elements + ahead + i);
        }
      }
      all.add(sum_of<N>(s, all.elements), N);
    }
  }

  template <class source>
  static KILN_NOINLINE void fold_from(void* const* operands, int64 count, void* to) {
    const source s(operands, 1, 0);
    tree all;
    add<most>(all, s, count);
    add<some>(all, s, count);
    add<1>(all, s, count);
    *static_cast<state*>(to) = all.whole();
  }

  static constexpr int64 strip = 32;  // columns of few rows

  // N neighbouring rows, a power of two, from row `first` on.
  template <int N, class source>
  static KILN_FN void rows_of(void* const* operands, int64 first, int64 at, int64 columns, state* to) {
    const source a(operands, kRows, first), b(operands, kRows, first + (N > 1 ? 1 : 0));
    const source c(operands, kRows, first + (N > 2 ? 2 : 0)), d(operands, kRows, first + (N > 2 ? 3 : 0));
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (int64 i = 0; i < columns; ++i) {
      if constexpr (N == 1) {
        to[i] = C::one(a, at + i);
      } else if constexpr (N == 2) {
        to[i] = C::combine(C::one(a, at + i), C::one(b, at + i));
      } else {
        to[i] = C::combine(C::combine(C::one(a, at + i), C::one(b, at + i)), C::combine(C::one(c, at + i), C::one(d, at + i)));
      }
    }
  }

  template <int N, class source>
  static KILN_FN void add_rows(void* const* operands, int64 rows, int64 at, int64 columns, state* to, bool& any) {
    if ((rows & N) == 0) {
      return;
    }
    // Behind these rows come those of the smaller digits.
    const int64 first = rows & ~int64(2 * N - 1);
    if (!any) {
      rows_of<N, source>(operands, first, at, columns, to);
      any = true;
      return;
    }
    state before[strip];
    rows_of<N, source>(operands, first, at, columns, before);
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (int64 i = 0; i < columns; ++i) {
      to[i] = C::combine(before[i], to[i]);
    }
  }

  template <class source>
  static KILN_NOINLINE void rows_from(void* const* operands, int64 rows, int64 columns, void* to) {
    state* const states = static_cast<state*>(to);
    if (rows == kRows) {
      return reducer<R>::template rows_from<source>(operands, rows, columns, to);
    }
    for (int64 at = 0; at < columns; at += strip) {
      const int64 now = columns - at < strip ? columns - at : strip;
      bool any = false;
      add_rows<1, source>(operands, rows, at, now, states + at, any);
      add_rows<2, source>(operands, rows, at, now, states + at, any);
      add_rows<4, source>(operands, rows, at, now, states + at, any);
    }
  }

  static void fold(void* const* operands, int64 count, void* to, bool) {
    if constexpr (R::index_operand >= 0) {
      if (is_listed(operands[R::index_operand])) {
        return fold_from<typename R::template source<index_form::listed>>(operands, count, to);
      }
    }
    fold_from<typename R::template source<index_form::rising>>(operands, count, to);
  }

  static void rows(void* const* operands, int64 rows, int64 columns, void* to, bool) {
    if constexpr (R::index_operand >= 0) {
      if (is_listed(operands[R::index_operand * kRows])) {
        return rows_from<typename R::template source<index_form::listed>>(operands, rows, columns, to);
      }
    }
    rows_from<typename R::template source<index_form::fixed>>(operands, rows, columns, to);
  }
};

template <class R>
constexpr kinds::CpuReduction describe_part(int32 inputs, int32 outputs, const uint8* itemsize) {
  return description<R, counted<R>, balanced_reducer<R>>(inputs, outputs, itemsize, false, true);
}

}  // namespace kiln::loops
