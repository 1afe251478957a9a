// Walks the index space of a CPU launch for a kernel that only computes whole blocks. Whatever does not lie in memory as the
// kernel reads it (rests of rows, short rows, strided operands) goes through buffers. So every element goes through the same
// vector loop, and its value does not depend on its place or on how the work was cut.
#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "device/cpu/cache_line.hpp"
#include "kernel/elementwise/runs.hpp"

namespace kiln::kinds {
namespace {

constexpr std::int64_t kStreamBytes = 4096;  // of an output, before it goes past the cache
constexpr std::int64_t kDirect = 512;        // rows of which as many elements are left are not put together with others
// Lanes of strided operands in a row. The speed over 1e5 float32, beside a loop written by hand, is 0.95; with 256, 512, 1024
// or 4096 lanes it is 0.88, 0.92, 0.93 or 0.87.
constexpr std::int64_t kStrided = 2048;
// Lanes of rows that are walked together, if no operand is transposed: with 1024 a column over rows of 37 took 0.146 ns an
// element, with 2048 0.131, with 4096 0.114 and with 8192 0.121.
constexpr std::int64_t kInRows = 4096;
// And bytes of them: of a mask for 300 of 310 columns 52 rows, a number of whole blocks, where 13 left a part of one each time.
constexpr std::int64_t kBytesInRows = 4 * kInRows;
// Bytes of a row of an operand that does not go on, from which on the others are not kept as one long row for its sake.
constexpr std::int64_t kDirectBytes = 4 * kDirect;
constexpr std::int64_t kMaxRank = 64;
constexpr std::int64_t kLeastTile = 4;  // rows for which it is worth to walk across rows
// Whole rows where a part of a line's elements is read at a time, for masks and other small elements: saxpy over 1000 × 1000
// with a transposed mask 1.27 times the time without, in tiles 1.55. (Of float32 8 rows of 16: 1.6 times the time of tiles.)
constexpr std::int64_t kTallEnough = 16;

class Driver : Runs {
 public:
  Driver(const CpuLaunch& launch, const CpuKernelParts& kernel) : Runs(launch, kernel) {
    for (int k = 0; k < operands_; ++k) {
      misplaced_ = misplaced_ || misplaced(k);
      strided_ = strided_ || how(k) == Access::strided;
    }
  }

  void flat(std::int64_t begin, std::int64_t end) {
    move_on(begin);
    const std::int64_t count = end - begin;
    std::int64_t done = 0;
    if (launch_.past_cache && !misplaced_) {
      done = past_cache(count / kCpuBlock * kCpuBlock);
    }
    if (done < count) {
      direct(count - done);
    }
  }

  void nested(std::int64_t begin, std::int64_t end) {
    const std::int64_t rank = launch_.rank;
    std::int64_t rest = begin;
    for (std::int64_t d = rank - 1; d >= 0; --d) {
      index_[d] = rest % launch_.shape[d];
      rest /= launch_.shape[d];
      for (int k = 0; k < operands_; ++k) {
        at_[k] += index_[d] * stride(k, d);
      }
    }
    const bool few = end - begin <= kCpuBlock;  // not worth the choice
    const std::int64_t tall = strided_ && !few ? tile_rows() : 0;
    if (const std::int64_t together = !few && outputs_go_on() ? rows_together(tall) : 0; together > 0) {
      rows(end - begin, together);
    } else {
      mixed(end - begin, tall);
    }
  }

 private:
  [[nodiscard]] std::int64_t inner() const { return launch_.shape[launch_.rank - 1]; }

  // Whether it goes on from row to row, as if there was one dimension.
  [[nodiscard]] bool goes_on(int k) const {
    for (std::int64_t d = launch_.rank - 2; d >= 0; --d) {
      if (stride(k, d) != stride(k, d + 1) * launch_.shape[d + 1]) {
        return false;
      }
    }
    return how(k) == Access::contiguous;
  }

  [[nodiscard]] bool outputs_go_on() const {
    for (int k = kernel_.inputs; k < operands_; ++k) {
      if (!goes_on(k)) {
        return false;
      }
    }
    return true;
  }

