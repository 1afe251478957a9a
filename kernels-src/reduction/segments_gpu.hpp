// Segments of an axis on GPUs, of any lengths in one launch. The other side of kernels-src/reduction/abi.hpp. How the elements
// of a segment are grouped follows from their number alone, and from whether elements or outputs are neighbours in memory: not
// from other segments, and not from the device.
//
// Where elements are neighbours, a lane takes up to kOfLane of them, a few lanes up to kOfFewLanes, 32 lanes up to
// kLongSegment, and a block a part of a longer segment. Where outputs are neighbours, a lane takes up to kLongColumn elements,
// and the rows of a block's threads share a part of a longer segment.
//
// The elements of one output are rendered for each kernel: load(bytes) reads one at a distance from the first. No segment is
// empty.
#pragma once
#include "kiln/reduction/gpu.hpp"

#include "kiln/reduction/abi.hpp"

namespace kiln::loops {

// What a lane knows of an output: where its elements are, in bytes and along their axis.
template <class Index>
struct segment {
  int64 start;
  Index begin;
  Index length;
};

enum class segments { in_order, rows, columns };

constexpr int kOfLane = 16;
constexpr int kOfFewLanes = 256;
constexpr int kFewLanesBits = 3;  // 2 to the power of it
constexpr int kManyLanesBits = 5;

using lane_mask = decltype(KILN_BALLOT(true));

KILN_FN int lane_of_thread() {
  return int(threadIdx.x % KILN_WARP);
}

// Elements of a warp's segments in shared memory. A gap behind each row of all banks keeps lanes apart whose segments are of
// one length.
template <class T>
struct staged {
  static constexpr int of_lane = sizeof(T) <= 8 ? kOfLane : kOfLane / 2;
  static constexpr unsigned capacity = KILN_WARP * of_lane;
  static constexpr unsigned row = 128 / sizeof(T);
  static constexpr unsigned gap = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  static constexpr unsigned cells = capacity + capacity / row * gap;
  static KILN_FN unsigned place(unsigned i) { return i + i / row * gap; }
};

template <class R, class Elements, segments How>
constexpr int segment_bytes() {
  using state = typename counted<R>::state;
  using element = typename Elements::loaded;
  constexpr int stage = kReduceThreads / KILN_WARP * int(staged<element>::cells * sizeof(element));
  constexpr int block = int(sizeof(state)) * (How == segments::columns ? kReduceThreads : kReduceThreads / KILN_WARP);
  return How == segments::columns || stage < block ? block : stage;
}

// A state of `count` elements that are `step` bytes apart, in batches of L loads of which the first may be smaller.
template <class C, int L, bool InOrder = false, class Source, class Index>
KILN_FN void gather_run(Source source, int64 step, Index count, typename C::state& state) {
  using loaded = typename Source::loaded;
  if (count == 0) {
    return;
  }
  const int head = int(unsigned(count - 1) % L) + 1;
  {
    loaded x[L];
#pragma unroll
    for (int u = 0; u < L; ++u) {
      if (u < head) {
        x[u] = source.load(u * step);
      }
    }
    state = state_of<C>(x[0], 0);
#pragma unroll
    for (int u = 1; u < L; ++u) {
      if (u < head) {
        state = C::combine(state, state_of<C>(x[u], 0));
      }
    }
  }
  source.move(head * step);
#pragma unroll 1
  for (Index left = count - head; left != 0; left -= L) {
    loaded x[L];
#pragma unroll
    for (int u = 0; u < L; ++u) {
      x[u] = source.load(u * step);
    }
    source.move(L * step);
    if constexpr (C::commutes && !InOrder) {
      typename C::state y[L];
#pragma unroll
      for (int u = 0; u < L; ++u) {
        y[u] = state_of<C>(x[u], 0);
      }
      combine_pairs<C, L>(y);
      state = C::combine(state, y[0]);
    } else {
#pragma unroll
      for (int u = 0; u < L; ++u) {
        state = C::combine(state, state_of<C>(x[u], 0));
      }
    }
  }
}

template <class Source>
constexpr int kBatch = sizeof(typename Source::loaded) <= 8 ? 8 : 4;

// The elements of each of 2 to the power of `bits` threads: every so many, or a stretch where neighbours alone are combined.
template <class C, class Index>
struct elements_of_threads {
  Index first;
  Index count;
  Index step;
  int used;  // the threads that have any
  KILN_FN elements_of_threads(Index all, int thread, int bits) {
    if constexpr (C::commutes) {
      first = Index(thread);
      count = all > first ? ((all - first - 1) >> bits) + 1 : 0;
      step = Index(1) << bits;
      used = all < step ? int(all) : int(step);
    } else {
      const Index each = (all + (Index(1) << bits) - 1) >> bits;
      first = Index(thread) * each;
      count = all > first ? (all - first < each ? all - first : each) : 0;
      step = 1;
      used = all == 0 ? 0 : int((all + each - 1) / each);
    }
  }
};

// Up to kOfLane elements in shared memory, from the first to the last.
template <class C, class Loaded>
KILN_FN void in_order_staged(const Loaded* stage, unsigned at, unsigned count, typename C::state& state) {
  using cells = staged<Loaded>;
  constexpr unsigned batch = 5;
  static_assert((kOfLane - 1) % batch == 0);
  state = state_of<C>(stage[cells::place(at)], 0);
#pragma unroll
  for (unsigned b = 1; b < kOfLane; b += batch) {
    if (count > b) {
      Loaded x[batch];
#pragma unroll
      for (unsigned k = 0; k < batch; ++k) {
        if (b + k < count) {
          x[k] = stage[cells::place(at + b + k)];
        }
      }
#pragma unroll
      for (unsigned k = 0; k < batch; ++k) {
        if (b + k < count) {
          state = C::combine(state, state_of<C>(x[k], 0));
        }
      }
    }
  }
}

// Elements that lie together to shared memory: `Whole` of each lane, and as many as half of the cells of which some may not be
// there. All are loaded before the first is stored.
template <int Whole, class Source>
KILN_FN void stage_elements(const Source& source, int64 stride, int count, typename Source::loaded* stage) {
  using loaded = typename Source::loaded;
  using cells = staged<loaded>;
  constexpr int most = Whole + cells::of_lane / 2;
  const int lane = lane_of_thread();
  const int own = count - lane;
  loaded x[most];
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (u < Whole || own > u * KILN_WARP) {
      x[u] = source.load((lane + u * KILN_WARP) * stride);
    }
  }
  loaded* const to = stage + lane + (cells::row < KILN_WARP ? lane / cells::row * cells::gap : 0);
#pragma unroll
  for (int u = 0; u < most; ++u) {
    if (u < Whole || own > u * KILN_WARP) {
      to[cells::place(u * KILN_WARP)] = x[u];
    }
  }
}

