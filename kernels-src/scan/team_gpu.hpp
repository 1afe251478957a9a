// Threads of a GPU that go through a line, or a chunk of one, together: some lanes of a warp, or those of several warps of a
// block. A team takes a tile of elements at a time. A lane has packs of neighbours in it; what each pack amounts to runs
// through the lanes, and then through the warps.
#pragma once
#include "kiln/reduction/gpu.hpp"
#include "kiln/scan/line_gpu.hpp"
#include "kiln/scan/look_back_gpu.hpp"

namespace kiln::loops {

constexpr int kScanThreads = 256;
// Lanes that count as a warp, also where the device's have 64: results are the same on all devices.
constexpr int kScanLanes = 32;
constexpr int kScanWarps = kScanThreads / kScanLanes;

// As reductions combine.
template <class Work>
struct scan_combination {
  using state = typename Work::value;
  static constexpr bool commutes = Work::commutes;
  template <class Loaded>
  static KILN_FN state one(const Loaded& x, int w) {
    state r;
    Work::first(r, x.v[w]);
    return r;
  }
  static KILN_FN state combine(const state& a, const state& b) {
    state r;
    Work::join(r, a, b);
    return r;
  }
};

// One thread's part of a team. Tiles have P packs of W elements for each lane. Functions are called by all threads of a block.
// LooksBack: the team is the block, its line is cut into chunks of a tile, and each waits for those before it.
template <class Work, int W, int P, bool LooksBack>
struct scan_team {
  using value = typename Work::value;
  using in_pack = pack<typename Work::in, W>;
  using combination = scan_combination<Work>;
  using line = scan_line<typename Work::in, typename Work::out, W>;
  static constexpr int unrolled = Work::long_code ? 1 : kScanWarps;

  value* cells;  // the line's, of the first warp; twice, as those of a tile are read while those of the next are written
  int turn;
  int lane_bits;
  int lanes;  // of each warp
  int lane;
  int warps;
  int warp;
  bool there;  // there is such a line

  // What ran before the next element.
  value carry;
  bool carried;

  // LooksBack: the line's chunks, of which this is one, until what ran before it is known.
  chunk_totals<combination> totals;
  uint32 chunk;
  bool last_chunk;
  bool waits;

  KILN_FN scan_team(const kinds::ScanSpace& s, value* shared)
      : turn(0),
        lane_bits(LooksBack ? 5 : s.lane_bits),
        lanes(1 << lane_bits),
        warps(LooksBack ? kScanWarps : 1 << s.warp_bits),
        carried(false),
        totals(nullptr, 0),
        waits(LooksBack) {
    const int all = int(threadIdx.x) / kScanLanes;
    lane = int(threadIdx.x) & (lanes - 1);
    warp = all & (warps - 1);
    cells = shared + (all - warp) * kScanLanes + line_of_warp();
  }
  // Lines that a block has.
  KILN_FN static uint32 lines(const kinds::ScanSpace& s) {
    return LooksBack ? 1 : uint32(kScanThreads) >> (s.lane_bits + s.warp_bits);
  }
  // Which of them is this thread's. Neighbouring lines are in one warp.
  KILN_FN uint32 line_of_block() const {
    const int group = int(threadIdx.x) / kScanLanes / warps;
    return uint32(group * (kScanLanes >> lane_bits) + line_of_warp());
  }
  KILN_FN int line_of_warp() const { return (int(threadIdx.x) % kScanLanes) >> lane_bits; }

  KILN_FN int thread() const { return (warp << lane_bits) + lane; }
  KILN_FN int threads() const { return warps << lane_bits; }

