// What the body of a raw kernel sees on every target: places in the grid, and changes of memory that other threads change, too.
// cpu.hpp and gpu.hpp have what differs, and end in this.
#pragma once
#include "kiln/core/types.hpp"
#include "kiln/core/view.hpp"

namespace kiln {

// A place in a grid or a block, or the extent of one.
struct grid_place {
  uint32 x;
  uint32 y;
  uint32 z;
};

// What grid(2) and grid(3) are.
template <int Dimensions>
struct grid_numbers;
template <>
struct grid_numbers<2> {
  index x;
  index y;
};
template <>
struct grid_numbers<3> {
  index x;
  index y;
  index z;
};

// What grid() and gridsize() of a body ask: where a thread is in the whole grid, and how many threads that has along each axis.
struct thread_in_grid {
  grid_place thread;
  grid_place block;
  grid_place block_size;
  grid_numbers<3> all;
  KILN_FN grid_numbers<3> at() const {
    return {index(block.x) * block_size.x + thread.x, index(block.y) * block_size.y + thread.y,
            index(block.z) * block_size.z + thread.z};
  }
  KILN_FN grid_numbers<3> of() const { return all; }
};
// Items are a grid of one dimension.
struct item_in_grid {
  index item;
  index size;
  KILN_FN grid_numbers<3> at() const { return {item, 0, 0}; }
  KILN_FN grid_numbers<3> of() const { return {size, 1, 1}; }
};

template <int Dimensions>
KILN_FN auto first_of(const grid_numbers<3>& all) {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a grid has 1, 2 or 3 dimensions: grid(1), grid(2), grid(3)");
  if constexpr (Dimensions == 3) {
    return all;
  } else if constexpr (Dimensions == 2) {
    return grid_numbers<2>{all.x, all.y};
  } else {
    return all.x;
  }
}

// What the macros grid and gridsize stand for, under names that no macro of the user's has.
template <int Dimensions, class Here>
KILN_FN auto kiln_grid(const Here& here) {
  return first_of<Dimensions>(here.at());
}
template <int Dimensions, class Here>
KILN_FN auto kiln_gridsize(const Here& here) {
  return first_of<Dimensions>(here.of());
}

namespace loops {
KILN_FN index flat(const grid_place& at, const grid_place& of) {
  return (index(at.z) * of.y + at.y) * of.x + at.x;
}
KILN_FN index count(const grid_place& of) {
  return index(of.x) * of.y * of.z;
}
// The threads of the grid along each axis, and a thread's number among all.
#if KILN_GRID_COUNTS_THREADS
KILN_FN grid_numbers<3> threads_of(const grid_place&, const grid_place&) {
  return {index(KILN_GRID_THREADS(x)), index(KILN_GRID_THREADS(y)), index(KILN_GRID_THREADS(z))};
}
KILN_FN index item_of(const grid_place& thread, const grid_place& block, const grid_place& block_size, const grid_place&) {
  const index rows = block.z * index(KILN_GRID_THREADS(y)) + index(block.y) * block_size.y;
  return rows * (index(KILN_GRID_THREADS(x)) * block_size.z) + block.x * count(block_size) + flat(thread, block_size);
}
#else
KILN_FN grid_numbers<3> threads_of(const grid_place& grid_size, const grid_place& block_size) {
  return {index(grid_size.x) * block_size.x, index(grid_size.y) * block_size.y, index(grid_size.z) * block_size.z};
}
KILN_FN index item_of(const grid_place& thread, const grid_place& block, const grid_place& block_size,
                      const grid_place& grid_size) {
  return flat(block, grid_size) * count(block_size) + flat(thread, block_size);
}
#endif

// A type that no argument decides.
template <class T>
struct exactly {
  using type = T;
};
}  // namespace loops

// Each changes *at in one step, whatever other threads do, and gives what was there before. Elements of 1 to 8 bytes.
template <class T>
KILN_FN T atomic_add(T* at, const typename loops::exactly<T>::type& value) {
  if constexpr (loops::adds_at_once<T>) {
    return loops::add_at_once(at, value);
  } else {
    return loops::change_at(at, [&](T x) { return T(x + value); });
  }
}
template <class T>
KILN_FN T atomic_min(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return value < x ? value : x; });
}
template <class T>
KILN_FN T atomic_max(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return x < value ? value : x; });
}
template <class T>
KILN_FN T atomic_and(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return T(x & value); });
}
template <class T>
KILN_FN T atomic_or(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return T(x | value); });
}
template <class T>
KILN_FN T atomic_xor(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return T(x ^ value); });
}
template <class T>
KILN_FN T atomic_exchange(T* at, const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T) { return value; });
}
// *at becomes `value` where it is `expected`, bit for bit.
template <class T>
KILN_FN T atomic_compare_exchange(T* at, const typename loops::exactly<T>::type& expected,
                                  const typename loops::exactly<T>::type& value) {
  return loops::change_at(at, [&](T x) { return loops::same_bits(x, expected) ? value : x; });
}

}  // namespace kiln
