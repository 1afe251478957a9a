// CUDA's warps of 32 threads on AMD's GPUs: of 64 lanes that run together, each half is one.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

constexpr int warpSize = 32;

namespace loops {

constexpr uint32 kWarpLanes = 32;

KILN_FN uint32 warp_lane() {
  return uint32(KILN_LANE()) % kWarpLanes;
}
KILN_FN uint32 word_of_lane(uint32, uint32 word, uint32 from) {
  return KILN_SHUFFLE_FROM(word, KILN_LANE() / 32 * 32 + int(from % kWarpLanes));
}
KILN_FN uint64 word_of_lane(uint32 mask, uint64 word, uint32 from) {
  const uint32 low = word_of_lane(mask, uint32(word), from), high = word_of_lane(mask, uint32(word >> 32), from);
  return uint64(high) << 32 | low;
}
KILN_FN uint32 active_lanes(uint32 = 0) {
  return uint32(uint64(KILN_BALLOT(1)) >> KILN_LANE() / 32 * 32);
}
KILN_FN uint32 ballot_of_lanes(uint32 mask, bool x) {
  return uint32(uint64(KILN_BALLOT(x)) >> KILN_LANE() / 32 * 32) & mask;
}
KILN_FN void wait_for_warp(uint32) {
  KILN_WARP_BARRIER();
}
// f(lane, word) for each lane of the mask, in order.
template <class Word, class F>
KILN_FN void each_lane(uint32 mask, Word word, const F& f) {
  const uint32 there = mask & active_lanes();
  for (uint32 lane = 0; lane < kWarpLanes; ++lane) {
    const Word other = word_of_lane(mask, word, lane);
    if ((there >> lane & 1) != 0) f(lane, other);
  }
}

}  // namespace loops

}  // namespace kiln

#define KILN_OWN_WARPS 1
