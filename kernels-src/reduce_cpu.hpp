// The loops of reductions on the CPU: what is compiled for each kernel. What walks axes, gathers strided operands and cuts the
// work is lib/backend/cpu/reducer.cpp, compiled with the library. See lib/backend/kernel_abi.hpp for both.
//
// All sums are trees over blocks of fixed sizes, so that errors grow with the logarithm and a result does not depend on how the
// work was cut. Beside what reduce.hpp says, R has R::source<Index>, elements that lie one behind the other, R::lanes<N>, room
// for N accumulators, and R::index_operand, which operand says where the elements are (-1: none).
#pragma once
#include "kiln/reduce.hpp"

namespace kiln::loops {

struct cpu_reduction {
  void (*fold)(void* const* operands, int64 count, void* state, bool fresh);
  void (*rows)(void* const* operands, int64 rows, int64 columns, void* states, bool fresh);
  void (*merge)(void* into, const void* from, int64 count);
  void (*start)(void* states, const void* initial, int64 count);
  void (*finish)(const void* states, const void* initial, int64 count, void* const* outputs);
  int64 state_size;
  int64 accumulator_size;
  int32 inputs;
  int32 outputs;
  int32 index;
  const uint8* itemsize;
  bool ordered;
};

// What the operand `index` points to: the number of the first element, or that of each.
struct cpu_index {
  int64 first;
  const int64* list;
};
// How the numbers of elements go on from the first.
enum class index_form { rising, fixed, listed };
template <index_form Form>
struct element_index {
  int64 first;
  KILN_FN explicit element_index(const void* p) : first(static_cast<const cpu_index*>(p)->first) {}
  KILN_FN int64 at(int64 i) const { return Form == index_form::rising ? first + i : first; }
};
template <>
struct element_index<index_form::listed> {
  const int64* list;
  KILN_FN explicit element_index(const void* p) : list(static_cast<const cpu_index*>(p)->list) {}
  KILN_FN int64 at(int64 i) const { return list[i]; }
};

// Room for N accumulators, one behind the other. Of a struct whose members are known each has an array of its own instead:
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

KILN_FN bool is_listed(const void* index) {
  return static_cast<const cpu_index*>(index)->list != nullptr;
}

constexpr int64 kRows = 8;  // of operands that rows() gets, whether it uses them or not

template <class R>
struct reducer {
  using C = counted<R>;
  using state = typename C::state;
  template <int N>
  using lanes_of = state_lanes<R, C, N>;

  template <class source>
  static KILN_FN state element(const source& s, int64 i) {
    return C::one(s, i);
  }

  // Lanes [0, N), N a power of two, into the first.
  template <int N, class Lanes>
  static KILN_FN void join(Lanes& lanes) {
    if constexpr (N > 1) {
#pragma clang loop vectorize(assume_safety)
      for (int i = 0; i < N / 2; ++i) {
        lanes.put(i, C::combine(lanes.get(i), lanes.get(i + N / 2)));
      }
      join<N / 2>(lanes);
    }
  }

  // The element i of eight rows of N.
  template <int N, class source>
  static KILN_FN state across(const source& s, int64 k) {
    return C::combine(
        C::combine(C::combine(element(s, k), element(s, k + N)), C::combine(element(s, k + 2 * N), element(s, k + 3 * N))),
        C::combine(C::combine(element(s, k + 4 * N), element(s, k + 5 * N)),
                   C::combine(element(s, k + 6 * N), element(s, k + 7 * N))));
  }

