// Changing an element of memory that other threads of a GPU change too.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::loops {

template <int Size>
struct of_size {
  using type = uint8;
};
template <>
struct of_size<2> {
  using type = uint16;
};

// The same value, of which the compiler knows nothing where it would make something wrong of that (portable.hpp): LLVM takes a
// comparison of what was there from the loop below to behind it, where lanes that left the loop early have lost it.
template <class T>
KILN_FN T unknown_value(T x) {
  if constexpr (sizeof(T) == 8) {
    uint64 word = bit_cast<uint64>(x);
    KILN_UNKNOWN(word);
    return bit_cast<T>(word);
  } else if constexpr (sizeof(T) == 4) {
    uint32 word = bit_cast<uint32>(x);
    KILN_UNKNOWN(word);
    return bit_cast<T>(word);
  } else {
    using bits = typename of_size<sizeof(T)>::type;
    uint32 word = bit_cast<bits>(x);
    KILN_UNKNOWN(word);
    return bit_cast<T>(bits(word));
  }
}

// *at = f(*at), for elements of 1, 2, 4 and 8 bytes: compare and swap on the words that the devices have, 32 and 64 bits.
template <class T, class F>
KILN_FN void change(T* at, const F& f) {
  if constexpr (sizeof(T) == 8) {
    auto* const word = reinterpret_cast<uint64*>(at);
    uint64 seen = *word;
    for (;;) {
      T x = bit_cast<T>(seen);
      f(x);
      const uint64 was = atomicCAS(word, seen, bit_cast<uint64>(x));
      if (was == seen) {
        return;
      }
      seen = was;
    }
  } else if constexpr (sizeof(T) == 4) {
    auto* const word = reinterpret_cast<uint32*>(at);
    uint32 seen = *word;
    for (;;) {
      T x = bit_cast<T>(seen);
      f(x);
      const uint32 was = atomicCAS(word, seen, bit_cast<uint32>(x));
      if (was == seen) {
        return;
      }
      seen = was;
    }
  } else {
    // Within its word, whose other elements stay what they are.
    static_assert(sizeof(T) <= 2);
    using bits = typename of_size<sizeof(T)>::type;
    const uint32 offset = uint32(reinterpret_cast<unsigned long long>(at)) & 3;
    // From the pointer, whose kind of memory the compiler knows.
    auto* const word = reinterpret_cast<uint32*>(reinterpret_cast<char*>(at) - offset);
    const uint32 shift = offset * 8;
    const uint32 mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
    uint32 seen = *word;
    for (;;) {
      T x = bit_cast<T>(bits((seen & mask) >> shift));
      f(x);
      const uint32 was = atomicCAS(word, seen, (seen & ~mask) | (uint32(bit_cast<bits>(x)) << shift));
      if (was == seen) {
        return;
      }
      seen = was;
    }
  }
}

}  // namespace kiln::loops
