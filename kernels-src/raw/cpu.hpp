// Raw kernels on the CPU: items, or blocks whose threads run one after the other. The other side of kernels-src/raw/abi.hpp.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/raw/abi.hpp"

namespace kiln::loops {

template <int Size>
struct word_of;
template <>
struct word_of<1> {
  using type = uint8;
};
template <>
struct word_of<2> {
  using type = uint16;
};
template <>
struct word_of<4> {
  using type = uint32;
};
template <>
struct word_of<8> {
  using type = uint64;
};

template <class T>
inline constexpr bool adds_at_once = one_of<T, int8, int16, int32, int64, uint8, uint16, uint32, uint64>;
template <class T>
KILN_FN T add_at_once(T* at, const T& value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

// For types that are not trivially copyable, too: complex numbers (KILN_COMPLEX_TRIVIAL).
template <class To, class From>
KILN_FN To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}

template <class T>
KILN_FN bool same_bits(const T& a, const T& b) {
  using word = typename word_of<sizeof(T)>::type;
  return bits_as<word>(a) == bits_as<word>(b);
}

template <class T, class F>
KILN_FN T change_at(T* at, const F& f) {
  static_assert(sizeof(T) <= 8, "no device changes more than 8 bytes at once");
  using word = typename word_of<sizeof(T)>::type;
  word* const words = reinterpret_cast<word*>(at);
  word seen = __atomic_load_n(words, __ATOMIC_RELAXED);
  while (true) {
    const word wanted = bits_as<word>(T(f(bits_as<T>(seen))));
    if (__atomic_compare_exchange_n(words, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return bits_as<T>(seen);
    }
  }
}

// Runs f(thread, block, block_size, grid_size) for each thread of the blocks [begin, end); Alone: of one thread each.
template <bool Alone, class F>
KILN_FN void each_thread(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, const F& f);

}  // namespace kiln::loops

#include "kiln/raw/raw.hpp"

namespace kiln::loops {

template <bool Alone, class F>
KILN_FN void each_thread(const kinds::CpuRawLaunch* launch, int64 begin, int64 end, const F& f) {
  const grid_place grid{uint32(launch->grid[0]), uint32(launch->grid[1]), uint32(launch->grid[2])};
  const grid_place threads{uint32(launch->block[0]), uint32(launch->block[1]), uint32(launch->block[2])};
  for (int64 b = begin; b < end; ++b) {
    const grid_place block{uint32(b % grid.x), uint32(b / grid.x % grid.y), uint32(b / grid.x / grid.y)};
    const auto one = [&](uint32 x, uint32 y, uint32 z) __attribute__((always_inline)) {
#if KILN_DEBUG
      debug::enter_thread(block.x, block.y, block.z, x, y, z);
#endif
      f(grid_place{x, y, z}, block, threads, grid);
    };
    if constexpr (Alone) {
      one(0, 0, 0);
      continue;
    }
    for (uint32 z = 0; z < threads.z; ++z) {
      for (uint32 y = 0; y < threads.y; ++y) {
        // Neighbours along x are lanes, where there are more than a few.
        if (threads.x < 8) {
#pragma clang loop vectorize(disable)
          for (uint32 x = 0; x < threads.x; ++x) one(x, y, z);
          continue;
        }
#pragma clang loop vectorize(assume_safety)
        for (uint32 x = 0; x < threads.x; ++x) one(x, y, z);
      }
    }
  }
}

}  // namespace kiln::loops
