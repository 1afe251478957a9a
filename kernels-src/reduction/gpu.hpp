// The loops of reductions on GPUs. The other side of kernels-src/reduction/abi.hpp. Which thread takes what, and so the tree
// that a result is computed by, follows from shapes and strides alone.
//
// The elements of one output are rendered for each kernel, too: load(i) reads pack i, and count(call) says how many packs there
// are.
#pragma once
#include "kiln/core/lanes_gpu.hpp"
#include "kiln/elementwise/gpu_nd.hpp"
#include "kiln/reduction/gather_gpu.hpp"

namespace kiln::loops {

// What the launch tells beside the spaces. `count` and `chunk` are packs of elements.
struct reduction_call {
  uint64 outputs;
  uint64 count;     // of each output
  uint64 chunk;     // of a part
  uint64 parts;     // of each output; more than 1: states of parts go to `scratch`, and a second launch combines them
  void* scratch;    // [part][output]
  int32 combining;  // 1: this is the second launch
  int32 has_initial;
  int32 lane_bits;     // columns: the threads of a block adjacent are 2 to the power of it
  uint64 first;        // of a part of a reduction: the first element
  const void* states;  // of a part of a reduction, combining: [state][output]
  alignas(16) unsigned char initial[16];
};

constexpr int kReduceThreads = 256;

// The states of the first `count` lanes of a warp, in lane 0. All lanes of the warp come here.
template <class C>
KILN_FN void join_warp(typename C::state& state, int lane, int count) {
#pragma unroll
  for (int step = 1; step < KILN_WARP; step *= 2) {
    const int distance = C::commutes ? KILN_WARP / 2 / step : step;
    const typename C::state other = from_pair(state, distance);
    if (has_pair<C::commutes>(lane, distance, count)) {
      state = C::combine(state, other);
    }
  }
}

// The states of the first `count` threads of the block, in thread 0. `cells` is shared and has room for one of each warp.
template <class C>
KILN_FN void join_block(typename C::state& state, int count, typename C::state* cells) {
  const int thread = int(threadIdx.x);
  const int lane = thread % KILN_WARP;
  const int warp = thread / KILN_WARP;
  const int first = warp * KILN_WARP;
  join_warp<C>(state, lane, count - first < KILN_WARP ? count - first : KILN_WARP);
  if (lane == 0) {
    cells[warp] = state;
  }
  KILN_BARRIER();
  if (warp == 0) {
    const int warps = (count + KILN_WARP - 1) / KILN_WARP;
    if (lane < warps) {
      state = cells[lane];
    }
    join_warp<C>(state, lane, warps);
  }
  KILN_BARRIER();  // before the cells are used again
}

// The packs that each thread takes: one of every `threads`, or a stretch where neighbours alone are combined.
template <class C>
struct packs_of_threads {
  uint64 each;  // of a stretch
  uint64 threads;
  uint64 count;
  KILN_FN packs_of_threads(uint64 packs, uint64 among)
      : each(C::commutes ? 0 : (packs + among - 1) / among), threads(among), count(packs) {}
  KILN_FN uint64 first(uint64 thread) const { return C::commutes ? thread : thread * each; }
  KILN_FN uint64 end(uint64 thread) const { return C::commutes || (thread + 1) * each > count ? count : (thread + 1) * each; }
  KILN_FN uint64 step() const { return C::commutes ? threads : 1; }
  // The threads that have a pack at all.
  KILN_FN uint64 used() const {
    if constexpr (C::commutes) {
      return count < threads ? count : threads;
    } else {
      return count == 0 ? 0 : (count + each - 1) / each;
    }
  }
};

// The states that the first launch left, as packs.
template <class C>
struct parts_source {
  using loaded = made_state<typename C::state>;
  using index = uint32;
  const typename C::state* states;  // of this output
  uint64 outputs;
  KILN_FN loaded load(uint64 i) const { return {states[i * outputs]}; }
};

// Packs of a source to a state, which stays as it is where there is none.
template <class Sum, class Source, class State>
KILN_FN void gather_state(const Source& source, uint64 first, uint64 end, uint64 step, State& state) {
  Sum sum;
  if (gather(source, first, end, step, sum)) {
    state = sum.result();
  }
}

// The initial value of a call that has one. It is read by value: an address of a parameter would make each thread copy all of
// them to local memory.
template <class R>
KILN_FN typename R::accumulator initial_of(const reduction_call& call) {
  using accumulator = typename R::accumulator;
  if constexpr (sizeof(accumulator) <= sizeof(call.initial)) {
    return *reinterpret_cast<const accumulator*>(call.initial);
  } else {
    return accumulator();
  }
}

// The result where there are no elements.
template <class R, class Work>
KILN_FN typename R::accumulator result_of_nothing(const reduction_call& call, const Work& work) {
  return call.has_initial != 0 ? initial_of<R>(call) : nothing<R>(work);
}

// `state` has no value where there are no elements.
template <class R, class C, class Work>
KILN_FN void finish(const reduction_call& call, const Work& work, uint64 output, const typename C::state& state) {
  if (call.count == 0) {
    work.put(output, result_of_nothing<R>(call, work));
  } else {
    work.put(output, call.has_initial != 0 ? C::closed_with(state, initial_of<R>(call)) : C::closed(work, state));
  }
}

// The result of an output, or the state of a part of it.
template <class R, class C, class Work>
KILN_FN void settle(const reduction_call& call, const Work& work, uint64 output, uint64 part, const typename C::state& state) {
  if (call.parts > 1 && call.combining == 0) {
    static_cast<typename C::state*>(call.scratch)[part * call.outputs + output] = state;
  } else {
    finish<R, C>(call, work, output, state);
  }
}

KILN_FN uint64 lesser(uint64 a, uint64 b) {
  return a < b ? a : b;
}

// A thread for an output, strictly in order.
template <class R, class Work>
KILN_FN void reduce_in_order(const reduction_call& call, const Work& work) {
  using accumulator = typename R::accumulator;
  const uint64 step = uint64(KILN_GRID_BLOCKS(kReduceThreads)) * kReduceThreads;
  for (uint64 output = uint64(blockIdx.x) * kReduceThreads + threadIdx.x; output < call.outputs; output += step) {
    const auto source = work.source(output);
    const uint64 count = source.count(call);
    if (count == 0) {
      work.put(output, result_of_nothing<R>(call, work));
      continue;
    }
    accumulator value;
    uint64 i = 0;
    if (call.has_initial != 0) {
      value = initial_of<R>(call);
    } else {
      value = source.at(0);
      i = 1;
    }
    for (; i < count; ++i) {
      if (source.counts(i)) {
        value = R::combine(value, source.at(i));
      }
    }
    work.put(output, value);
  }
}

// A thread for an output.
template <class R, int W, int Group, class Work>
KILN_FN void reduce_by_threads(const reduction_call& call, const Work& work) {
  using C = counted<R>;
  const uint64 step = uint64(KILN_GRID_BLOCKS(kReduceThreads)) * kReduceThreads;
  for (uint64 output = uint64(blockIdx.x) * kReduceThreads + threadIdx.x; output < call.outputs; output += step) {
    typename C::state state;
    const auto source = work.source(output);
    gather_state<thread_sum<C, W, Group>>(source, 0, source.count(call), 1, state);
    finish<R, C>(call, work, output, state);
  }
}

// A warp for an output.
template <class R, int W, int Group, class Work>
KILN_FN void reduce_by_warps(const reduction_call& call, const Work& work) {
  using C = counted<R>;
  const int lane = int(threadIdx.x) % KILN_WARP;
  constexpr int warps = kReduceThreads / KILN_WARP;
  const uint64 step = uint64(KILN_GRID_BLOCKS(kReduceThreads)) * warps;
  for (uint64 output = uint64(blockIdx.x) * warps + threadIdx.x / KILN_WARP; output < call.outputs; output += step) {
    typename C::state state;
    const auto source = work.source(output);
    const packs_of_threads<C> packs(source.count(call), KILN_WARP);
    gather_state<thread_sum<C, W, Group>>(source, packs.first(lane), packs.end(lane), packs.step(), state);
    join_warp<C>(state, lane, int(packs.used()));
    if (lane == 0) {
      finish<R, C>(call, work, output, state);
    }
  }
}

// A block for a part of an output.
template <class R, int W, int Group, class Work>
KILN_FN void reduce_by_blocks(const reduction_call& call, const Work& work, void* shared) {
  using C = counted<R>;
  auto* const cells = static_cast<typename C::state*>(shared);
  const uint64 parts = call.combining != 0 ? 1 : call.parts;
  for (uint64 block = blockIdx.x; block < call.outputs * parts; block += KILN_GRID_BLOCKS(kReduceThreads)) {
    const uint64 part = block / call.outputs;
    const uint64 output = block - part * call.outputs;
    typename C::state state;
    int used;
    if (call.combining != 0) {
      const parts_source<C> source{static_cast<const typename C::state*>(call.scratch) + output, call.outputs};
      const packs_of_threads<C> packs(call.parts, kReduceThreads);
      gather_state<thread_sum<C, 1, 4>>(source, packs.first(threadIdx.x), packs.end(threadIdx.x), packs.step(), state);
      used = int(packs.used());
    } else {
      const auto source = work.source(output);
      const uint64 begin = part * call.chunk;
      const packs_of_threads<C> packs(lesser(call.chunk, source.count(call) - begin), kReduceThreads);
      gather_state<thread_sum<C, W, Group>>(source, begin + packs.first(threadIdx.x), begin + packs.end(threadIdx.x),
                                            packs.step(), state);
      used = int(packs.used());
    }
    join_block<C>(state, used, cells);
    if (threadIdx.x == 0) {
      settle<R, C>(call, work, output, part, state);
    }
  }
}

// Blocks take outputs that lie together: each lane `V` of them, and the rows of threads of a block share the elements.
// `outputs` and `parts` are those of the launch.
template <class R, int V, int Group, class Work, class Sources>
KILN_FN void reduce_columns(const reduction_call& call, const Work& work, const Sources& source_of, uint64 parts,
                            typename counted<R>::state* cells) {
  using C = counted<R>;
  const unsigned lanes = 1u << call.lane_bits;
  const unsigned rows = kReduceThreads >> call.lane_bits;
  const unsigned lane = threadIdx.x & (lanes - 1);
  const unsigned row = threadIdx.x >> call.lane_bits;
  const uint64 groups = (call.outputs / V + lanes - 1) >> call.lane_bits;
  for (uint64 block = blockIdx.x; block < groups * parts; block += KILN_GRID_BLOCKS(kReduceThreads)) {
    const uint64 part = parts == 1 ? 0 : block / groups;
    const uint64 output = (((block - part * groups) << call.lane_bits) + lane) * V;
    const bool there = output < call.outputs;
    uint64 used = 0;
    column_sums<C, V, Group> sum;
    if (there) {
      const auto source = source_of(output);
      const uint64 begin = part * call.chunk;
      const packs_of_threads<C> packs(source_of.count(source, begin), rows);
      gather(source, begin + packs.first(row), begin + packs.end(row), packs.step(), sum);
      used = packs.used();
    }
    // Half of the rows give their sums to the others, then half of these, in cells that the step before did not use.
    typename C::state* free = cells;
    unsigned pairs = kReduceThreads / 2;
#pragma unroll 1
    for (unsigned step = 1; step < rows; step *= 2) {
      const unsigned distance = C::commutes ? rows / 2 / step : step;
      const unsigned of_pair = row & (2 * distance - 1);
      const bool takes = C::commutes ? row < distance : of_pair == 0;
      const bool gives = C::commutes ? row >= distance && row < 2 * distance : of_pair == distance;
      const unsigned pair = C::commutes ? row & (distance - 1) : row / (2 * distance);
      typename C::state* const own = free + (pair << call.lane_bits) + lane;
      if (gives) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          own[v * pairs] = sum.sums[v];
        }
      }
      KILN_BARRIER();
      if (takes && row + distance < used) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          sum.sums[v] = C::combine(sum.sums[v], own[v * pairs]);
        }
      }
      free = free == cells ? cells + V * (kReduceThreads / 2) : cells;
      pairs /= 2;
    }
    if (there && row == 0) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        settle<R, C>(call, work, output + v, part, sum.sums[v]);
      }
    }
    KILN_BARRIER();  // before the cells are used again
  }
}

// Elements for the columns of a launch, or states of parts of them.
template <class Work>
struct column_elements {
  const reduction_call& call;
  const Work& work;
  KILN_FN auto operator()(uint64 output) const { return work.source(output); }
  template <class Source>
  KILN_FN uint64 count(const Source& source, uint64 begin) const {
    return lesser(call.chunk, source.count(call) - begin);
  }
};
template <class C>
struct column_parts {
  const reduction_call& call;
  KILN_FN parts_source<C> operator()(uint64 output) const {
    return {static_cast<const typename C::state*>(call.scratch) + output, call.outputs};
  }
  KILN_FN uint64 count(const parts_source<C>&, uint64) const { return call.parts; }
};

template <class R, int V, int Group, class Work>
KILN_FN void reduce_by_columns(const reduction_call& call, const Work& work, void* shared) {
  using C = counted<R>;
  auto* const cells = static_cast<typename C::state*>(shared);
  if (call.combining != 0) {
    reduce_columns<R, 1, 4>(call, work, column_parts<C>{call}, 1, cells);
  } else {
    reduce_columns<R, V, Group>(call, work, column_elements<Work>{call, work}, call.parts, cells);
  }
}

}  // namespace kiln::loops
