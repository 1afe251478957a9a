// The loops of reductions on the CPU: what is compiled for each kernel. What walks axes, gathers strided operands and cuts the
// work is lib/kiln/kernel/reduction/reducer.cpp, compiled with the library. See kernels-src/reduction/abi.hpp for both.
//
// All sums are trees over blocks of fixed sizes, of leaves of fewer than 16 elements one after the other, so that errors grow
// with the logarithm and a result does not depend on how the work was cut. Beside what reduce.hpp says, R has R::source<Index>,
// elements that are consecutive, R::lanes<N>, room for N accumulators, and R::index_operand, which operand says where
// the elements are (-1: none), R::ends, what identities are made of, and R::sink, ends where results go.
#pragma once
#include "kiln/reduction/in_order_cpu.hpp"

namespace kiln::loops {

// Room for N accumulators, consecutively. Of a struct whose members are known each has an array of its own instead:
// the loop vectorizer then sees plain arrays.
template <class T, int N>
struct plain_lanes {
  T v[N];
  KILN_FN const T& get(int64 i) const { return v[i]; }
  KILN_FN void put(int64 i, const T& x) { v[i] = x; }
};
template <class R, class C, int N>
struct state_lanes : R::template lanes<N> {};
template <class R, int N>
struct state_lanes<R, optional<R>, N> {
  typename R::template lanes<N> values;
  bool any[N];
  KILN_FN typename optional<R>::state get(int64 i) const { return {values.get(i), any[i]}; }
  KILN_FN void put(int64 i, const typename optional<R>::state& x) {
    values.put(i, x.value);
    any[i] = x.any;
  }
};

template <class R>
struct reducer {
  using C = counted<R>;
  using state = typename C::state;
  static constexpr int side = 16;           // accumulators adjacent
  static constexpr int64 step = 8 * side;   // elements that they take at once
  static constexpr int64 block = 8 * step;  // elements of one of the tree's leaves
  using lanes = state_lanes<R, C, side>;
  // A state is a struct with a gap between its members, as a float32 and its place: where such states are read and written,
  // each member is moved alone. The largest of three took 1.9 ns, by lanes 0.7; without a gap vectors are taken apart as
  // quickly.
  static constexpr bool has_gaps = sizeof(typename R::template lanes<side>) != side * sizeof(typename R::accumulator);

  template <class source>
  static KILN_FN state element(const source& s, int64 i) {
    return C::one(s, i);
  }

  // Loops that are not unrolled here and below are as quick without, and a fifth of the time to compile was theirs.
  static KILN_FN void merge(lanes& into, const lanes& from) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (int i = 0; i < side; ++i) {
      into.put(i, C::combine(into.get(i), from.get(i)));
    }
  }

