// How reductions are cut on the CPU.
#include "kernel/reduction/cut.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace {

using namespace kiln::kinds;
using Form = ReductionCut::Form;

struct Work {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> reduced;
  std::vector<std::int64_t> strides;
  bool columns_inside = false;
};

ReductionCut cut(const Work& work, bool ordered = false, bool balanced = false) {
  static const std::uint8_t itemsize[] = {4, 4};
  const CpuReduction kernel{.fold = nullptr,
                            .rows = nullptr,
                            .merge = nullptr,
                            .start = nullptr,
                            .finish = nullptr,
                            .state_size = 4,
                            .accumulator_size = 4,
                            .inputs = 1,
                            .outputs = 1,
                            .index = -1,
                            .itemsize = itemsize,
                            .ordered = ordered,
                            .balanced = balanced,
                            .commutes = true,
                            .reads_outputs = false};
  const std::vector<std::int64_t> zeros(work.strides.size(), 0);
  const std::array<LaunchOperand, 2> operands{{{nullptr, work.strides.data(), 4, false}, {nullptr, zeros.data(), 4, false}}};
  ReductionLaunch launch;
  launch.operands = operands;
  launch.kept = work.kept;
  launch.reduced = work.reduced;
  for (const std::int64_t extent : work.kept) launch.outputs *= extent;
  for (const std::int64_t extent : work.reduced) launch.count *= extent;
  launch.columns_inside = work.columns_inside;
  return cut_reduction(kernel, launch);
}

}  // namespace

TEST_CASE("a long contiguous stretch is folded in leaves of whole blocks") {
  const ReductionCut one = cut({{}, {1'000'000}, {4}});
  CHECK(one.form == Form::fold);
  CHECK_FALSE(one.gathers);
  CHECK(one.leaf % kCpuFoldBlock == 0);
  CHECK(one.leaves == (1'000'000 + one.leaf - 1) / one.leaf);
  const ReductionCut strided = cut({{}, {1'000'000}, {8}});
  CHECK(strided.gathers);
  CHECK(strided.leaf % kCpuFoldBlock == 0);
}

TEST_CASE("outputs side by side are rows, a few of them are unrolled, many short ones are turned") {
  CHECK(cut({{1000}, {1000}, {4, 4000}, true}).form == Form::rows);
  const ReductionCut narrow = cut({{3}, {100'000}, {4, 12}, true});
  CHECK(narrow.form == Form::narrow);
  CHECK(narrow.unrolled * 3 >= 128);
  CHECK(narrow.tiles == 1);
  CHECK(cut({{100'000}, {8}, {32, 4}}).form == Form::rows);
  CHECK(cut({{100'000}, {8}, {32, 4}}).gathers);
  CHECK(cut({{100'000}, {800}, {3200, 4}}).form == Form::fold);
}

TEST_CASE("every output is in one tile, and every tile in one row") {
  for (const std::int64_t columns : {1, 7, 31, 32, 33, 4096, 4097, 10'000}) {
    const ReductionCut rows = cut({{5, columns}, {100}, {columns * 400, 4, columns * 4}, true});
    CHECK(rows.per_row * rows.width >= columns);
    CHECK((rows.per_row - 1) * rows.width < columns);
    CHECK(rows.tiles == 5 * rows.per_row);
  }
}

TEST_CASE("an ordered reduction is shared by outputs only") {
  const ReductionCut ordered = cut({{4}, {1'000'000}, {4'000'000, 4}}, true);
  const ReductionTasks tasks = share_reduction(ordered, true, 1e9, 8);
  CHECK(tasks.chunks == 1);
  CHECK(tasks.count <= 4);
}

TEST_CASE("tasks cover all tiles and leaves, in chunks of a power of two, and small work is one task") {
  const ReductionCut one = cut({{}, {10'000'019}, {4}});
  CHECK(share_reduction(one, false, 1000, 8).count == 1);
  CHECK(share_reduction(one, false, 1e9, 1).count == 1);
  for (const int threads : {2, 3, 8, 64}) {
    const ReductionTasks tasks = share_reduction(one, false, 1e9, threads);
    CHECK(tasks.count == tasks.chunks * one.tiles);
    CHECK((tasks.chunk & (tasks.chunk - 1)) == 0);
    CHECK(tasks.chunk * tasks.chunks >= one.leaves);
    CHECK(tasks.chunk * (tasks.chunks - 1) < one.leaves);
  }
  const ReductionCut many = cut({{100'000}, {800}, {3200, 4}});
  const ReductionTasks batches = share_reduction(many, false, 1e9, 3);
  CHECK(batches.chunks == 1);
  CHECK(batches.batch * batches.count >= many.tiles);
  CHECK(batches.batch * (batches.count - 1) < many.tiles);
}

TEST_CASE("a balanced kernel gets leaves of 2ⁿ elements, wherever rows end") {
  const auto is_power = [](std::int64_t x) { return std::has_single_bit(static_cast<std::uint64_t>(x)); };
  const ReductionCut line = cut({{}, {1'000'000}, {4}}, false, true);
  CHECK(line.form == Form::fold);
  CHECK_FALSE(line.gathers);
  CHECK_FALSE(line.by_runs);
  CHECK(is_power(line.leaf));
  const ReductionCut planes = cut({{}, {1000, 1500}, {16'000, 4}}, false, true);
  CHECK_FALSE(planes.by_runs);
  CHECK(planes.gathers);
  CHECK(is_power(planes.leaf));
  const ReductionCut few = cut({{3}, {100'000}, {4, 12}, true}, false, true);
  CHECK(few.form == Form::narrow);
  CHECK(few.unrolled == 1);
  CHECK(is_power(few.leaf));
  const ReductionCut many = cut({{1000}, {100'000}, {4, 4000}, true}, false, true);
  CHECK(many.form == Form::rows);
  CHECK(many.leaf == kCpuReduceRows);
}
