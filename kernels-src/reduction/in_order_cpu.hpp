// Reductions on the CPU whose order counts; see reduce_cpu.hpp.
#pragma once
#include "kiln/reduction/elements_cpu.hpp"

namespace kiln::loops {

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

}  // namespace kiln::loops