  // Carries on with so many whole tiles.
  KILN_FN void carry_on_chunk(const line& l, uint32 tiles) {
    constexpr bool spread = combination::commutes;  // else each thread takes neighbours
    value x;
    if (there) {
      thread_sum<combination, W, P> sum;
      const int step = (spread ? threads() : 1) * W;
      const char* from = l.in_at(spread ? int64(thread() * W) : thread() * int64(tiles) * (W * P));
      const int64 next = int64(step) * P * l.in_stride;
      in_pack packs[P];
      l.load(packs, from, step);
      sum.start(packs[0]);
#pragma unroll
      for (int p = 1; p < P; ++p) {
        sum.template add<1>(packs + p);
      }
#pragma unroll 1
      while (--tiles > 0) {
        from += next;
        l.load(packs, from, step);
#pragma unroll
        for (int p = 0; p < P; p += sum.group) {
          sum.template add<sum.group>(packs + p);
        }
      }
      x = sum.result();
    }
    carry_on(x, there ? threads() : 0);
  }

  // Carries on with what the first `count` chunks amount to; from one total to the next it is `step`.
  KILN_FN void carry_on_totals(const value* totals, uint32 step, uint32 count) {
    const packs_of_threads<combination> mine(count, uint64(threads()));
    const uint32 end = uint32(mine.end(uint64(thread()))), by = uint32(mine.step());
    uint32 i = uint32(mine.first(uint64(thread())));
    value sum;
    if (there && i < end) {
      constexpr uint32 together = Work::long_code ? 1 : 4;
      sum = totals[uint64(i) * step];
      i += by;
#pragma unroll 1
      for (; i + (together - 1) * by < end; i += together * by) {
        value x[together];
#pragma unroll
        for (uint32 k = 0; k < together; ++k) {
          x[k] = totals[uint64(i + k * by) * step];
        }
#pragma unroll
        for (uint32 k = 0; k < together; ++k) {
          sum = joined(sum, x[k]);
        }
      }
      if constexpr (together > 1) {
#pragma unroll 1
        for (; i < end; i += by) {
          sum = joined(sum, totals[uint64(i) * step]);
        }
      }
    }
    carry_on(sum, there ? int(mine.used()) : 0);
  }