  // f(0) … f(N - 1). Unrolled before they become vectors, lanes are 16 scalars for a while: small ones stayed so, and of a
  // reduction of bool made 52 KB of code, which took 1.0 s to compile instead of 0.1; larger ones are faster for it, rows of
  // 100 float32 by an eighth.
  template <int N, class F>
  static KILN_FN void each_lane(const F& f) {
    if constexpr (sizeof(state) < 4) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
      for (int i = 0; i < N; ++i) {
        f(i);
      }
    } else {
#pragma clang loop vectorize(assume_safety)
      for (int i = 0; i < N; ++i) {
        f(i);
      }
    }
  }

  // Lanes [0, N), N a power of two, into the first.
  template <int N>
  static KILN_FN void join(lanes& all) {
    if constexpr (N > 1) {
      each_lane<N / 2>([&](int i) __attribute__((always_inline)) { all.put(i, C::combine(all.get(i), all.get(i + N / 2))); });
      join<N / 2>(all);
    }
  }
  static KILN_NOINLINE state joined(lanes& all) {
    join<side>(all);
    return all.get(0);
  }

  // The element k of eight rows.
  template <class source>
  static KILN_FN state across(const source& s, int64 k) {
    return C::combine(C::combine(C::combine(element(s, k), element(s, k + side)),
                                 C::combine(element(s, k + 2 * side), element(s, k + 3 * side))),
                      C::combine(C::combine(element(s, k + 4 * side), element(s, k + 5 * side)),
                                 C::combine(element(s, k + 6 * side), element(s, k + 7 * side))));
  }

  // `count` elements, a multiple of `step`. The rows are short, so that memory is read from the front to the back: with eight
  // rows of 128 float32 the processor's prefetchers lost the way, and a sum of 1e8 took three times as long as reading them.
  template <class source>
  static KILN_FN void steps(lanes& to, const source& s, int64 at, int64 count) {
    lanes sum;
#pragma clang loop vectorize(assume_safety)
    for (int i = 0; i < side; ++i) {
      sum.put(i, across(s, at + i));
    }
#pragma clang loop unroll(disable)
    for (int64 k = at + step; k < at + count; k += step) {
#pragma clang loop vectorize(assume_safety)
      for (int i = 0; i < side; ++i) {
        sum.put(i, C::combine(sum.get(i), across(s, k + i)));
      }
    }
    to = sum;
  }

  // Fewer than `step`.
  template <class source>
  static KILN_NOINLINE state tail(const source& s, int64 at, int64 count) {
    if (count < side) {
      // One after the other: few instructions, and the next output's do not wait for them. Sums of ten in pairs took 16 ns
      // instead of 9.
      state sum = element(s, at);
#pragma clang loop vectorize(disable) unroll(disable)
      for (int64 i = 1; i < count; ++i) {
        sum = C::combine(sum, element(s, at + i));
      }
      return sum;
    }
    lanes sum;
    each_lane<side>([&](int i) __attribute__((always_inline)) { sum.put(i, element(s, at + i)); });
    int64 done = side;
#pragma clang loop unroll(disable)
    for (; done + side <= count; done += side) {
      each_lane<side>([&](int i)
                          __attribute__((always_inline)) { sum.put(i, C::combine(sum.get(i), element(s, at + done + i))); });
    }
    const int64 rest = count - done;
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (int64 i = 0; i < rest; ++i) {
      sum.put(i, C::combine(sum.get(i), element(s, at + done + i)));
    }
    join<side>(sum);
    return sum.get(0);
  }

  // Blocks are combined as their number's binary digits carry, lane by lane.
  template <class source>
  static KILN_NOINLINE void fold_from(void* const* operands, int64 count, void* to) {
    const source s(operands, 1, 0);
    if (count < step) {
      *static_cast<state*>(to) = tail(s, 0, count);
      return;
    }
    lanes stack[56];
    int64 depth = 0;
    int64 at = 0;
#pragma clang loop unroll(disable)
    for (int64 number = 0; count - at >= step; ++number) {
      const int64 now = count - at < block ? (count - at) / step * step : block;
      steps(stack[depth++], s, at, now);
      at += now;
#pragma clang loop unroll(disable)
      for (int64 digits = number; (digits & 1) != 0; digits >>= 1) {
        --depth;
        merge(stack[depth - 1], stack[depth]);
      }
    }
#pragma clang loop unroll(disable)
    while (depth > 1) {
      --depth;
      merge(stack[depth - 1], stack[depth]);
    }
    const state value = joined(stack[0]);
    *static_cast<state*>(to) = count > at ? C::combine(value, tail(s, at, count - at)) : value;
  }

  // Neighbours alone are combined. For operations that do not commute, and where the numbers of the elements are a list:
  // several axes are reduced whose rows are short then, not worth what vector loops take to compile, which was half of it.
  template <class source>
  static KILN_NOINLINE void fold_one_by_one(void* const* operands, int64 count, void* to) {
    const source s(operands, 1, 0);
    state stack[60];
    int64 depth = 0;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int64 at = 0, number = 0; at < count; ++number) {
      state sum = element(s, at);
      const int64 end = count - at < side ? count : at + side;
#pragma clang loop vectorize(disable) unroll(disable)
      for (++at; at < end; ++at) {
        sum = C::combine(sum, element(s, at));
      }
#pragma clang loop vectorize(disable) unroll(disable)
      for (int64 digits = number; (digits & 1) != 0; digits >>= 1) {
        sum = C::combine(stack[--depth], sum);
      }
      stack[depth++] = sum;
    }
    state value = stack[--depth];
