// Warps of 32 threads on the CPU. Threads exchange values through memory of the block. Neighbours that are computed at once and
// are whole warps are in lockstep; others wait for their warp, and resume_warps() lets them go on.
#pragma once
#include "kiln/raw/cuda_cpu.hpp"

extern "C" {
// Between accesses of lanes that are in lockstep: they stay in order.
__attribute__((convergent)) void kiln_lockstep();
// As kiln_lanes(), in kiln_threads().
__attribute__((const)) kiln::int64 kiln_together();
}

namespace kiln::loops {

constexpr uint32 kWarp = 32;
// As a default argument: where the function is called. It is not 0.
#define KILN_CALLERS_PLACE (1u << 31 | uint32(__builtin_LINE()) << 12 ^ uint32(__builtin_COLUMN()))

KILN_FN uint32 thread_number() {
  return (kiln_here.thread.z * kiln_here.block_size.y + kiln_here.thread.y) * kiln_here.block_size.x + kiln_here.thread.x;
}
KILN_FN uint32 warp_lane() {
  return thread_number() % kWarp;
}
KILN_FN uint32 all_lanes_of_warp() {
  const uint32 threads = kiln_here.block_size.x * kiln_here.block_size.y * kiln_here.block_size.z;
  const uint32 behind = threads - thread_number() / kWarp * kWarp;
  return behind >= kWarp ? ~0u : (1u << behind) - 1;
}

// What each thread of the block has posted.
template <class Word>
KILN_FN Word* posted() {
  KILN_SHARED Word all[1024];
  return all;
}

KILN_FN bool are_in_lockstep() {
#if KILN_DEBUG
  return false;
#else
  return kiln_together() % kWarp == 0 && kiln_here.whole;
#endif
}

// The lanes of the mask come here before any of them goes on.
KILN_FN void wait_for_warp(uint32 mask) {
  if (are_in_lockstep()) {
    kiln_lockstep();
    return;
  }
  kiln_here.waits[thread_number()] = mask;
  barrier();
}

// What the lane number `from` has; all lanes of the mask call it.
template <class Word>
KILN_FN Word word_of_lane(uint32 mask, Word word, uint32 from) {
  Word* const all = posted<Word>();
  const uint32 me = thread_number();
  all[me] = word;
  wait_for_warp(mask);
  const Word result = all[me / kWarp * kWarp + from % kWarp];
  wait_for_warp(mask);
  return result;
}

// f(lane, word) for each lane of the mask, in order; all of them call it.
template <class Word, class F>
KILN_FN void each_lane(uint32 mask, Word word, const F& f) {
  Word* const all = posted<Word>();
  const uint32 me = thread_number();
  all[me] = word;
  wait_for_warp(mask);
  const uint32 there = mask & all_lanes_of_warp();
  for (uint32 lane = 0; lane < kWarp; ++lane) {
    if ((there >> lane & 1) != 0) f(lane, all[me / kWarp * kWarp + lane]);
  }
  wait_for_warp(mask);
}

// A bit for each lane of the mask.
KILN_FN uint32 ballot_of_lanes(uint32 mask, bool x) {
  if (mask == ~0u && are_in_lockstep()) {
    const uint32 me = thread_number();
    uint32 all = uint32(x) << me % kWarp;
#pragma unroll
    for (uint32 distance = kWarp / 2; distance > 0; distance /= 2) all |= word_of_lane(mask, all, me ^ distance);
    return all;
  }
  uint32 bits = 0;
  each_lane(mask, uint32(x), [&](uint32 lane, uint32 other) { bits |= other << lane; });
  return bits;
}
// Those of the warp that call it at the same place. Lanes that have gone another way do not come, and nobody waits for them.
KILN_FN uint32 active_lanes(uint32 place) {
  uint32* const asks = kiln_here.asks;
  const uint32 me = thread_number();
  asks[me] = place;
  if (!are_in_lockstep()) {
    wait_for_warp(all_lanes_of_warp());
    const uint32 answer = asks[me];  // by resume_warps_cpu.hpp
    asks[me] = 0;
    return answer;
  }
  kiln_lockstep();
  uint32 lanes = 0;
  for (uint32 lane = 0; lane < kWarp; ++lane) lanes |= uint32(asks[me / kWarp * kWarp + lane] != 0) << lane;
  kiln_lockstep();
  asks[me] = 0;
  return lanes;
}

}  // namespace kiln::loops

#define KILN_OWN_WARPS 1