  // The results of a tile, for a block whose lines are all there.
  KILN_FN void whole_tile(const line& l) {
    const int step = lanes * W;
    const int first = warp * P * step + lane * W;
    value x[P][W];
    {
      in_pack loaded[P];
      l.load(loaded, l.in_at(first), step);
#pragma unroll
      for (int p = 0; p < P; ++p) {
#pragma unroll
        for (int w = 0; w < W; ++w) {
          Work::first(x[p][w], loaded[p].v[w]);
        }
      }
    }
    value before[P];
    const bool begins = through_packs(x, before, W, lanes - 1, warps);
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int w = 0; w < W; ++w) {
        if (p > 0 || !begins) {
          x[p][w] = joined(before[p], x[p][w]);
        }
      }
    }
    after_chunks_before(x);
    pack<typename Work::out, W> y[P];
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int w = 0; w < W; ++w) {
        Work::last(y[p].v[w], x[p][w]);
      }
    }
    l.store(y, l.out_at(first), step);
  }

  // The results of the next `count` elements, of one pack for each lane at most.
  KILN_FN void part_of_tile(const line& l, int count) {
    const int begin = thread() * W;
    const int own = there ? count - begin : 0;
    const int packs = (count + W - 1) / W;
    value x[1][W];
#pragma unroll
    for (int w = 0; w < W; ++w) {
      if (w < own) {
        Work::first(x[0][w], l.element(begin + w));
      }
    }
    value before[1];
    const bool begins = through_packs(x, before, own, last_lane(packs), there ? warps_of(packs) : 0);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      if (w < own && !begins) {
        x[0][w] = joined(before[0], x[0][w]);
      }
    }
    after_chunks_before(x);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      if (w < own) {
        Work::last(l.result(begin + w), x[0][w]);
      }
    }
  }

 private:
  KILN_FN static value joined(const value& a, const value& b) { return combination::combine(a, b); }

  // Of the first `count` threads of the team, the last one in this warp, and the warps that they are in.
  KILN_FN int last_lane(int count) const {
    const int here = count - (warp << lane_bits);
    return here < lanes ? here - 1 : lanes - 1;
  }
  KILN_FN int warps_of(int count) const { return (count + lanes - 1) >> lane_bits; }

  // What runs through the lanes up to this one, of those that have a value: the first ones.
  KILN_FN value through_lanes(value x, bool has) const {
#pragma unroll(unrolled)
    for (int distance = 1; distance < kScanLanes; distance *= 2) {
      const value other = from_lane_above(x, distance);
      if (has && lane >= distance) {
        x = joined(other, x);
      }
    }
    return x;
  }

  // Carries on with what each of the first `count` warps amounts to, which its lane `last` has. `before` becomes what ran up to
  // this warp; true if nothing did.
  KILN_FN bool through_warps(const value& total, value& before, int last, int count) {
    value* const own = cells + turn;
    turn ^= kScanThreads;
    if (lane == last && warp < count) {
      own[warp * kScanLanes] = total;
    }
    KILN_BARRIER();
    const bool first = !carried && warp == 0;
    before = carry;
    if (count > 0) {
      carry = carried ? joined(carry, own[0]) : own[0];
    }
    carried = true;
#pragma unroll(unrolled)
    for (int k = 1; k < kScanWarps; ++k) {
      if (k == warp) {
        before = carry;
      }
      if (k < count) {
        carry = joined(carry, own[k * kScanLanes]);
      }
    }
    return first;
  }

  // Running results of the chunk become the line's.
  template <int Packs>
  KILN_FN void after_chunks_before(value (&x)[Packs][W]) {
    if constexpr (LooksBack) {
      value before;
      if (waits && take_over(before)) {
#pragma unroll
        for (int p = 0; p < Packs; ++p) {
#pragma unroll
          for (int w = 0; w < W; ++w) {
            x[p][w] = joined(before, x[p][w]);
          }
        }
      }
    }
  }

  // Behind what the chunk itself has: tells others what it amounts to, and carries on from what runs up to it, which `before`
  // becomes; false if nothing does.
  KILN_FN bool take_over(value& before) {
    value* const running = cells + 1;  // no line of this block has it
    if (warp == 0) {
      const value found = totals.look_back(chunk, carry, lane, last_chunk);
      if (lane == 0 && chunk > 0) {
        *running = found;
      }
    }
    waits = false;
    if (chunk == 0) {
      return false;
    }
    KILN_BARRIER();
    before = *running;
    carry = joined(before, carry);
    return true;
  }

  // Carries on with what the first `count` threads have.
  KILN_FN void carry_on(const value& x, int count) {
    const int last = last_lane(count);
    value before;
    through_warps(through_lanes(x, lane <= last), before, last, warps_of(count));
  }

  // x becomes what runs through each pack, and `before` what runs up to it; true if nothing runs up to the first. Of the last
  // pack there are `own` elements. `last` and `count` are those of through_warps().
  template <int Packs>
  KILN_FN bool through_packs(value (&x)[Packs][W], value (&before)[Packs], int own, int last, int count) {
    value running[Packs];
#pragma unroll
    for (int p = 0; p < Packs; ++p) {
      running[p] = x[p][0];
#pragma unroll
      for (int w = 1; w < W; ++w) {
        if (w < own) {
          x[p][w] = running[p] = joined(running[p], x[p][w]);
        }
      }
      running[p] = through_lanes(running[p], own > 0);
    }
    value all = running[0];
    if (lane == last) {
#pragma unroll
      for (int p = 1; p < Packs; ++p) {
        all = joined(all, running[p]);
      }
    }
    value sum;
    const bool first = through_warps(all, sum, last, count);
#pragma unroll
    for (int p = 0; p < Packs; ++p) {
      const bool has = p > 0 || !first;
      const value below = from_lane_above(running[p], 1);
      before[p] = sum;
      if (lane > 0 && own > 0) {
        before[p] = has ? joined(sum, below) : below;
      }
      if (p < Packs - 1) {
        const value total = from_lane(running[p], int(threadIdx.x) - lane + last);
        sum = has ? joined(sum, total) : total;
      }
    }
    return first && lane == 0;
  }
};

}  // namespace kiln::loops