  // Whether all rows are the same one.
  [[nodiscard]] bool same_rows(int k) const {
    for (std::int64_t d = launch_.rank - 2; d >= 0; --d) {
      if (stride(k, d) != 0) {
        return false;
      }
    }
    return true;
  }

  // Rows that are walked together because an operand's elements lie together across them: a cache line of it. 0: there is none.
  [[nodiscard]] std::int64_t tile_rows() const {
    std::int64_t rows = 0;
    for (int k = 0; k < operands_; ++k) {
      const std::int64_t across = std::abs(stride(k, launch_.rank - 2));
      if (how(k) == Access::strided && across != 0 && across < std::abs(stride_[k])) {
        rows = std::max<std::int64_t>({rows, cpu::kCacheLine / size(k), kLeastTile});
      }
    }
    return rows;
  }

  // Rows that there is room for at once; 0: tiles are better, or every row for itself.
  std::int64_t rows_together(std::int64_t tall) {
    bool every_lane = false;
    bool few_lanes = false;
    std::int64_t lane_bytes = 0;
    for (int k = 0; k < operands_; ++k) {
      in_buffer_[k] = streamed(k) && !goes_on(k);
      if (in_buffer_[k] && how(k) == Access::contiguous && inner() * size(k) >= kDirectBytes && !same_rows(k)) {
        return 0;
      }
      (by_row(k) ? few_lanes : every_lane) |= in_buffer_[k];
      lane_bytes += in_buffer_[k] ? size(k) : 0;
    }
    lay_out(tall > 0 ? BroadcastRows::kEndless : std::max(kInRows, kBytesInRows / std::max<std::int64_t>(lane_bytes, 1)));
    // Behind the few lanes of the last row there is room for a block.
    const std::int64_t by_few = (lanes_ - kCpuBlock) / kCpuRowLanes;
    std::int64_t most = long_rows() && !every_lane ? by_few : lanes_ / inner();
    if (long_rows() && few_lanes) most = std::min(most, by_few);
    // The blocks of so many rows are full.
    const std::int64_t even = kCpuBlock / std::min(inner() & -inner(), kCpuBlock);
    if (most < std::min(tall, kTallEnough)) return 0;
    return most > even ? most - most % even : most;
  }

  // A few lanes are enough for the value of such a row.
  [[nodiscard]] bool long_rows() const { return inner() >= kCpuRowLanes; }

  void set_in_buffer() {
    for (int k = 0; k < operands_; ++k) {
      in_buffer_[k] = misplaced(k);
    }
  }

  // The operands that need no buffer are one long row: only the others are walked row by row.
  void rows(std::int64_t count, std::int64_t most) {
    for (int k = 0; k < kernel_.inputs; ++k) {
      same_[k] = in_buffer_[k] && same_rows(k);
      kept_[k] = 0;
    }
    const std::int64_t columns = inner();
    const std::int64_t& column = index_[launch_.rank - 1];
    const std::int64_t& row = index_[launch_.rank - 2];
    char* place[kMaxOperands];
    while (count > 0) {
      for (int k = 0; k < operands_; ++k) {
        place[k] = in_buffer_[k] ? buffer_[k] : at_[k];
      }
      const BroadcastRows broadcast = long_rows() ? BroadcastRows{columns, column} : BroadcastRows{};
      const std::int64_t now = std::min(count, column > 0 ? columns - column : most * columns);
      const bool from_start = column == 0;
      bool any_to_fill = false;
      for (int k = 0; k < kernel_.inputs; ++k) {
        to_fill_[k] = in_buffer_[k] && !(from_start && now <= kept_[k]);
        any_to_fill = any_to_fill || to_fill_[k];
      }
      std::int64_t rows = 0;
      for (std::int64_t lane = 0; lane < now;) {
        const std::int64_t left = now - lane;
        const std::int64_t whole = column == 0 ? std::min(left / columns, launch_.shape[launch_.rank - 2] - row) : 0;
        const std::int64_t taken = whole > 0 ? whole * columns : std::min(left, columns - column);
        if (any_to_fill) {
          fill(lane, rows, std::max<std::int64_t>(whole, 1), whole > 0 ? columns : taken);
        }
        lane += taken;
        rows += std::max<std::int64_t>(whole, 1);
        if (whole > 0) {
          next_row(whole);
        } else {
          step(taken);
        }
      }
      compute(place, now, broadcast);
      count -= now;
      // What is the same in all rows need not be read again (its lanes behind `now` may have been overwritten).
      for (int k = 0; k < kernel_.inputs; ++k) {
        kept_[k] = same_[k] && from_start ? now : 0;
      }
    }
  }

