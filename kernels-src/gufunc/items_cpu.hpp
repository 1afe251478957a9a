// Several items of a generalized ufunc at once, on the CPU: one element of N items is a vector, and the body runs once with
// vectors as its numbers (lanes.hpp). Where items lie side by side it is in memory as it is; other cores are turned in a
// buffer. Each item's own sums stay in order.
#pragma once
#include "kiln/gufunc/cpu.hpp"
#include "kiln/gufunc/lanes.hpp"

namespace kiln {

// One element of N items, in the buffer or where items lie side by side, for views.
template <class T, int N>
struct lane_element {
  using storage = lanes<T, N>;
  using value = lanes<T, N>;
  static constexpr bool in_place = true;
};

namespace loops {

template <class T, T... I>
struct numbers {};
template <int Count>
using first_numbers = __make_integer_seq<numbers, int, Count>;

template <class T, int N>
using vector_of = typename lanes<T, N>::vector;

// What one register is read from or written to: 16 bytes of an item.
template <class T>
inline constexpr int kChunk = 16 / int(sizeof(T));

template <class T, int A, int... I>
KILN_FN vector_of<T, 2 * A> joined(vector_of<T, A> a, vector_of<T, A> b, numbers<int, I...>) {
  return __builtin_shufflevector(a, b, I...);
}
template <class T, int Half, int... I>
KILN_FN vector_of<T, int(sizeof...(I))> half_of(vector_of<T, 2 * int(sizeof...(I))> x, numbers<int, I...>) {
  return __builtin_shufflevector(x, x, (Half * int(sizeof...(I)) + I)...);
}

// Chunks of so many items, side by side.
template <class T, int Items>
KILN_FN vector_of<T, Items * kChunk<T>> read_chunks(const char* const* item, int64 offset) {
  if constexpr (Items == 1) {
    vector_of<T, kChunk<T>> x;
    __builtin_memcpy(&x, *item + offset, sizeof(x));
    return x;
  } else {
    constexpr int kHalf = Items / 2 * kChunk<T>;
    return joined<T, kHalf>(read_chunks<T, Items / 2>(item, offset), read_chunks<T, Items / 2>(item + Items / 2, offset),
                            first_numbers<2 * kHalf>());
  }
}
template <class T, int Items>
KILN_FN void write_chunks(vector_of<T, Items * kChunk<T>> x, char* const* item, int64 offset) {
  if constexpr (Items == 1) {
    __builtin_memcpy(*item + offset, &x, sizeof(x));
  } else {
    constexpr first_numbers<Items / 2 * kChunk<T>> half;
    write_chunks<T, Items / 2>(half_of<T, 0>(x, half), item, offset);
    write_chunks<T, Items / 2>(half_of<T, 1>(x, half), item + Items / 2, offset);
  }
}

// Interleaves the first or the second halves of what stands in each 16 bytes.
template <int Chunk, int Half, class V, int... I>
KILN_FN V interleaved(V a, V b, numbers<int, I...>) {
  return __builtin_shufflevector(
      a, b, (I / Chunk * Chunk + Half * Chunk / 2 + I % Chunk / 2 + (I % 2 == 0 ? 0 : int(sizeof...(I))))...);
}
// Turns the square of as many elements in each 16 bytes of as many vectors.
template <class T, int N>
KILN_FN void turn(vector_of<T, N> (&q)[kChunk<T>]) {
  constexpr int kCount = kChunk<T>;
  constexpr first_numbers<N> all;
#pragma clang loop unroll(full)
  for (int stage = 1; stage < kCount; stage *= 2) {
    vector_of<T, N> r[kCount];
#pragma clang loop unroll(full)
    for (int j = 0; j < kCount / 2; ++j) {
      r[2 * j] = interleaved<kCount, 0>(q[j], q[j + kCount / 2], all);
      r[2 * j + 1] = interleaved<kCount, 1>(q[j], q[j + kCount / 2], all);
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < kCount; ++j) {
      q[j] = r[j];
    }
  }
}

// Element e of the result is made of the even or the odd 16 bytes (Half) of a and b, in turn.
template <int Chunk, int Half, class V, int... I>
KILN_FN V woven(V a, V b, numbers<int, I...>) {
  return __builtin_shufflevector(
      a, b, ((I / Chunk / 2 * 2 + Half) * Chunk + I % Chunk + (I / Chunk % 2 == 0 ? 0 : int(sizeof...(I))))...);
}

// Every kChunk-th of N items `step` bytes apart.
template <class T, int N>
struct item_places {
  char* at[N / kChunk<T>];
  KILN_FN item_places(char* first, int64 step) {
#pragma clang loop unroll(full)
    for (int g = 0; g < N / kChunk<T>; ++g) {
      at[g] = first + g * kChunk<T> * step;
      // Else the compiler keeps the places of all N items, most of them on the stack: 13.0 ns instead of 12.1 for an inner
      // product of 64.
      asm("" : "+r"(at[g]));
    }
  }
};

// As many elements of N items as the widest turning gives at once.
template <class T, int N>
inline constexpr int64 kSquare = 2 * kChunk<T>;

// Elements e … e + kChunk - 1 of N items to vectors.
template <class T, int N>
KILN_FN void turn_chunk(lanes<T, N>* to, const item_places<T, N>& items, int64 step, int64 e) {
  vector_of<T, N> q[kChunk<T>];
#pragma clang loop unroll(full)
  for (int j = 0; j < kChunk<T>; ++j) {
    q[j] = read_chunks<T, N / kChunk<T>>(items.at, j * step + e * int64(sizeof(T)));
  }
  turn<T, N>(q);
#pragma clang loop unroll(full)
  for (int j = 0; j < kChunk<T>; ++j) {
    to[j].v = q[j];
  }
}
// Elements e … e + kSquare - 1 of N items; dense: the next items lie behind these, and are asked for meanwhile.
template <class T, int N>
KILN_FN void turn_square(lanes<T, N>* to, const item_places<T, N>& items, int64 step, int64 e, bool dense) {
  if (dense) {
#pragma clang loop unroll(full)
    for (int line = 0; line < int(kSquare<T, N>) * N * int(sizeof(T)) / 64; ++line) {
      __builtin_prefetch(reinterpret_cast<const char*>(reinterpret_cast<uint64>(items.at[0]) +
                                                       uint64(N * step + e * N * int64(sizeof(T)) + line * 64)));
    }
  }
  if constexpr (N * sizeof(T) == 64) {
    // Two items in a register, 32 bytes of each: inner products of 64 took 13.3 ns on a Zen 4, so 11.6.
    typedef T half_vector __attribute__((ext_vector_type(N / 2)));
    vector_of<T, N> q[2][kChunk<T>];
#pragma clang loop unroll(full)
    for (int j = 0; j < 2 * kChunk<T>; ++j) {
      const int64 offset = j % kChunk<T> * step + e * int64(sizeof(T));
      half_vector low, high;
      __builtin_memcpy(&low, items.at[j / kChunk<T>] + offset, sizeof(low));
      __builtin_memcpy(&high, items.at[j / kChunk<T> + 2] + offset, sizeof(high));
      q[j / kChunk<T>][j % kChunk<T>] = joined<T, N / 2>(low, high, first_numbers<N>());
    }
    turn<T, N>(q[0]);
    turn<T, N>(q[1]);
#pragma clang loop unroll(full)
    for (int k = 0; k < kChunk<T>; ++k) {
      to[k].v = woven<kChunk<T>, 0>(q[0][k], q[1][k], first_numbers<N>());
      to[kChunk<T> + k].v = woven<kChunk<T>, 1>(q[0][k], q[1][k], first_numbers<N>());
    }
  } else {
    turn_chunk<T, N>(to, items, step, e);
    turn_chunk<T, N>(to + kChunk<T>, items, step, e + kChunk<T>);
  }
}

// Elements 0 … count - 1 of N items, which lie `step` bytes apart, to vectors. A function of its own: inside of kernels it
// would have their registers on the stack (16 ns instead of 12 for an inner product of 64), and stand there once for each
// operand.
template <class T, int N>
__attribute__((noinline)) static void turn_in(lanes<T, N>* to, const char* first, int64 step, int64 count) {
  if (count == 1 && step == int64(sizeof(T))) {
    __builtin_memcpy(&to->v, first, sizeof(to->v));
    return;
  }
  const item_places<T, N> items(const_cast<char*>(first), step);
  int64 e = 0;
#pragma clang loop unroll(disable)
  for (; e + kSquare<T, N> <= count; e += kSquare<T, N>) {
    turn_square<T, N>(to + e, items, step, e, step == count * int64(sizeof(T)));
  }
#pragma clang loop unroll(disable)
  for (; e + kChunk<T> <= count; e += kChunk<T>) {
    turn_chunk<T, N>(to + e, items, step, e);
  }
#pragma clang loop unroll(disable) vectorize(disable)
  for (; e < count; ++e) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int l = 0; l < N; ++l) {
      __builtin_memcpy(reinterpret_cast<char*>(to + e) + l * sizeof(T), first + l * step + e * int64(sizeof(T)), sizeof(T));
    }
  }
}