// The segments of up to kOfLane elements of a warp, each by its lane, which has `own` where it has one. Where they lie together
// the warp reads them together.
template <class C, class Work, class Index, class Loaded>
KILN_FN void reduce_short(const Work& work, const segment<Index>& own, bool takes, Loaded* stage, typename C::state& state) {
  const lane_mask lanes = KILN_BALLOT(takes);
  if (lanes == 0) {
    return;
  }
  const int64 stride = work.stride();
  const int head = KILN_TRAILING_ZEROS(uint64(lanes));
  const int tail = 63 - KILN_LEADING_ZEROS(uint64(lanes));
  const Index begin = from_one_lane(own.begin, head);
  const Index length = from_one_lane(own.begin + own.length, tail) - begin;
  const int64 start = from_one_lane(own.start, head);
  const Index at = own.begin - begin;
  // Beginnings may be in any order, and outputs of other rows.
  const bool inside = at < length && own.length <= length - at && own.start == start + int64(at) * stride;
  if (length > staged<Loaded>::capacity || KILN_BALLOT(takes && !inside) != 0) {
    if (takes) {
      gather_run<C, 4, true>(work.elements_from(own.start), stride, own.length, state);
    }
    return;
  }
  constexpr int half = staged<Loaded>::of_lane / 2;
  if (length > half * KILN_WARP) {
    stage_elements<half>(work.elements_from(start), stride, int(length), stage);
  } else {
    stage_elements<0>(work.elements_from(start), stride, int(length), stage);
  }
  KILN_WARP_BARRIER();
  if (takes) {
    in_order_staged<C>(stage, unsigned(at), unsigned(own.length), state);
  }
  KILN_WARP_BARRIER();  // before the cells are used again
}

