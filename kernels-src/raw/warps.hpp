// What threads of a warp tell each other: CUDA's words where the compiler has none (warps_cpu.hpp, warps_hip.hpp), and kiln's,
// which all lanes of the warp call.
#pragma once
#include "kiln/core/types.hpp"

#if KILN_OWN_WARPS

namespace kiln {

namespace loops {

template <int Size>
struct word_of_size {
  using type = uint32;
};
template <>
struct word_of_size<8> {
  using type = uint64;
};

// x with f of each of its words.
template <class T, class F>
KILN_FN T by_words_of(const T& x, const F& f) {
  using word = typename word_of_size<sizeof(T) % 8 == 0 ? 8 : 4>::type;
  constexpr int count = (sizeof(T) + sizeof(word) - 1) / sizeof(word);
  word all[count] = {};
  __builtin_memcpy(all, static_cast<const void*>(&x), sizeof(T));
#pragma unroll
  for (int i = 0; i < count; ++i) all[i] = f(all[i]);
  T result = x;
  __builtin_memcpy(static_cast<void*>(&result), all, sizeof(T));
  return result;
}
template <class T>
KILN_FN T of_lane(uint32 mask, const T& x, uint32 from) {
  return by_words_of(x, [&](auto word) { return word_of_lane(mask, word, from); });
}
template <class T, class F>
KILN_FN T over_lanes(uint32 mask, T x, const F& f) {
  T result{};
  bool any = false;
  each_lane(mask, uint32(x), [&](uint32, uint32 other) {
    result = any ? T(f(result, T(other))) : T(other);
    any = true;
  });
  return result;
}

}  // namespace loops

KILN_FN void __syncwarp(uint32 mask = ~0u) {
  loops::wait_for_warp(mask);
}
#ifndef KILN_CALLERS_PLACE
#define KILN_CALLERS_PLACE 0
#endif
KILN_FN uint32 __activemask(uint32 place = KILN_CALLERS_PLACE) {
  return loops::active_lanes(place);
}
KILN_FN uint32 __ballot_sync(uint32 mask, int x) {
  return loops::ballot_of_lanes(mask, x != 0);
}
KILN_FN int __any_sync(uint32 mask, int x) {
  return loops::ballot_of_lanes(mask, x != 0) != 0;
}
KILN_FN int __all_sync(uint32 mask, int x) {
  return loops::ballot_of_lanes(mask, x == 0) == 0;
}
// Of parts of the warp, of `width` lanes each. Beyond the part's end a lane has its own value.
template <class T>
KILN_FN T __shfl_sync(uint32 mask, T x, int lane, int width = 32) {
  const uint32 me = loops::warp_lane();
  return loops::of_lane(mask, x, (me & ~uint32(width - 1)) + (uint32(lane) & uint32(width - 1)));
}
template <class T>
KILN_FN T __shfl_up_sync(uint32 mask, T x, uint32 distance, int width = 32) {
  const uint32 me = loops::warp_lane();
  return loops::of_lane(mask, x, (me & uint32(width - 1)) < distance ? me : me - distance);
}
template <class T>
KILN_FN T __shfl_down_sync(uint32 mask, T x, uint32 distance, int width = 32) {
  const uint32 me = loops::warp_lane();
  return loops::of_lane(mask, x, (me & uint32(width - 1)) + distance >= uint32(width) ? me : me + distance);
}
template <class T>
KILN_FN T __shfl_xor_sync(uint32 mask, T x, int bits, int width = 32) {
  const uint32 me = loops::warp_lane(), from = me ^ uint32(bits);
  return loops::of_lane(mask, x, from >= (me & ~uint32(width - 1)) + uint32(width) ? me : from);
}
// Which lanes hold the same bits, and whether all do.
template <class T>
KILN_FN uint32 __match_any_sync(uint32 mask, T x) {
  using word = typename loops::word_of_size<sizeof(T)>::type;
  const word own = __builtin_bit_cast(word, x);
  uint32 bits = 0;
  loops::each_lane(mask, own, [&](uint32 lane, word other) { bits |= uint32(other == own) << lane; });
  return bits;
}
template <class T>
KILN_FN uint32 __match_all_sync(uint32 mask, T x, int* all) {
  *all = __all_sync(mask, __match_any_sync(mask, x) == __ballot_sync(mask, 1));
  return *all != 0 ? __ballot_sync(mask, 1) : 0;
}
#define KILN_REDUCE_LANES(name, T, expression)                                                             \
  KILN_FN T name(uint32 mask, T x) {                                                                       \
    return loops::over_lanes(mask, x, [](T a, T b) __attribute__((always_inline)) { return expression; }); \
  }
KILN_REDUCE_LANES(__reduce_add_sync, uint32, a + b)
KILN_REDUCE_LANES(__reduce_min_sync, int, a < b ? a : b)
KILN_REDUCE_LANES(__reduce_min_sync, uint32, a < b ? a : b)
KILN_REDUCE_LANES(__reduce_max_sync, int, a < b ? b : a)
KILN_REDUCE_LANES(__reduce_max_sync, uint32, a < b ? b : a)
KILN_REDUCE_LANES(__reduce_and_sync, uint32, a& b)
KILN_REDUCE_LANES(__reduce_or_sync, uint32, a | b)
KILN_REDUCE_LANES(__reduce_xor_sync, uint32, a ^ b)
#undef KILN_REDUCE_LANES
KILN_FN int __reduce_add_sync(uint32 mask, int x) {
  return int(__reduce_add_sync(mask, uint32(x)));
}

}  // namespace kiln

