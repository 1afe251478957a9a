// What the body of a raw kernel sees on every target: places in the grid, and changes of memory that other threads change, too.
// raw_cpu.hpp and raw_gpu.hpp have what differs, and end in this.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

// A place in a grid or a block, or the extent of one.
struct grid_place {
  uint32 x;
  uint32 y;
  uint32 z;
};

namespace loops {
KILN_FN index flat(const grid_place& at, const grid_place& of) {
  return (index(at.z) * of.y + at.y) * of.x + at.x;
}
KILN_FN index count(const grid_place& of) {
  return index(of.x) * of.y * of.z;
}

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