  // A block of 64 N elements. The rows are short, so that memory is read from the front to the back: with eight rows of 128
  // float32 the processor's prefetchers lost the way, and a sum of 1e8 took three times as long as reading them.
  template <int N, class source>
  static KILN_FN state block(const source& s, int64 at) {
    lanes_of<N> lanes;
#pragma clang loop vectorize(assume_safety)
    for (int i = 0; i < N; ++i) {
      lanes.put(i, across<N>(s, at + i));
    }
#pragma clang loop unroll(disable)
    for (int64 k = at + 8 * N; k < at + 64 * N; k += 8 * N) {
#pragma clang loop vectorize(assume_safety)
      for (int i = 0; i < N; ++i) {
        lanes.put(i, C::combine(lanes.get(i), across<N>(s, k + i)));
      }
    }
    join<N>(lanes);
    return lanes.get(0);
  }

  // N to 8 N - 1 elements, in rows of N.
  template <int N, class source>
  static KILN_FN state part(const source& s, int64 at, int64 count) {
    lanes_of<N> lanes;
#pragma clang loop vectorize(assume_safety)
    for (int i = 0; i < N; ++i) {
      lanes.put(i, element(s, at + i));
    }
    int64 done = N;
    for (; done + N <= count; done += N) {
#pragma clang loop vectorize(assume_safety)
      for (int i = 0; i < N; ++i) {
        lanes.put(i, C::combine(lanes.get(i), element(s, at + done + i)));
      }
    }
    const int64 rest = count - done;
#pragma clang loop vectorize(assume_safety)
    for (int64 i = 0; i < rest; ++i) {
      lanes.put(i, C::combine(lanes.get(i), element(s, at + done + i)));
    }
    join<N>(lanes);
    return lanes.get(0);
  }

  // Fewer than 16.
  template <class source>
  static KILN_FN state few(const source& s, int64 at, int64 count) {
    state lanes[16];
#pragma clang loop vectorize(disable) unroll(disable)
    for (int64 i = 0; i < count; ++i) {
      lanes[i] = element(s, at + i);
    }
#pragma clang loop unroll(disable)
    for (int64 n = count; n > 1; n = (n + 1) / 2) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (int64 i = 0; i < n / 2; ++i) {
        lanes[i] = C::combine(lanes[i], lanes[i + (n + 1) / 2]);
      }
    }
    return lanes[0];
  }

