// Random bits by counter: the same numbers give the same 128 bits on every device (J. Salmon et al., "Parallel random numbers:
// as easy as 1, 2, 3", 2011). Nothing is remembered between two calls.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

// Four words of 32 bits.
struct random_bits {
  uint32 a, b, c, d;
  // Of values: a choice between places in memory would keep the four there.
  KILN_FN uint32 operator[](index i) const {
    const uint32 low = (i & 1) != 0 ? uint32(b) : uint32(a), high = (i & 1) != 0 ? uint32(d) : uint32(c);
    return (i & 2) != 0 ? uint32(high) : uint32(low);
  }
};

// Philox4x32 of 10 rounds: the seed is its key, and counter and stream are its counter.
KILN_FN random_bits philox(uint64 seed, uint64 counter, uint64 stream = 0) {
  random_bits x{uint32(counter), uint32(counter >> 32), uint32(stream), uint32(stream >> 32)};
  uint32 key_0 = uint32(seed), key_1 = uint32(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64 p = uint64(0xd2511f53u) * x.a, q = uint64(0xcd9e8d57u) * x.c;
    x = {uint32(q >> 32) ^ x.b ^ key_0, uint32(q), uint32(p >> 32) ^ x.d ^ key_1, uint32(p)};
    key_0 += 0x9e3779b9u;
    key_1 += 0xbb67ae85u;
  }
  return x;
}

KILN_FN void threefry_mix(uint32& x, uint32& y, int turn) {
  x += y;
  y = ((y << turn) | (y >> (32 - turn))) ^ x;
}
// Threefry4x32 of 20 rounds: the key is the seed of 128 bits.
KILN_FN random_bits threefry(uint64 seed, uint64 counter, uint64 stream = 0, uint64 seed_high = 0) {
  uint32 k_0 = uint32(seed), k_1 = uint32(seed >> 32), k_2 = uint32(seed_high), k_3 = uint32(seed_high >> 32);
  uint32 k_4 = 0x1bd11bdau ^ k_0 ^ k_1 ^ k_2 ^ k_3;
  random_bits x{uint32(counter) + k_0, uint32(counter >> 32) + k_1, uint32(stream) + k_2, uint32(stream >> 32) + k_3};
#pragma unroll
  for (uint32 four = 0; four < 5; ++four) {
    const bool odd = (four & 1) != 0;
    threefry_mix(x.a, x.b, odd ? 6 : 10);
    threefry_mix(x.c, x.d, odd ? 20 : 26);
    threefry_mix(x.a, x.d, odd ? 17 : 11);
    threefry_mix(x.c, x.b, odd ? 11 : 21);
    threefry_mix(x.a, x.b, odd ? 25 : 13);
    threefry_mix(x.c, x.d, odd ? 10 : 27);
    threefry_mix(x.a, x.d, odd ? 18 : 23);
    threefry_mix(x.c, x.b, odd ? 20 : 5);
    const uint32 first = k_0;
    k_0 = k_1;
    k_1 = k_2;
    k_2 = k_3;
    k_3 = k_4;
    k_4 = first;
    x = {x.a + k_0, x.b + k_1, x.c + k_2, x.d + k_3 + four + 1};
  }
  return x;
}

}  // namespace kiln