#pragma clang loop vectorize(disable) unroll(disable)
    while (depth > 0) {
      value = C::combine(stack[--depth], value);
    }
    *static_cast<state*>(to) = value;
  }

  template <class source>
  static KILN_NOINLINE void rows_from(void* const* operands, int64 rows, int64 columns, void* to) {
    state* const states = static_cast<state*>(to);
    if (rows == kRows) {
      const source a(operands, kRows, 0), b(operands, kRows, 1), c(operands, kRows, 2), d(operands, kRows, 3);
      const source e(operands, kRows, 4), f(operands, kRows, 5), g(operands, kRows, 6), h(operands, kRows, 7);
#pragma clang loop vectorize(assume_safety) unroll(disable)
      for (int64 i = 0; i < columns; ++i) {
        states[i] = C::combine(C::combine(C::combine(element(a, i), element(b, i)), C::combine(element(c, i), element(d, i))),
                               C::combine(C::combine(element(e, i), element(f, i)), C::combine(element(g, i), element(h, i))));
      }
      return;
    }
    constexpr bool by_lanes = has_gaps && !same<source, typename R::template source<index_form::listed>>;
    const int64 whole = by_lanes ? columns / side * side : 0;
    if constexpr (by_lanes) {
      few_rows<source>(operands, rows, whole, states);
    }
    const source first(operands, kRows, 0);
#pragma clang loop vectorize(assume_safety)
    for (int64 i = whole; i < columns; ++i) {
      states[i] = element(first, i);
    }
    for (int64 r = 1; r < rows; ++r) {
      const source s(operands, kRows, r);
#pragma clang loop vectorize(assume_safety)
      for (int64 i = whole; i < columns; ++i) {
        states[i] = C::combine(states[i], element(s, i));
      }
    }
  }

  // Columns [0, whole), so many at a time that an array for each member of their states stays in registers.
  template <class source>
  static KILN_FN void few_rows(void* const* operands, int64 rows, int64 whole, state* states) {
    const source first(operands, kRows, 0);
    for (int64 at = 0; at < whole; at += side) {
      lanes sum;
      each_lane<side>([&](int i) __attribute__((always_inline)) { sum.put(i, element(first, at + i)); });
#pragma clang loop unroll(disable)
      for (int64 r = 1; r < rows; ++r) {
        const source s(operands, kRows, r);
        each_lane<side>([&](int i) __attribute__((always_inline)) { sum.put(i, C::combine(sum.get(i), element(s, at + i))); });
      }
      each_lane<side>([&](int i) __attribute__((always_inline)) { states[at + i] = sum.get(i); });
    }
  }

  static void fold(void* const* operands, int64 count, void* to, bool) {
    if constexpr (R::index_operand >= 0) {
      if (is_listed(operands[R::index_operand])) {
        return fold_one_by_one<typename R::template source<index_form::listed>>(operands, count, to);
      }
    }
    if constexpr (R::commutes) {
      fold_from<typename R::template source<index_form::rising>>(operands, count, to);
    } else {
      fold_one_by_one<typename R::template source<index_form::rising>>(operands, count, to);
    }
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

template <class R, class C>
KILN_NOINLINE void merge_states(void* into, const void* from, int64 count) {
  auto* const a = static_cast<typename C::state*>(into);
  const auto* const b = static_cast<const typename C::state*>(from);
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (int64 i = 0; i < count; ++i) {
    a[i] = C::combine(a[i], b[i]);
  }
}

// States of no element.
template <class R, class C>
KILN_NOINLINE void start_states(void* states, const void* initial, int64 count, void* const* inputs) {
  const auto* const start = static_cast<const typename R::accumulator*>(initial);
  const typename R::accumulator value = start != nullptr ? *start : nothing<R>(typename R::ends(inputs));
  for (int64 i = 0; i < count; ++i) {
    static_cast<typename C::state*>(states)[i] = C::lifted(value);
  }
}

template <class R, class C>
KILN_NOINLINE void finish_states(const void* states, const void* initial, int64 count, void* const* outputs, bool whole,
                                 void* const* inputs) {
  const auto* const from = static_cast<const typename C::state*>(states);
  const auto* const start = static_cast<const typename R::accumulator*>(initial);
  const typename R::sink to(outputs, inputs);
  if (whole) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (int64 i = 0; i < count; ++i) {
      to.put(i, C::value(from[i]));
    }
    return;
  }
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (int64 i = 0; i < count; ++i) {
    to.put(i, start != nullptr ? C::closed_with(from[i], *start) : C::closed(to, from[i]));
  }
}

// The order of an ordered reduction needs no state beside the accumulator: what does not count is skipped.
template <class R>
struct unmasked : R {
  static constexpr bool masked = false;
};

template <class R, bool Ordered>
struct cpu_loops {
  using C = counted<R>;
  using loops = reducer<R>;
};
template <class R>
struct cpu_loops<R, true> {
  using C = counted<unmasked<R>>;
  using loops = ordered_reducer<R>;
};

template <class R, class C, class loops>
constexpr kinds::CpuReduction description(int32 inputs, int32 outputs, const uint8* itemsize, bool ordered, bool balanced) {
  return {loops::fold,
          loops::rows,
          merge_states<R, C>,
          start_states<R, C>,
          finish_states<R, C>,
          sizeof(typename C::state),
          sizeof(typename R::accumulator),
          inputs,
          outputs,
          R::index_operand,
          itemsize,
          ordered,
          balanced,
          R::commutes,
          R::reads_outputs};
}

template <class R, bool Ordered>
constexpr kinds::CpuReduction describe(int32 inputs, int32 outputs, const uint8* itemsize) {
  return description<R, typename cpu_loops<R, Ordered>::C, typename cpu_loops<R, Ordered>::loops>(inputs, outputs, itemsize,
                                                                                                  Ordered, false);
}

}  // namespace kiln::loops