// The same, or square by square in the one loop that takes one vector after the other: turned_items.cpp of libkiln-clang puts
// that into the place of this call, and of kiln_room()'s.
extern "C" void kiln_turn_items(void* to, const char* first, int64 step, int64 count, int64 square, int64 bytes, int64 size,
                                const void* whole, const void* some) noexcept;
template <class T, int N>
__attribute__((noinline)) static void turn_some(lanes<T, N>* to, const char* first, int64 step, int64 count, int64 e) {
  turn_square<T, N>(to, item_places<T, N>(const_cast<char*>(first), step), step, e, step == count * int64(sizeof(T)));
}
template <class T, int N>
KILN_FN void turn_items(lanes<T, N>* to, const char* first, int64 step, int64 count) {
  kiln_turn_items(to, first, step, count, kSquare<T, N>, sizeof(lanes<T, N>), sizeof(T),
                  reinterpret_cast<const void*>(&turn_in<T, N>), reinterpret_cast<const void*>(&turn_some<T, N>));
}

// Vectors `apart` bytes from each other to elements e … e + kChunk - 1 of N items.
template <class T, int N>
KILN_FN void turn_chunk_out(const char* from, int64 apart, const item_places<T, N>& items, int64 step, int64 e) {
  vector_of<T, N> q[kChunk<T>];
#pragma clang loop unroll(full)
  for (int j = 0; j < kChunk<T>; ++j) {
    __builtin_memcpy(&q[j], from + j * apart, sizeof(q[j]));
  }
  turn<T, N>(q);
#pragma clang loop unroll(full)
  for (int j = 0; j < kChunk<T>; ++j) {
    write_chunks<T, N / kChunk<T>>(q[j], items.at, j * step + e * int64(sizeof(T)));
  }
}
// And to e … e + kSquare - 1, 32 bytes of each item: 64 elements took 12.1 ns of an item by chunks, so 10.4.
template <class T, int N>
KILN_FN void turn_square_out(const char* from, int64 apart, const item_places<T, N>& items, int64 step, int64 e) {
  if constexpr (N * sizeof(T) == 64) {
    typedef T half_vector __attribute__((ext_vector_type(N / 2)));
    vector_of<T, N> x[2 * kChunk<T>];
#pragma clang loop unroll(full)
    for (int j = 0; j < 2 * kChunk<T>; ++j) {
      __builtin_memcpy(&x[j], from + j * apart, sizeof(x[j]));
    }
    vector_of<T, N> q[2][kChunk<T>];
#pragma clang loop unroll(full)
    for (int k = 0; k < kChunk<T>; ++k) {
      q[0][k] = woven<kChunk<T>, 0>(x[k], x[kChunk<T> + k], first_numbers<N>());
      q[1][k] = woven<kChunk<T>, 1>(x[k], x[kChunk<T> + k], first_numbers<N>());
    }
    turn<T, N>(q[0]);
    turn<T, N>(q[1]);
#pragma clang loop unroll(full)
    for (int j = 0; j < 2 * kChunk<T>; ++j) {
      const int64 offset = j % kChunk<T> * step + e * int64(sizeof(T));
      const half_vector low = half_of<T, 0>(q[j / kChunk<T>][j % kChunk<T>], first_numbers<N / 2>());
      const half_vector high = half_of<T, 1>(q[j / kChunk<T>][j % kChunk<T>], first_numbers<N / 2>());
      __builtin_memcpy(items.at[j / kChunk<T>] + offset, &low, sizeof(low));
      __builtin_memcpy(items.at[j / kChunk<T> + 2] + offset, &high, sizeof(high));
    }
  } else {
    turn_chunk_out<T, N>(from, apart, items, step, e);
    turn_chunk_out<T, N>(from + kChunk<T> * apart, apart, items, step, e + kChunk<T>);
  }
}
// And back.
template <class T, int N>
__attribute__((noinline)) static void turn_out(const lanes<T, N>* from, char* first, int64 step, int64 count) {
  if (count == 1 && step == int64(sizeof(T))) {
    __builtin_memcpy(first, &from->v, sizeof(from->v));
    return;
  }
  const item_places<T, N> items(first, step);
  int64 e = 0;
  constexpr int64 kApart = sizeof(lanes<T, N>);
#pragma clang loop unroll(disable)
  for (; e + kSquare<T, N> <= count; e += kSquare<T, N>) {
    turn_square_out<T, N>(reinterpret_cast<const char*>(from + e), kApart, items, step, e);
  }
#pragma clang loop unroll(disable)
  for (; e + kChunk<T> <= count; e += kChunk<T>) {
    turn_chunk_out<T, N>(reinterpret_cast<const char*>(from + e), kApart, items, step, e);
  }
#pragma clang loop unroll(disable) vectorize(disable)
  for (; e < count; ++e) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int l = 0; l < N; ++l) {
      __builtin_memcpy(first + l * step + e * int64(sizeof(T)), reinterpret_cast<const char*>(from + e) + l * sizeof(T),
                       sizeof(T));
    }
  }
}