#else
#include "kiln/core/lanes_gpu.hpp"

#define KILN_CALLERS_PLACE 0

namespace kiln::loops {

KILN_FN uint32 active_lanes(uint32) {
  return __activemask();
}

KILN_FN uint32 warp_lane() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}
template <class T>
KILN_FN T of_lane(uint32 mask, const T& x, uint32 from) {
  return shuffled(x, [&](uint32 word) { return __shfl_sync(mask, word, int(from)); });
}

}  // namespace kiln::loops

#endif

namespace kiln {

// The lane of this thread, from 0 to 31.
KILN_FN int warp_lane() {
  return int(loops::warp_lane());
}
KILN_FN void warp_sync() {
  __syncwarp();
}
// The value of that lane; beyond the warp's ends the lane's own.
template <class T>
KILN_FN T warp_shuffle(const T& x, int lane) {
  return loops::of_lane(~0u, x, uint32(lane) % 32);
}
template <class T>
KILN_FN T warp_shuffle_up(const T& x, int distance) {
  const uint32 me = loops::warp_lane();
  return loops::of_lane(~0u, x, me < uint32(distance) ? me : me - uint32(distance));
}
template <class T>
KILN_FN T warp_shuffle_down(const T& x, int distance) {
  const uint32 me = loops::warp_lane();
  return loops::of_lane(~0u, x, me + uint32(distance) < 32 ? me + uint32(distance) : me);
}
template <class T>
KILN_FN T warp_shuffle_xor(const T& x, int bits) {
  return loops::of_lane(~0u, x, (loops::warp_lane() ^ uint32(bits)) % 32);
}
KILN_FN uint32 warp_ballot(bool x) {
  return __ballot_sync(~0u, x);
}
KILN_FN bool warp_any(bool x) {
  return __any_sync(~0u, x) != 0;
}
KILN_FN bool warp_all(bool x) {
  return __all_sync(~0u, x) != 0;
}
// f over the values of 32 lanes, for every lane; f takes them in any order.
template <class T, class F>
KILN_FN T warp_reduce(T x, const F& f) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const T other = warp_shuffle_xor(x, distance);
    x = f(x, other);
  }
  return x;
}
template <class T>
KILN_FN T warp_sum(const T& x) {
  return warp_reduce(x, [](const T& a, const T& b) { return T(a + b); });
}
template <class T>
KILN_FN T warp_min(const T& x) {
  return warp_reduce(x, [](const T& a, const T& b) { return b < a ? b : a; });
}
template <class T>
KILN_FN T warp_max(const T& x) {
  return warp_reduce(x, [](const T& a, const T& b) { return a < b ? b : a; });
}

}  // namespace kiln
