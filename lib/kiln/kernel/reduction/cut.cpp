#include "kernel/reduction/cut.hpp"

#include <algorithm>
#include <bit>

#include "base/ceil_div.hpp"
#include "device/cpu/threads.hpp"

namespace kiln::kinds {
namespace {

using Form = ReductionCut::Form;

// Of states: a tile's rows are read for longer than memory takes to find out where they go on, 0.86 of the read bandwidth in
// 10000 × 10000 float32 instead of 0.73 with 16 KB, which fit the first cache.
constexpr std::int64_t kTileBytes = 64 * 1024;
constexpr std::int64_t kGatherBytes = 32 * 1024;  // of kCpuReduceRows rows in a buffer
constexpr std::int64_t kNarrowLanes = 128;        // adjacent in narrow tiles
constexpr std::int64_t kWide = 32;                // columns from which rows need not be unrolled
constexpr std::int64_t kShort = 64;               // elements up to which many outputs are computed together
constexpr std::int64_t kAcross = 16;              // outputs for which that is worth the transposition
constexpr std::int64_t kDirectLeaf = 65536;
constexpr std::int64_t kGatheredLeaf = 4096;
constexpr std::int64_t kTransposedLeaf = 512;
constexpr std::int64_t kFoldTile = 64;
constexpr int kTasksPerThread = 4;

using base::ceil_div;

}  // namespace

ReductionCut cut_reduction(const CpuReduction& kernel, const ReductionLaunch& launch) noexcept {
  const std::size_t kept = launch.kept.size();
  const std::size_t rank = kept + launch.reduced.size();
  const std::int64_t columns = kept == 0 ? 1 : launch.kept.back();
  const std::int64_t run = launch.reduced.empty() ? 1 : launch.reduced.back();
  std::int64_t widest = 1;
  bool contiguous = true;  // along the innermost reduced dimension
  bool packed_columns = true;
  for (int k = 0; k < kernel.inputs; ++k) {
    const LaunchOperand& operand = launch.operands[static_cast<std::size_t>(k)];
    if (operand.scalar) continue;
    const bool index = k == kernel.index;
    widest = std::max<std::int64_t>(widest, operand.itemsize);
    contiguous = contiguous && (launch.reduced.empty() || operand.strides[rank - 1] == (index ? 1 : operand.itemsize));
    // Numbers that outputs move are listed.
    if (index) {
      packed_columns = packed_columns && (kept == 0 || operand.strides[kept - 1] == 0);
      continue;
    }
    packed_columns = packed_columns && (kept == 0 || operand.strides[kept - 1] == operand.itemsize);
  }
  ReductionCut cut;
  if (kernel.balanced) {
    const bool across = launch.count <= kShort && columns >= kAcross;
    cut.form = across || (launch.columns_inside && columns >= kWide) ? Form::rows
               : launch.columns_inside && columns > 1                ? Form::narrow
                                                                     : Form::fold;
  } else if (kernel.ordered) {
    cut.form = columns >= kCpuReduceRows || (launch.columns_inside && columns > 1) ? Form::rows : Form::fold;
  } else if (launch.columns_inside) {
    cut.form = columns >= kWide || launch.count < kShort || !kernel.commutes ? Form::rows : Form::narrow;
  } else {
    cut.form = launch.count <= kShort && columns >= kAcross ? Form::rows : Form::fold;
  }
  switch (cut.form) {
    case Form::fold: {
      cut.by_runs = !kernel.balanced && (launch.reduced.size() <= 1 || run >= kCpuFoldBlock);
      cut.gathers = launch.reduced.size() > 1 ? !cut.by_runs || !contiguous : !contiguous;
      cut.leaf = cut.gathers ? kGatheredLeaf : kDirectLeaf;
      cut.leaves = cut.by_runs ? ceil_div(run, cut.leaf) * (launch.count / std::max<std::int64_t>(run, 1))
                               : ceil_div(launch.count, cut.leaf);
      cut.width = cut.leaves <= 1 ? std::min(columns, kFoldTile) : 1;
      break;
    }
    case Form::rows: {
      cut.leaf = kCpuReduceRows;
      cut.gathers = !packed_columns;
      cut.leaves = ceil_div(launch.count, cut.leaf);
      std::int64_t most = kTileBytes / kernel.state_size;
      if (!packed_columns) most = std::min(most, kGatherBytes / (kCpuReduceRows * widest));
      const std::int64_t even = ceil_div(columns, ceil_div(columns, most));
      cut.width = std::min(columns, ceil_div(even, 16) * 16);
      break;
    }
    case Form::narrow: {
      cut.width = columns;
      cut.gathers = true;
      if (kernel.balanced) {
        cut.leaf = kTransposedLeaf;
        cut.leaves = ceil_div(launch.count, cut.leaf);
        break;
      }
      cut.unrolled = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(kNarrowLanes, columns))));
      cut.leaf = kCpuReduceRows * cut.unrolled;
      cut.leaves = ceil_div(launch.count, cut.leaf);
      break;
    }
  }
  cut.per_row = ceil_div(columns, cut.width);
  cut.tiles = cut.per_row * (launch.outputs / columns);
  return cut;
}

ReductionTasks share_reduction(const ReductionCut& cut, bool ordered, double work_ns, int threads) noexcept {
  ReductionTasks tasks{.batch = cut.tiles, .chunk = cut.leaves, .chunks = 1, .count = 1};
  if (threads <= 1 || work_ns < cpu::kSerialNs) return tasks;
  const auto wanted = static_cast<std::int64_t>(
      std::clamp(work_ns / (cpu::kSerialNs / 2), 2.0, static_cast<double>(threads) * kTasksPerThread));
  if (cut.tiles >= wanted || ordered || cut.leaves <= 1) {
    tasks.batch = ceil_div(cut.tiles, wanted);
    tasks.count = ceil_div(cut.tiles, tasks.batch);
    return tasks;
  }
  const std::int64_t parts = ceil_div(wanted, cut.tiles);
  tasks.batch = 1;
  tasks.chunk = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(cut.leaves, parts))));
  tasks.chunks = ceil_div(cut.leaves, tasks.chunk);
  tasks.count = cut.tiles * tasks.chunks;
  return tasks;
}

}  // namespace kiln::kinds
