// Running results on GPUs, of operations that may be applied in any grouping: a team of threads for each line, or for each
// chunk of one. Lines in chunks take two passes: what each chunk but the last amounts to, and the results. The other side of
// ScanSpace in lib/kiln/kernel/scan/gpu.cpp.
#pragma once
#include "kiln/scan/team_gpu.hpp"

namespace kiln::loops {

// The results of a chunk.
template <class Work, int W, int P, class Team>
KILN_FN void scan_chunk(const kinds::ScanSpace& s, Team& t, typename Team::line& line, uint32 chunk, bool all_there) {
  const int64 begin = chunk * s.chunk;
  int64 left = s.extent - begin < s.chunk ? s.extent - begin : s.chunk;
  const int part = t.threads() * W;
  // Long code stands in the kernel once: parts of tiles are right for whole ones, too.
  if constexpr (!Work::long_code) {
    if (all_there) {
#pragma unroll 1
      for (; left >= P * part; left -= P * part) {
        t.whole_tile(line);
        line.skip(P * part);
      }
    }
  }
#pragma unroll 1
  for (; left > 0; left -= part) {
    t.part_of_tile(line, left < part ? int(left) : part);
    line.skip(part);
  }
}

template <class Work, int W, int P>
struct scan {
  using team = scan_team<Work, W, P, false>;
  using value = typename Work::value;
  static constexpr int shared_bytes = 2 * kScanThreads * int(sizeof(value));

  // `totals`: [chunk][line].
  KILN_FN static void run(const kinds::ScanSpace& s, const typename Work::in* x, typename Work::out* y, value* totals,
                          void* shared) {
    team t(s, static_cast<value*>(shared));
    const uint32 chunks = s.pass == kinds::kScanTotals ? s.chunks - 1 : s.chunks;
    const uint32 block = s.first_block + blockIdx.x;
    const uint32 set = chunks == 1 ? block : block / chunks;
    const uint32 chunk = block - set * chunks;
    const uint32 first_line = set * team::lines(s);
    const uint32 number = first_line + t.line_of_block();
    typename team::line line(s, x, y, number);
    line.skip(chunk * s.chunk);
    totals += number;
    t.there = number < s.lines;
    if (s.pass == kinds::kScanTotals) {
      t.carry_on_chunk(line, s.tiles);
      if (t.there && t.thread() == 0) {
        totals[uint64(chunk) * s.lines] = t.carry;
      }
      return;
    }
    if (chunk > 0) {
      t.carry_on_totals(totals, s.lines, chunk);
    }
    scan_chunk<Work, W, P>(s, t, line, chunk, first_line + team::lines(s) <= s.lines);
  }
};

}  // namespace kiln::loops