  // Reads so many rows (or a part of one) for the lanes from `lane`, the `row`th of the buffer.
  void fill(std::int64_t lane, std::int64_t row, std::int64_t rows, std::int64_t columns) {
    for (int k = 0; k < kernel_.inputs; ++k) {
      if (!to_fill_[k]) {
        continue;
      }
      const bool few = by_row(k) && long_rows();
      const std::int64_t wide = few ? kCpuRowLanes : columns;
      gather(buffer_[k] + (few ? row * kCpuRowLanes : lane) * size(k), at_[k],
             {rows, stride(k, launch_.rank - 2), wide, stride_[k], wide * size(k)}, size(k));
    }
  }

  // Along a row, and on to the next at its end.
  void step(std::int64_t count) {
    std::int64_t& column = index_[launch_.rank - 1];
    move_on(count);
    column += count;
    if (column == inner()) {
      column = 0;
      move_on(-inner());
      next_row(1);
    }
  }

  // Any layout: tiles across rows, long rows one by one, short ones put together.
  void mixed(std::int64_t count, std::int64_t tall) {
    const std::int64_t& column = index_[launch_.rank - 1];
    const std::int64_t& row = index_[launch_.rank - 2];
    while (count > 0) {
      const std::int64_t whole = column > 0 ? 0 : std::min(count / inner(), launch_.shape[launch_.rank - 2] - row);
      const std::int64_t left = std::min(inner() - column, count);
      if (tall > 0 && whole >= kLeastTile && inner() >= kCpuBlock) {
        flush();
        tiles(whole, tall);
        next_row(whole);
        count -= whole * inner();
      } else if (left >= kDirect) {
        flush();
        direct(left);
        step(left);
        count -= left;
      } else {
        const std::int64_t free = room();
        const std::int64_t together = std::min(whole, free / inner());
        const std::int64_t taken = together > 0 ? together * inner() : std::min(left, free);
        append(std::max<std::int64_t>(together, 1), together > 0 ? inner() : taken);
        if (together > 0) {
          next_row(together);
        } else {
          step(taken);
        }
        count -= taken;
        if (taken == free) {
          flush();
        }
      }
    }
    flush();
  }

  // A stretch of one row, or of a launch in one dimension. at_ stays where it is.
  void direct(std::int64_t count) {
    set_in_buffer();
    lay_out(strided_ ? kStrided : kCpuBlock);
    if (!misplaced_) {
      compute(at_, count);
      return;
    }
    const std::int64_t chunk = strided_ ? lanes_ : count;
    char* place[kMaxOperands];
    for (int k = 0; k < operands_; ++k) {
      place[k] = in_buffer_[k] ? buffer_[k] : at_[k];
      if (by_row(k)) {
        repeat(buffer_[k], at_[k], size(k), kCpuBlock);
      }
    }
    for (std::int64_t done = 0; done < count; done += chunk) {
      const std::int64_t now = std::min(chunk, count - done);
      for (int k = 0; strided_ && k < kernel_.inputs; ++k) {
        if (how(k) == Access::strided) {
          gather(buffer_[k], at_[k] + done * stride_[k], row(k, now), size(k));
        }
      }
      compute(place, now, {.columns = BroadcastRows::kEndless});
      for (int k = 0; k < operands_; ++k) {
        if (!in_buffer_[k]) {
          place[k] += now * stride_[k];
        } else if (!input(k)) {
          scatter(at_[k] + done * stride_[k], row(k, now), buffer_[k], size(k));
        }
      }
    }
  }