// A row of vectors from where it lies, or to there. Functions of their own for the same reason.
template <class T, int N>
__attribute__((noinline)) static void copy_in(lanes<T, N>* to, const char* from, int64 step, int64 count) {
#pragma clang loop unroll_count(4)
  for (int64 e = 0; e < count; ++e) {
    __builtin_memcpy(&to[e].v, from + e * step, sizeof(to->v));
  }
}
template <class T, int N>
__attribute__((noinline)) static void copy_out(const lanes<T, N>* from, char* to, int64 step, int64 count) {
#pragma clang loop unroll_count(4)
  for (int64 e = 0; e < count; ++e) {
    __builtin_memcpy(to + e * step, &from[e].v, sizeof(from->v));
  }
}

// Room for that many vectors, cut from the front of `pool`; kiln_room() gives its argument, of which the compiler is to know
// nothing else: that no other room is there.
extern "C" __attribute__((malloc)) void* kiln_room(void* place) noexcept;
template <class T, int N>
KILN_FN lanes<T, N>* cut(unsigned char*& pool, int64 count) {
  auto* const place = static_cast<lanes<T, N>*>(kiln_room(pool));
  pool += (count * int64(sizeof(lanes<T, N>)) + 63) / 64 * 64;
  return place;
}

// Items [begin, end), N at once where a row has as many left. Calls several(pointers, steps) and one(pointers).
template <int Operands, int N, class Several, class One>
KILN_FN void walk_several(const kinds::CpuGufuncLaunch& launch, int64 begin, int64 end, const Several& several,
                          const One& one) {
  const int64 last = launch.rank - 1;
  const int64 columns = launch.shape[last];
  int64 step[Operands];
  for (int k = 0; k < Operands; ++k) {
    step[k] = launch.strides[k * launch.rank + last];
  }
  char* p[Operands];
  const auto advance = [&](int64 items) {
    for (int k = 0; k < Operands; ++k) {
      p[k] += items * step[k];
    }
    begin += items;
  };
  while (begin < end) {
    place_item<Operands>(launch, begin, p);
    const int64 row = columns - begin % columns;
    const int64 stop = end - begin < row ? end : begin + row;
    while (begin + N <= stop) {
      several(p, step);
      advance(N);
    }
    while (begin < stop) {
      one(p);
      advance(1);
    }
  }
}

}  // namespace loops
}  // namespace kiln
