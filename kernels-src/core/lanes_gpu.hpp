// What lanes of a warp tell each other, of any type. All lanes of the warp take part.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln::loops {

// An object seen as 32-bit words, for shuffles.
template <class T>
union words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  T value;
  uint32 w[count];
  KILN_FN words() {}  // members of the user's accumulator may have initializers
};

template <class T, class Shuffle>
KILN_FN T shuffled(const T& x, const Shuffle& shuffle) {
  words<T> all;
  all.value = x;
#pragma unroll
  for (int i = 0; i < words<T>::count; ++i) {
    all.w[i] = shuffle(all.w[i]);
  }
  return all.value;
}
template <class T>
KILN_FN T from_lane_below(const T& x, int distance) {
  return shuffled(x, [&](uint32 word) { return KILN_SHUFFLE_DOWN(word, distance); });
}
template <class T>
KILN_FN T from_lane_above(const T& x, int distance) {
  return shuffled(x, [&](uint32 word) { return KILN_SHUFFLE_UP(word, distance); });
}
template <class T>
KILN_FN T from_lane(const T& x, int lane) {
  return shuffled(x, [&](uint32 word) { return KILN_SHUFFLE_FROM(word, lane); });
}

}  // namespace kiln::loops
