// Raw kernels on GPUs. The other side of lib/kiln/kernel/raw/gpu.cpp.
#pragma once
#include "kiln/core/atomics.hpp"
#include "kiln/core/types.hpp"

#include "kiln/raw/abi.hpp"

namespace kiln::loops {

template <class T>
inline constexpr bool adds_at_once = one_of<T, int32, uint32, int64, uint64, float32, float64>;
template <class T>
KILN_FN T add_at_once(T* at, const T& value) {
  if constexpr (same<T, int64>) {
    return int64(atomicAdd(reinterpret_cast<uint64*>(at), uint64(value)));
  } else {
    return atomicAdd(at, value);
  }
}

template <class T>
KILN_FN bool same_bits(const T& a, const T& b) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<uint64>(a) == bit_cast<uint64>(b);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32>(a) == bit_cast<uint32>(b);
  } else if constexpr (sizeof(T) == 2) {
    return bit_cast<uint16>(a) == bit_cast<uint16>(b);
  } else {
    return bit_cast<uint8>(a) == bit_cast<uint8>(b);
  }
}

template <class T, class F>
KILN_FN T change_at(T* at, const F& f) {
  static_assert(sizeof(T) <= 8, "no device changes more than 8 bytes at once");
  T before{};
  change(at, [&](T& x) {
    before = x;
    x = f(x);
  });
  return unknown_value(before);
}

// Runs f(item) for the items of this thread: the whole grid strides over all of them, so that any grid is right.
template <class F>
KILN_FN void each_item(int64 size, const F& f) {
  const int64 step = int64(KILN_GRID_THREADS(x));
  for (int64 item = int64(blockIdx.x) * blockDim.x + threadIdx.x; item < size; item += step) {
    KILN_ENTER_ITEM(item);
    f(item);
  }
}

}  // namespace kiln::loops

#include "kiln/raw/raw.hpp"