  // Blocks of 1024 elements are combined as their number's binary digits carry.
  template <class source>
  static KILN_NOINLINE void fold_from(void* const* operands, int64 count, void* to) {
    constexpr int64 size = 1024;
    const source s(operands, 1, 0);
    state stack[56];
    int64 depth = 0;
    int64 at = 0;
    for (int64 number = 0; at + size <= count; at += size, ++number) {
      state value = block<size / 64>(s, at);
      for (int64 digits = number; (digits & 1) != 0; digits >>= 1) {
        value = C::combine(stack[--depth], value);
      }
      stack[depth++] = value;
    }
    const int64 rest = count - at;
    if (rest > 0) {
      stack[depth++] = rest > 128 ? part<128>(s, at, rest) : rest >= 16 ? part<16>(s, at, rest) : few(s, at, rest);
    }
    state value = stack[--depth];
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
#pragma clang loop vectorize(assume_safety)
      for (int64 i = 0; i < columns; ++i) {
        states[i] = C::combine(C::combine(C::combine(element(a, i), element(b, i)), C::combine(element(c, i), element(d, i))),
                               C::combine(C::combine(element(e, i), element(f, i)), C::combine(element(g, i), element(h, i))));
      }
      return;
    }
    const source first(operands, kRows, 0);
#pragma clang loop vectorize(assume_safety)
    for (int64 i = 0; i < columns; ++i) {
      states[i] = element(first, i);
    }
    for (int64 r = 1; r < rows; ++r) {
      const source s(operands, kRows, r);
#pragma clang loop vectorize(assume_safety)
      for (int64 i = 0; i < columns; ++i) {
        states[i] = C::combine(states[i], element(s, i));
      }
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

// Strictly from the first element to the last.
template <class R>
struct ordered_reducer {
  using state = typename R::accumulator;

  template <class source>
  static KILN_FN state next(const state& before, const source& s, int64 i) {
    if constexpr (R::masked) {
      return s.counts(i) ? R::combine(before, s.at(i)) : before;
    } else {
      return R::combine(before, s.at(i));
    }
  }

  template <class source>
  static KILN_NOINLINE void fold_from(void* const* operands, int64 count, void* to, bool fresh) {
    const source s(operands, 1, 0);
    state value = fresh ? state(s.at(0)) : *static_cast<const state*>(to);
    for (int64 i = fresh ? 1 : 0; i < count; ++i) {
      value = next(value, s, i);
    }
    *static_cast<state*>(to) = value;
  }

  template <class source>
  static KILN_NOINLINE void rows_from(void* const* operands, int64 rows, int64 columns, void* to, bool fresh) {
    state* const states = static_cast<state*>(to);
    if (!fresh && rows == kRows) {
      const source a(operands, kRows, 0), b(operands, kRows, 1), c(operands, kRows, 2), d(operands, kRows, 3);
      const source e(operands, kRows, 4), f(operands, kRows, 5), g(operands, kRows, 6), h(operands, kRows, 7);
#pragma clang loop vectorize(assume_safety)
      for (int64 i = 0; i < columns; ++i) {
        states[i] = next(next(next(next(next(next(next(next(states[i], a, i), b, i), c, i), d, i), e, i), f, i), g, i), h, i);
      }
      return;
    }
    for (int64 r = 0; r < rows; ++r) {
      const source s(operands, kRows, r);
      if (fresh && r == 0) {
#pragma clang loop vectorize(assume_safety)
        for (int64 i = 0; i < columns; ++i) {
          states[i] = s.at(i);
        }
        continue;
      }
#pragma clang loop vectorize(assume_safety)
      for (int64 i = 0; i < columns; ++i) {
        states[i] = next(states[i], s, i);
      }
    }
  }

  static void fold(void* const* operands, int64 count, void* to, bool fresh) {
    if constexpr (R::index_operand >= 0) {
      if (is_listed(operands[R::index_operand])) {
        return fold_from<typename R::template source<index_form::listed>>(operands, count, to, fresh);
      }
    }
    fold_from<typename R::template source<index_form::rising>>(operands, count, to, fresh);
  }

  static void rows(void* const* operands, int64 rows, int64 columns, void* to, bool fresh) {
    if constexpr (R::index_operand >= 0) {
      if (is_listed(operands[R::index_operand * kRows])) {
        return rows_from<typename R::template source<index_form::listed>>(operands, rows, columns, to, fresh);
      }
    }
    rows_from<typename R::template source<index_form::fixed>>(operands, rows, columns, to, fresh);
  }
};

template <class R, class C>
KILN_NOINLINE void merge_states(void* into, const void* from, int64 count) {
  auto* const a = static_cast<typename C::state*>(into);
  const auto* const b = static_cast<const typename C::state*>(from);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    a[i] = C::combine(a[i], b[i]);
  }
}

// States of no element.
template <class R, class C>
KILN_NOINLINE void start_states(void* states, const void* initial, int64 count) {
  const typename R::accumulator value = nothing<R>(static_cast<const typename R::accumulator*>(initial));
  for (int64 i = 0; i < count; ++i) {
    static_cast<typename C::state*>(states)[i] = C::lifted(value);
  }
}

template <class R, class C>
KILN_NOINLINE void finish_states(const void* states, const void* initial, int64 count, void* const* outputs) {
  const auto* const from = static_cast<const typename C::state*>(states);
  const auto* const start = static_cast<const typename R::accumulator*>(initial);
  const typename R::sink to(outputs);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    to.put(i, C::closed(from[i], start));
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

template <class R, bool Ordered>
constexpr cpu_reduction describe(int32 inputs, int32 outputs, const uint8* itemsize) {
  using C = typename cpu_loops<R, Ordered>::C;
  using loops = typename cpu_loops<R, Ordered>::loops;
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
          Ordered};
}

}  // namespace kiln::loops
