// Generalized ufuncs on GPUs whose blocks copy cores to shared memory: the lanes of a warp then read and write neighbours in
// global memory, however far apart the cores of their items are. The other side of kernels-src/gufunc/abi.hpp.
#pragma once
#include "kiln/gufunc/gpu.hpp"

#include "kiln/gufunc/abi.hpp"

namespace kiln::loops {

using kinds::staged_bytes;
using kinds::staged_pitch;
using kinds::StagedCall;

// The items of a block: the first one's coordinates, and how many there are.
template <int D>
struct items_of_block {
  place<uint32, D, 1> first;
  uint32 count;
  template <int N>
  KILN_FN items_of_block(const space<uint32, D, N>& s, uint32 i, const StagedCall& call) : first(s, i) {
    first.at[D - 1] *= call.items;
    const uint32 left = call.columns - first.at[D - 1];
    count = left < call.items ? left : call.items;
  }
};

// The smallest power of 2 that is no less, as its exponent; `most` at most.
KILN_FN uint32 exponent_of(uint32 x, uint32 most) {
  const uint32 exponent = x > 1 ? 64 - uint32(KILN_LEADING_ZEROS(uint64(x - 1))) : 0;
  return exponent < most ? exponent : most;
}

// A thread's part of what a block copies: every `by`-th core, or word of a core, from `first` on. `by` is a power of 2;
// `global` and `shared` are bytes from one to the next.
struct copied_part {
  uint32 first, end, by;
  int32 global;
  uint32 shared;
  KILN_FN uint32 last() const { return first + ((end - 1 - first) & ~(by - 1)); }
};

enum class copying { fill, drain };  // shared memory

// An operand's cores of a block: in global memory `step` bytes apart, in shared memory `pitch`. T is const for an input. Words
// of Wide bytes are copied where `wide` says so, else elements. Where lanes have items a thread copies the same word of many
// cores, else many words of a core.
template <class T, int Wide, bool LanesHaveItems>
struct staged_cores {
  unsigned char* shared;
  T* global;
  uint32 pitch;
  int32 step;
  uint32 bytes;  // of a core
  uint32 count;
  uint32 threads;  // a power of 2
  bool wide;

  KILN_FN T* core(uint32 item) const { return reinterpret_cast<T*>(shared + item * pitch); }

  template <copying Direction>
  KILN_FN void copy() const {
    if constexpr (Wide > int(sizeof(T))) {
      if (wide) {
        copy_words<Direction, typename word<Wide>::type>();
        return;
      }
    }
    copy_words<Direction, typename word<int(sizeof(T))>::type>();
  }

 private:
  template <copying Direction, class Word>
  KILN_FN void copy_words() const {
    constexpr uint32 size = sizeof(Word);
    constexpr int batch = size >= 8 ? 4 : 8;
    const uint32 words = bytes / size;
    // Threads that share a core.
    const uint32 exponent = LanesHaveItems ? exponent_of(words, 5) : exponent_of((words + batch - 1) / batch, 8);
    const uint32 column = threadIdx.x & ((1u << exponent) - 1);
    const copied_part cores{threadIdx.x >> exponent, count, threads >> exponent, step, pitch};
    const copied_part of_core{column, words, 1u << exponent, int32(size), size};
    if constexpr (LanesHaveItems) {
      copy_parts<Direction, Word, batch>(of_core, cores);
    } else {
      copy_parts<Direction, Word, batch>(cores, of_core);
    }
  }

  template <copying Direction, class Word, int Batch>
  KILN_FN void copy_parts(const copied_part& outer, const copied_part& inner) const {
    using global_word = typename with_const<Word, same<const T, T>>::type;
    const int64 global_on = int64(inner.global) * inner.by;
    const uint32 shared_on = inner.shared * inner.by;
#pragma unroll 1
    for (uint32 o = outer.first; o < outer.end; o += outer.by) {
      auto* there = reinterpret_cast<global_word*>(moved(global, int64(outer.global) * o + int64(inner.global) * inner.first));
      unsigned char* here = shared + (outer.shared * o + inner.shared * inner.first);
      uint32 i = inner.first;
#pragma unroll 1
      for (; i + (Batch - 1) * inner.by < inner.end; i += Batch * inner.by) {
        copy_some<Direction, Word, Batch>(there, here, global_on, shared_on);
      }
#pragma unroll 1
      for (; i < inner.end; i += inner.by) {
        copy_some<Direction, Word, 1>(there, here, global_on, shared_on);
      }
    }
  }

  // All are loaded before one is stored. Moves the addresses on.
  template <copying Direction, class Word, int Count, class Global>
  KILN_FN static void copy_some(Global*& there, unsigned char*& here, int64 global_on, uint32 shared_on) {
    Word value[Count];
    Global* const first = there;
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      value[k] = Direction == copying::fill ? *there : *reinterpret_cast<const Word*>(here + k * shared_on);
      there = moved(there, global_on);
    }
    Global* to = first;
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      if constexpr (Direction == copying::fill) {
        *reinterpret_cast<Word*>(here + k * shared_on) = value[k];
      } else {
        *to = value[k];
        to = moved(to, global_on);
      }
    }
    here += Count * shared_on;
  }
};

// Zeros in shared memory: a multiple of 16 bytes.
KILN_FN void clear_shared(unsigned char* shared, uint32 bytes, uint32 threads) {
#pragma unroll 1
  for (uint32 at = threadIdx.x * 16; at < bytes; at += threads * 16) {
    *reinterpret_cast<word16*>(shared + at) = word16{};
  }
}

}  // namespace kiln::loops