// The segments of a warp with more than `least` and up to `most` elements, by 2 to the power of `bits` lanes each.
template <class C, int bits, class Work, class Index>
KILN_FN void reduce_by_lanes(const Work& work, const segment<Index>& own, int least, int most, typename C::state& state) {
  const int64 stride = work.stride();
  const int lane = lane_of_thread();
  constexpr int groups = KILN_WARP >> bits;
  const bool takes = own.length > Index(least) && own.length <= Index(most);
  lane_mask left = KILN_BALLOT(takes);
#pragma unroll 1
  while (left != 0) {
    const int first = KILN_TRAILING_ZEROS(left);
    const int owner = first + (lane >> bits);
    const int64 start = from_lane(own.start, owner);
    const unsigned length = from_lane(unsigned(own.length), owner);
    const bool there = owner < KILN_WARP && (left >> owner & 1) != 0;
    const int place = lane & ((1 << bits) - 1);
    const elements_of_threads<C, unsigned> part(there ? length : 0, place, bits);
    typename C::state partial;
    gather_run<C, kBatch<typename Work::elements>>(work.elements_from(start + int64(part.first) * stride),
                                                   int64(part.step) * stride, part.count, partial);
    join_warp<C>(partial, place, part.used);
    const typename C::state whole = from_lane(partial, (lane - first) << bits);
    if (takes && lane >= first && lane < first + groups) {
      state = whole;
    }
    left &= ~(((lane_mask(1) << groups) - 1) << first);
  }
}

// A warp for `count` outputs from `first` on.
template <class R, segments How, class Work>
KILN_FN void reduce_segments_of_warp(const Work& work, typename Work::index first, int count, void* shared) {
  using C = counted<R>;
  using index = typename Work::index;
  using loaded = typename Work::elements::loaded;
  const int lane = lane_of_thread();
  const bool there = lane < count;
  constexpr index most = How == segments::columns ? kinds::kLongColumn : kinds::kLongSegment;
  segment<index> own{};
  if (there) {
    own = work.segment_of(first + lane);
  }
  typename C::state state;
  bool done = there;
  if constexpr (How == segments::columns) {
    done = there && own.length <= most;
    if (done) {
      gather_run<C, kBatch<typename Work::elements>>(work.elements_from(own.start), work.stride(), own.length, state);
    }
  } else {
    auto* const stage = static_cast<loaded*>(shared) + threadIdx.x / KILN_WARP * staged<loaded>::cells;
    const bool is_short = there && own.length <= kOfLane;
    reduce_short<C>(work, own, is_short, stage, state);
    if constexpr (How == segments::in_order) {
      if (there && !is_short) {
        gather_run<C, 4, true>(work.elements_from(own.start), work.stride(), own.length, state);
      }
    } else {
      done = there && own.length <= most;
      if (KILN_BALLOT(done && !is_short) != 0) {
        reduce_by_lanes<C, kFewLanesBits>(work, own, kOfLane, kOfFewLanes, state);
        reduce_by_lanes<C, kManyLanesBits>(work, own, kOfFewLanes, int(most), state);
      }
    }
  }
  if (done) {
    work.put(first + lane, C::closed(work, state));
  }
}

// The states that parts left, as the elements of a segment.
template <class C>
struct segment_states {
  using loaded = made_state<typename C::state>;
  const typename C::state* states;
  KILN_FN loaded load(int64 bytes) const { return {*moved(states, bytes)}; }
  KILN_FN void move(int64 bytes) { states = moved(states, bytes); }
};

