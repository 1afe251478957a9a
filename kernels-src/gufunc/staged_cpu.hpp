// Items of few elements that lie apart, on the CPU: 16 of them are brought into a buffer in which each element's vector has one
// of each item, so that the loop over them is of vectors; and back.
#pragma once
#include "kiln/gufunc/items_cpu.hpp"

namespace kiln::loops {

inline constexpr int kStaged = 16;
// Elements at the most that are read beyond an item's last one: registers are read whole.
inline constexpr int64 kReadBeyond = 3;

// What has as many bytes as an element: bits are moved.
template <int Bytes>
struct number_of_size {
  using type = float;
};
template <>
struct number_of_size<8> {
  using type = double;
};
template <class T>
using moved_as = typename number_of_size<int(sizeof(T))>::type;

// Element e of item l to to[16 * e + l], of items `step` bytes apart.
template <class T, int Elements>
KILN_FN void stage_in(T* to, const char* first, int64 step) {
  using B = moved_as<T>;
  constexpr int kWide = kStaged * int(sizeof(B)) == 64 ? int(kSquare<B, kStaged>) : kChunk<B>;
  constexpr int kRead = (Elements + kWide - 1) / kWide * kWide;
  lanes<B, kStaged> r[kRead];
  const item_places<B, kStaged> items(const_cast<char*>(first), step);
#pragma clang loop unroll(full)
  for (int e = 0; e < Elements; e += kChunk<B>) {
    if (kWide > kChunk<B> && e % kWide == 0 && e + kChunk<B> < Elements) {
      turn_square<B, kStaged>(r + e, items, step, e, false);
      e += kChunk<B>;
    } else {
      turn_chunk<B, kStaged>(r + e, items, step, e);
    }
  }
#pragma clang loop unroll(full)
  for (int e = 0; e < Elements; ++e) {
    __builtin_memcpy(to + kStaged * e, &r[e].v, sizeof(r[e].v));
  }
}

// Less than 16 bytes of each item.
template <class B, int Items, int Count>
KILN_FN void write_some(vector_of<B, Items * kChunk<B>> x, char* const* item, int64 offset) {
  if constexpr (Items == 1) {
    if constexpr (Count > 1) {
      const vector_of<B, 2> pair = __builtin_shufflevector(x, x, 0, 1);
      __builtin_memcpy(*item + offset, &pair, 2 * sizeof(B));
    }
    if constexpr (Count % 2 == 1) {
      const B last = x[Count - 1];
      __builtin_memcpy(*item + offset + (Count - 1) * int64(sizeof(B)), &last, sizeof(B));
    }
  } else {
    constexpr first_numbers<Items / 2 * kChunk<B>> half;
    write_some<B, Items / 2, Count>(half_of<B, 0>(x, half), item, offset);
    write_some<B, Items / 2, Count>(half_of<B, 1>(x, half), item + Items / 2, offset);
  }
}

// And back; nothing between the items is touched.
template <class T, int Elements>
KILN_FN void stage_out(const T* from, char* first, int64 step) {
  using B = moved_as<T>;
  constexpr int kRest = Elements % kChunk<B>;
  const item_places<B, kStaged> items(first, step);
#pragma clang loop unroll(full)
  for (int e = 0; e < Elements; e += kChunk<B>) {
    vector_of<B, kStaged> q[kChunk<B>];
#pragma clang loop unroll(full)
    for (int j = 0; j < kChunk<B>; ++j) {
      __builtin_memcpy(&q[j], from + kStaged * (e + j < Elements ? e + j : Elements - 1), sizeof(q[j]));
    }
    turn<B, kStaged>(q);
#pragma clang loop unroll(full)
    for (int j = 0; j < kChunk<B>; ++j) {
      const int64 offset = j * step + e * int64(sizeof(B));
      if (e + kChunk<B> <= Elements) {
        write_chunks<B, kStaged / kChunk<B>>(q[j], items.at, offset);
      } else {
        write_some<B, kStaged / kChunk<B>, kRest>(q[j], items.at, offset);
      }
    }
  }
}

// The same of one item, and of nothing beside it.
template <class T, int Elements>
KILN_FN void stage_one_in(T* to, const char* item) {
#pragma clang loop unroll(full)
  for (int e = 0; e < Elements; ++e) {
    __builtin_memcpy(to + kStaged * e, item + e * int64(sizeof(T)), sizeof(T));
  }
}
template <class T, int Elements>
KILN_FN void stage_one_out(const T* from, char* item) {
#pragma clang loop unroll(full)
  for (int e = 0; e < Elements; ++e) {
    __builtin_memcpy(item + e * int64(sizeof(T)), from + kStaged * e, sizeof(T));
  }
}

// Items [begin, end) of a row of `columns`: several(x) for those from x on, one(x) for what is left and for the ends of the
// row, beyond which nothing may be read; all of them one by one if they are not `apart`, or vectors along a core (Along).
// Elements: the most that an item has of a staged operand. With 16 registers they go one by one where it is more than a
// register of 16 bytes has, or where outputs are staged: inner products of 5 took 1.57 ns at once and 1.46 one by one (AVX2),
// of 3 0.80 and 1.04. Not where the body is Dear: sums of exp() of 5 took 8.9 ns at once and 23.4 one by one.
template <bool Along, int Elements, bool Outputs, bool Dear, class Several, class One>
KILN_FN void walk_staged(int64 columns, bool apart, int64 begin, int64 end, const Several& several, const One& one) {
  constexpr bool kFits = !Along && (KILN_MANY_REGISTERS || Dear || (Elements <= 4 && !Outputs));
  const int64 last = (end < columns - kReadBeyond ? end : columns - kReadBeyond) - kStaged;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int64 x = begin; x < end;) {
    if (kFits && apart && x >= kReadBeyond && x <= last) {
      several(x);
      x += kStaged;
    } else {
      one(x);
      ++x;
    }
  }
}

}  // namespace kiln::loops
