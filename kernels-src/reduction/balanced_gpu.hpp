// The loop of a part of a reduction on GPUs, by the balanced tree over the numbers of its elements: see balanced_cpu.hpp. Each
// thread takes up to K neighbours, and threads that are neighbours are joined in pairs. A launch makes one state of up to
// K * kReduceThreads elements; where an output has more, the states are the elements of the next launch.
#pragma once
#include "kiln/reduction/gpu.hpp"

namespace kiln::loops {

// Elements [i, i + left) of a source, at most N of them.
template <class C, int N, class Source>
KILN_FN typename C::state balanced_sum(const Source& source, uint64 i, uint64 left) {
  if constexpr (N == 1) {
    return state_of<C>(source.load(i), 0);
  } else {
    typename C::state sum = balanced_sum<C, N / 2>(source, i, left);
    if (left > N / 2) {
      sum = C::combine(sum, balanced_sum<C, N / 2>(source, i + N / 2, left - N / 2));
    }
    return sum;
  }
}

// x[0] becomes what all N of them amount to, neighbours first.
template <class C, int N>
KILN_FN void combine_neighbours(typename C::state* x) {
  if constexpr (N > 1) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      x[i] = C::combine(x[2 * i], x[2 * i + 1]);
    }
    combine_neighbours<C, N / 2>(x);
  }
}

template <class C, int K, class Source>
KILN_FN typename C::state balanced_part(const Source& source, uint64 i, uint64 left) {
  if (left < K) {
    return balanced_sum<C, K>(source, i, left);
  }
  typename Source::loaded x[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    x[k] = source.load(i + k);
  }
  typename C::state y[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    y[k] = state_of<C>(x[k], 0);
  }
  combine_neighbours<C, K>(y);
  return y[0];
}

// The elements of an output from the first that the launch takes on.
template <class Source>
struct elements_from {
  using loaded = typename Source::loaded;
  const Source source;
  const uint64 first;
  KILN_FN loaded load(uint64 i) const { return source.load(first + i); }
};
template <class Work>
struct balanced_elements {
  const reduction_call& call;
  const Work& work;
  KILN_FN auto operator()(uint64 output) const {
    const auto source = work.source(output);
    return elements_from<decltype(work.source(output))>{source, call.first};
  }
};
template <class C>
struct balanced_states {
  const reduction_call& call;
  KILN_FN parts_source<C> operator()(uint64 output) const {
    return {static_cast<const typename C::state*>(call.states) + output, call.outputs};
  }
};

// Threads of a block: 2 to the power of lane_bits outputs, each by the others.
template <class R, int K, class Work, class Sources>
KILN_FN void reduce_balanced_from(const reduction_call& call, const Work& work, const Sources& source_of,
                                  typename counted<R>::state* cells) {
  using C = counted<R>;
  const unsigned lanes = 1u << call.lane_bits;
  const unsigned rows = kReduceThreads >> call.lane_bits;
  const unsigned lane = threadIdx.x & (lanes - 1);
  const unsigned row = threadIdx.x >> call.lane_bits;
  const uint64 groups = (call.outputs + lanes - 1) >> call.lane_bits;
  for (uint64 block = blockIdx.x; block < groups * call.parts; block += KILN_GRID_BLOCKS(kReduceThreads)) {
    const uint64 part = call.parts == 1 ? 0 : block / groups;
    const uint64 output = ((block - part * groups) << call.lane_bits) + lane;
    const uint64 first = (part * rows + row) * K;
    const bool any = output < call.outputs && first < call.count;
    typename C::state state;
    if (any) {
      state = balanced_part<C, K>(source_of(output), first, call.count - first);
    }
#pragma unroll 1
    for (unsigned step = 1; step < rows; step *= 2) {
      const bool gives = (row & (2 * step - 1)) == step;
      if (any && gives) {
        cells[threadIdx.x] = state;
      }
      KILN_BARRIER();
      if (any && (row & (2 * step - 1)) == 0 && first + uint64(step) * K < call.count) {
        state = C::combine(state, cells[threadIdx.x + (step << call.lane_bits)]);
      }
    }
    if (any && row == 0) {
      if (call.parts > 1) {
        static_cast<typename C::state*>(call.scratch)[part * call.outputs + output] = state;
      } else {
        finish<R, C>(call, work, output, state);
      }
    }
    KILN_BARRIER();  // before the cells are used again
  }
}

template <class R, int K, class Work>
KILN_FN void reduce_balanced(const reduction_call& call, const Work& work, void* shared) {
  using C = counted<R>;
  auto* const cells = static_cast<typename C::state*>(shared);
  if (call.combining != 0) {
    reduce_balanced_from<R, K>(call, work, balanced_states<C>{call}, cells);
  } else {
    reduce_balanced_from<R, K>(call, work, balanced_elements<Work>{call, work}, cells);
  }
}

}  // namespace kiln::loops