// A block for a part of some outputs of one segment.
template <class R, segments How, class Work>
KILN_FN void reduce_part(const kinds::SegmentCall& call, const Work& work, uint64 unit, void* shared) {
  using C = counted<R>;
  using state_type = typename C::state;
  constexpr int lanes = How == segments::columns ? kinds::kColumnsOfBlock : 1;
  const uint64 entry = call.groups == 1 ? unit : unit / call.groups;
  const kinds::SegmentPart part = call.table[entry];
  const int row = int(threadIdx.x) / lanes;
  const int lane = int(threadIdx.x) % lanes;
  const uint64 number = (unit - entry * call.groups) * lanes + lane;
  const bool there = lanes == 1 || number < call.of_segment;
  const uint64 outer = number < call.inner ? 0 : call.inner == 1 ? number : number / call.inner;
  const uint64 output = number + (outer * (call.segments - 1) + part.segment) * call.inner;
  auto* const states = static_cast<state_type*>(call.states);
  // Of small elements more are read at once where that takes no addresses of their own.
  using loaded = typename Work::elements::loaded;
  constexpr int batch = kBatch<typename Work::elements> * (Work::contiguous && sizeof(loaded) <= 4 ? 2 : 1);
  state_type state;
  int used = 0;
  if (there) {
    const elements_of_threads<C, uint64> own(part.count, row, lanes == 1 ? 8 : 3);
    used = own.used;
    if (call.combining != 0) {
      const int64 step = int64(call.of_segment) * sizeof(state_type);
      const segment_states<C> source{states + (part.from + own.first) * call.of_segment + number};
      gather_run<C, 4>(source, int64(own.step) * step, own.count, state);
    } else {
      const int64 stride = work.stride();
      const int64 start = work.start_of(output) + int64(part.from + own.first) * stride;
      gather_run<C, batch>(work.elements_from(start), int64(own.step) * stride, own.count, state);
    }
  }
  auto* const cells = static_cast<state_type*>(shared);
  if constexpr (How == segments::columns) {
    cells[threadIdx.x] = state;
    KILN_BARRIER();
    if (row == 0) {
#pragma unroll 1
      for (int r = 1; r < used; ++r) {
        state = C::combine(state, cells[r * lanes + lane]);
      }
    }
    KILN_BARRIER();  // before the cells are used again
  } else {
    join_block<C>(state, used, cells);
  }
  if (!there || row != 0) {
    return;
  }
  if (part.state == kinds::kSegmentResult) {
    work.put(output, C::closed(work, state));
  } else {
    states[part.state * call.of_segment + number] = state;
  }
}

template <class R, segments How, class Work>
KILN_FN void reduce_segments(const kinds::SegmentCall& call, const Work& work, void* shared) {
  using index = typename Work::index;
  const uint64 in_parts = call.parts * call.groups;
  uint64 unit = blockIdx.x;
  if constexpr (How != segments::in_order) {
#pragma unroll 1
    for (; unit < in_parts; unit += KILN_GRID_BLOCKS(kReduceThreads)) {
      reduce_part<R, How>(call, work, unit, shared);
    }
  }
  const index outputs = index(call.outputs);
  const index of_warp = index(call.outputs_of_warp) * (KILN_WARP / 32);
  const index of_block = of_warp * (kReduceThreads / KILN_WARP);
  const uint64 step = uint64(KILN_GRID_BLOCKS(kReduceThreads)) * of_block;
#pragma unroll 1
  for (uint64 of_unit = (unit - in_parts) * of_block; of_unit < outputs; of_unit += step) {
    const index first = index(of_unit) + threadIdx.x / KILN_WARP * of_warp;
    if (first < outputs) {
      reduce_segments_of_warp<R, How>(work, first, int(outputs - first < of_warp ? outputs - first : of_warp), shared);
    }
  }
}

}  // namespace kiln::loops