  // Whole rows from at_, in tiles of `tall` rows at most: whatever is misplaced is gathered for a tile at once.
  void tiles(std::int64_t count, std::int64_t tall) {
    set_in_buffer();
    lay_out(BroadcastRows::kEndless);
    tall = std::min({tall, count, lanes_ / kCpuBlock});
    // As wide as there is room for, and about the same for all.
    const std::int64_t widest = lanes_ / tall / kCpuBlock * kCpuBlock;
    const std::int64_t blocks = (inner() + widest - 1) / widest;
    const std::int64_t wide = ((inner() + blocks - 1) / blocks + kCpuBlock - 1) / kCpuBlock * kCpuBlock;
    for (std::int64_t r = 0; r < count; r += tall) {
      for (std::int64_t c = 0; c < inner(); c += wide) {
        tile(r, std::min(tall, count - r), c, std::min(wide, inner() - c), wide);
      }
    }
  }

  void tile(std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns, std::int64_t pitch) {
    char* place[kMaxOperands];
    std::int64_t down[kMaxOperands];
    const auto across = [&](int k) { return stride(k, launch_.rank - 2); };
    const auto here = [&](int k) { return at_[k] + first_row * across(k) + first_column * stride_[k]; };
    const auto wide = [&](int k) { return by_row(k) ? kCpuRowLanes : pitch; };
    const auto whole = [&](int k) {
      return CpuTile{rows, across(k), by_row(k) ? kCpuRowLanes : columns, stride_[k], wide(k) * size(k)};
    };
    for (int k = 0; k < operands_; ++k) {
      place[k] = in_buffer_[k] ? buffer_[k] : streamed(k) ? here(k) : at_[k];
      down[k] = in_buffer_[k] ? wide(k) * size(k) : streamed(k) ? across(k) : 0;
      if (in_buffer_[k] && input(k)) {
        gather(buffer_[k], here(k), whole(k), size(k));
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      compute(place, columns, {.columns = BroadcastRows::kEndless});
      for (int k = 0; k < operands_; ++k) {
        place[k] += down[k];
      }
    }
    for (int k = kernel_.inputs; k < operands_; ++k) {
      if (in_buffer_[k]) {
        scatter(here(k), whole(k), buffer_[k], size(k));
      }
    }
  }

  // Whole blocks, with the outputs stored past the cache: they are computed into a buffer and copied in whole lines.
  std::int64_t past_cache(std::int64_t count) {
    std::int64_t widest = 1;
    char* place[kMaxOperands];
    for (int k = 0; k < operands_; ++k) {
      in_buffer_[k] = !input(k);
      widest = std::max(widest, input(k) ? 1 : size(k));
    }
    lay_out(kStreamBytes / widest);
    for (std::int64_t done = 0; done < count; done += lanes_) {
      const std::int64_t now = std::min(lanes_, count - done);
      for (int k = 0; k < operands_; ++k) {
        place[k] = in_buffer_[k] ? buffer_[k] : at_[k];
      }
      compute(place, now);
      for (int k = kernel_.inputs; k < operands_; ++k) {
        copy_past_cache(at_[k], buffer_[k], now * size(k) / cpu::kCacheLine);
      }
      move_on(now);
    }
#if defined(__x86_64__)
    __builtin_ia32_sfence();  // such stores are not ordered before the next release
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    return count;
  }

  // From the start of a row to that of a later one of the same dimension, or of the next.
  void next_row(std::int64_t rows) {
    const std::int64_t rank = launch_.rank;
    index_[rank - 2] += rows;
    for (int k = 0; k < operands_; ++k) {
      at_[k] += rows * stride(k, rank - 2);
    }
    for (std::int64_t d = rank - 2; d > 0 && index_[d] == launch_.shape[d]; --d) {
      index_[d] = 0;
      ++index_[d - 1];
      for (int k = 0; k < operands_; ++k) {
        at_[k] += stride(k, d - 1) - launch_.shape[d] * stride(k, d);
      }
    }
  }

  bool misplaced_ = false;
  bool strided_ = false;
  std::int64_t index_[kMaxRank];
  std::int64_t kept_[kMaxOperands];  // lanes that still hold what the start of a row needs
  bool same_[kMaxOperands];
  bool to_fill_[kMaxOperands];
};

}  // namespace

void drive_cpu_kernel(const CpuLaunch* launch, std::int64_t begin, std::int64_t end, const CpuKernelParts* kernel) {
  Driver driver(*launch, *kernel);
  if (launch->rank == 1) {
    driver.flat(begin, end);
  } else {
    driver.nested(begin, end);
  }
}

}  // namespace kiln::kinds
