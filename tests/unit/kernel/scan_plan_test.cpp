// How a GPU's threads share a scan: by shape, strides and dtypes alone.
#include <doctest/doctest.h>

#include "kernel/scan/plan.hpp"
#include "kernel/scan/spec.hpp"
#include "recording_backend.hpp"

using kiln::DType;
using kiln::kinds::may_look_back;
using kiln::kinds::scan_plan;
using kiln::kinds::scan_tile;
using kiln::kinds::ScanCode;
using kiln::kinds::ScanLaunch;
using kiln::kinds::ScanPlan;
using kiln::kinds::ScanSpec;

namespace {

/// Lines of float32, C-contiguous with the axis as the last, or in front of the others.
ScanPlan plan(std::int64_t extent, std::int64_t lines, bool along = true) {
  return scan_plan({.extent = extent,
                    .input_stride = along ? 4 : 4 * lines,
                    .output_stride = along ? 4 : 4 * lines,
                    .shape = {lines},
                    .input_strides = {along ? 4 * extent : 4},
                    .output_strides = {along ? 4 * extent : 4},
                    .reorderable = true,
                    .itemsize = 4,
                    .tile = {.width = 4, .packs = 4}});
}

/// Lanes and warps for a line, and chunks.
std::vector<std::int64_t> shares(const ScanPlan& plan) {
  return {std::int64_t{1} << plan.lane_bits, std::int64_t{1} << plan.warp_bits, plan.chunks};
}

using Shares = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("scan: what a lane takes at once follows from the widest dtype") {
  const auto tile = [](DType input, DType compute, DType output, ScanCode code = ScanCode::small) {
    const auto found = scan_tile(ScanSpec{.input = {input, compute}, .output = output, .code = code});
    return std::vector<int>{found.width, found.packs};
  };
  CHECK(tile(DType::float32, DType::float32, DType::float32) == std::vector<int>{4, 4});
  CHECK(tile(DType::int8, DType::int64, DType::int64) == std::vector<int>{2, 4});
  CHECK(tile(DType::float32, DType::float32, DType::complex128) == std::vector<int>{1, 4});
  CHECK(tile(DType::float16, DType::float16, DType::float16) == std::vector<int>{8, 2});
  CHECK(tile(DType::bool_, DType::bool_, DType::bool_) == std::vector<int>{8, 2});
  CHECK(tile(DType::float64, DType::float64, DType::float64, ScanCode::large) == std::vector<int>{2, 1});
}

TEST_CASE("scan: lines along contiguous memory") {
  CHECK(shares(plan(3, 1'000'000)) == Shares{1, 1, 1});
  CHECK(shares(plan(64, 1'000'000)) == Shares{4, 1, 1});
  CHECK(shares(plan(1024, 65'536)) == Shares{32, 1, 1});
  CHECK(shares(plan(100'000, 1000)) == Shares{32, 4, 1});
  CHECK(shares(plan(100'000, 300)) == Shares{32, 8, 1});
  // Too few lines: they are cut, unless they are short.
  CHECK(shares(plan(16'384, 1)) == Shares{32, 8, 1});
  CHECK(shares(plan(16'385, 1)) == Shares{32, 8, 5});
  CHECK(shares(plan(1 << 26, 1)) == Shares{32, 8, 2048});
  CHECK(shares(plan(1 << 26, 16)) == Shares{32, 8, 128});
  // No more chunks than a chunk has elements.
  const ScanPlan long_line = plan(std::int64_t{1} << 40, 1);
  CHECK(long_line.chunk >= 1 << 20);
  CHECK(long_line.chunks * long_line.chunk >= std::int64_t{1} << 40);
  CHECK(long_line.chunk == long_line.tiles * 4096);
}

TEST_CASE("scan: chunks of an exact function look back where a block has one of them") {
  const auto launch = [](std::int64_t extent, std::int64_t lines, bool along) {
    const std::int64_t step = along ? 4 : 4 * lines;
    return ScanLaunch{.extent = extent,
                      .input_stride = step,
                      .output_stride = step,
                      .shape = {lines},
                      .input_strides = {along ? 4 * extent : 4},
                      .output_strides = {along ? 4 * extent : 4},
                      .reorderable = true,
                      .itemsize = 4,
                      .tile = {.width = 4, .packs = 4}};
  };
  for (const std::int64_t lines : {1, 3, 200}) {
    ScanLaunch long_lines = launch(1 << 20, lines, true);
    CHECK(may_look_back(long_lines));
    long_lines.looks_back = true;
    const ScanPlan found = scan_plan(long_lines);
    CHECK(shares(found) == Shares{32, 8, 256});
    CHECK(found.chunk == 4096);
    CHECK(found.blocks == lines);
  }
  CHECK_FALSE(may_look_back(launch(16'384, 1, true)));
  CHECK_FALSE(may_look_back(launch(1 << 20, 300, true)));
  CHECK_FALSE(may_look_back(launch(1 << 20, 8, false)));
  ScanLaunch ordered = launch(1 << 20, 1, true);
  ordered.reorderable = false;
  CHECK_FALSE(may_look_back(ordered));
}

TEST_CASE("scan: lines beside each other") {
  CHECK(shares(plan(1000, 1'000'000, false)) == Shares{1, 1, 1});
  CHECK(shares(plan(1000, 16'384, false)) == Shares{1, 4, 1});
  CHECK(shares(plan(1000, 3000, false)) == Shares{4, 8, 1});
  // Whole sectors are read of few lines, and no lanes wait for lines that there are not.
  CHECK(shares(plan(10'000, 100, false)) == Shares{4, 8, 20});
  CHECK(shares(plan(1'000'000, 3, false)) == Shares{8, 8, 977});
  CHECK(shares(plan(5, 3, false)) == Shares{1, 1, 1});
}

TEST_CASE("scan: more lines than 32 bits count are several launches") {
  kiln::test::RecordingBackend gpu(8);
  ScanLaunch launch{.extent = 2,
                    .input_stride = 1,
                    .output_stride = 1,
                    .shape = {3, std::int64_t{1} << 30},
                    .input_strides = {std::int64_t{1} << 31, 2},
                    .output_strides = {std::int64_t{1} << 31, 2},
                    .reorderable = true,
                    .tile = {.width = 4, .packs = 4}};
  launch.input = launch.output = reinterpret_cast<void*>(0x10000);  // NOLINT(performance-no-int-to-ptr)
  kiln::kinds::launch(gpu, *gpu.load("", "k"), launch, {.queue = nullptr, .keep = nullptr});
  REQUIRE(gpu.dispatches.size() == 2);
  CHECK(gpu.dispatches[0].shape.grid[0] == 3 << 21);
  kiln::test::RecordingBackend limited(8, 1 << 20);
  kiln::kinds::launch(limited, *limited.load("", "k"), launch, {.queue = nullptr, .keep = nullptr});
  CHECK(limited.dispatches.size() == 2 * (3 << 21 >> 12));
}
