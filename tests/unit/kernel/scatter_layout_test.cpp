// Which kernel of a GPU a launch of Ufunc::at runs.
#include <doctest/doctest.h>

#include "kernel/scatter/layout.hpp"
#include "kernel/scatter/spec.hpp"

using namespace kiln;
using namespace kiln::kinds;

namespace {

constexpr std::int64_t kPositions = 10'000'000;

ScatterLaunch flat(std::int64_t positions, std::int64_t extent) {
  ScatterLaunch launch;
  launch.indices.push_back({.dtype = DType::int32, .extent = extent, .stride = 4, .strides = {4}});
  launch.shape = {positions};
  launch.itemsize = 4;
  launch.value_strides = {0, 0};
  return launch;
}

ScatterSpec sum() {
  return {.target = {DType::float32, DType::float32}, .result = DType::float32, .atomic = Atomic::add};
}

ScatterLayout chosen(const ScatterLaunch& launch, const ScatterSpec& spec = sum()) {
  return layout_of(launch, spec);
}

ScatterLayout of_one_dimension(bool bins) {
  ScatterLayout expected{.arrays = 1, .rank = 1, .bins = bins};
  expected.indices[0] = DType::int32;
  return expected;
}

}  // namespace

TEST_CASE("scatter: indices of one dimension, into elements and into rows") {
  CHECK(chosen(flat(kPositions, kPositions)) == of_one_dimension(false));
  ScatterLaunch rows = flat(1000, 1 << 20);
  rows.row_shape = {64};
  rows.target_strides = {4};
  rows.indices[0].stride = 256;
  CHECK(chosen(rows).row_rank == 1);
  rows.row_shape = {4, 3, 2};
  rows.target_strides = {400, 40, 4};
  CHECK(chosen(rows).row_rank == 3);
  CHECK(chosen(rows).rank == 1);
}

TEST_CASE("scatter: bins where they fit a block and each is changed often") {
  CHECK(chosen(flat(kPositions, 1000)) == of_one_dimension(true));
  CHECK(chosen(flat(512'000, 1000)).bins);
  CHECK_FALSE(chosen(flat(511'999, 1000)).bins);
  CHECK(chosen(flat(kPositions, 12'287)).bins);  // and one for what is out of range
  CHECK_FALSE(chosen(flat(kPositions, 12'288)).bins);
  ScatterSpec ordered = sum();
  ordered.ordered = true;
  CHECK_FALSE(chosen(flat(kPositions, 1000), ordered).bins);
  ScatterSpec other = sum();
  other.atomic = Atomic::none;
  CHECK_FALSE(chosen(flat(kPositions, 1000), other).bins);
  ScatterLaunch odd = flat(kPositions, 1000);
  odd.indices[0].stride = 6;
  CHECK_FALSE(chosen(odd).bins);
}

TEST_CASE("scatter: the window of a target reaches from its lowest address to the end of its highest element") {
  ScatterLaunch launch = flat(10, 5);
  CHECK(window_of(launch).origin == 0);
  CHECK(window_of(launch).bytes == 20);
  launch.indices[0].stride = -12;
  CHECK(window_of(launch).origin == 48);
  CHECK(window_of(launch).bytes == 52);
  launch.row_shape = {3};
  launch.target_strides = {100};
  CHECK(window_of(launch).origin == 48);
  CHECK(window_of(launch).bytes == 252);
  CHECK(changes_of(launch) == 30);
}

TEST_CASE("scatter: 64-bit indices for what has more than 31 bits, and for offsets") {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  CHECK_FALSE(chosen(flat(kMany - 1, 10)).wide_index);
  CHECK(chosen(flat(kMany, 10)).wide_index);
  CHECK(chosen(flat(10, kMany / 4)).wide_index);
  ScatterLaunch far = flat(10, 10);
  far.value_strides = {kMany, 0};
  CHECK(chosen(far).wide_index);
  CHECK(chosen(flat(10, 0)).wide_index);
}

TEST_CASE("scatter: the kernel for any layout takes what others do not, and stands in for them") {
  ScatterLaunch deep = flat(1 << 10, 5);
  deep.shape.assign(4, 2);
  deep.indices[0].strides.assign(4, 100);
  deep.row_shape.assign(5, 2);
  deep.target_strides.assign(5, 1000);
  CHECK(chosen(deep).any());
  CHECK(stand_ins(of_one_dimension(true)) == std::vector{of_one_dimension(true), of_one_dimension(false), ScatterLayout{}});
  CHECK(stand_ins(of_one_dimension(false)) == std::vector{of_one_dimension(false), ScatterLayout{}});
  CHECK(stand_ins(ScatterLayout{}) == std::vector{ScatterLayout{}});
  const std::vector<ScatterLayout> usual = usual_layouts(sum());
  REQUIRE(usual.size() == 7);
  CHECK(usual[0].any());
  CHECK(usual[1].indices[0] == DType::int64);
  CHECK(usual[4] == of_one_dimension(false));
  CHECK(usual[5].row_rank == 1);
  CHECK(usual[6] == of_one_dimension(true));
  CHECK(usual_layouts({.ordered = true}).size() == 5);
}
