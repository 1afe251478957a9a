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

#if KILN_DPP
// Lanes of a row read each other directly, and the rows of 32 lanes have one instruction. `distance` is known to the compiler
// where loops over it are unrolled.
template <int Control>
KILN_FN uint32 within_row(uint32 word) {
  return uint32(__builtin_amdgcn_mov_dpp(int(word), Control, 0xf, 0xf, true));
}
KILN_FN uint32 word_of_pair(uint32 word, int distance) {
  constexpr int left = 0x100;  // DPP's row_shl
  if (__builtin_constant_p(distance)) {
    switch (distance) {
      case 1:
        return within_row<left + 1>(word);
      case 2:
        return within_row<left + 2>(word);
      case 4:
        return within_row<left + 4>(word);
      case 8:
        return within_row<left + 8>(word);
      case 16:
        return KILN_ROW_PAIRS(word);
    }
  }
  return KILN_SHUFFLE_DOWN(word, distance);
}
// Other lanes have the value of none.
template <bool Halves>
KILN_FN bool has_pair(int lane, int distance, int count) {
  if constexpr (Halves) {
    return lane < (distance < count - distance ? distance : count - distance);
  } else {
    return (lane & distance) == 0 && lane + distance < count;
  }
}
KILN_FN uint32 word_of_lane(uint32 word, int lane) {
  return uint32(__builtin_amdgcn_readlane(int(word), lane));
}
#else
KILN_FN uint32 word_of_pair(uint32 word, int distance) {
  return KILN_SHUFFLE_DOWN(word, distance);
}
template <bool>
KILN_FN bool has_pair(int lane, int distance, int count) {
  return lane + distance < count;
}
KILN_FN uint32 word_of_lane(uint32 word, int lane) {
  return KILN_SHUFFLE_FROM(word, lane);
}
#endif

// The value of the lane whose number has the bit `distance`, for the one that differs in this bit alone.
template <class T>
KILN_FN T from_pair(const T& x, int distance) {
  return shuffled(x, [&](uint32 word) { return word_of_pair(word, distance); });
}
// The value of one lane, the same for all.
template <class T>
KILN_FN T from_one_lane(const T& x, int lane) {
  return shuffled(x, [&](uint32 word) { return word_of_lane(word, lane); });
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
