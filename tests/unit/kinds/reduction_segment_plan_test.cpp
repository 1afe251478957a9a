// Whether the segments of reduceat share a launch on a GPU, and who takes an output there.
#include "kinds/reduction/segment_plan.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kinds/reduction/launch.hpp"

namespace {

using namespace kiln;
using kinds::Mapping;
using kinds::SegmentLengths;

/// The class of segments of one axis of a contiguous float32 array, of which `rows` lie outside it and `columns` inside.
kinds::ReductionClass class_of(std::int64_t rows, std::int64_t columns, const SegmentLengths& lengths, bool ordered = false) {
  const std::int64_t extent = 1 << 20;
  const std::int64_t n = lengths.segments;
  const std::int64_t shape[] = {rows, extent, columns, n};
  const std::int64_t reduced[] = {0, 1, 0, 0};
  const std::int64_t array[] = {4 * extent * columns, 4 * columns, 4, 0};
  const std::int64_t result[] = {4 * n * columns, 0, 4, 4 * columns};
  const std::int64_t begins[] = {0, 0, 0, 1};
  const std::int64_t* const strides[] = {array, result, begins};
  return kinds::classify(layout::Reduction({.shape = shape, .reduced = reduced, .strides = strides, .in_order = true}), lengths,
                         ordered);
}

SegmentLengths equal(std::int64_t segments, std::int64_t length) {
  return {.segments = segments, .elements = segments * length, .longest = length};
}

}  // namespace

TEST_CASE("lengths of segments") {
  const std::vector<std::int64_t> begins = {5, 2, 2, 90, 7};
  const SegmentLengths lengths = kinds::lengths_of({begins, 100, 4});
  CHECK(lengths.segments == 5);
  CHECK(lengths.elements == 1 + 1 + 88 + 1 + 93);
  CHECK(lengths.longest == 93);
}

TEST_CASE("segments share a launch unless they are few and long") {
  CHECK(kinds::share_a_launch(equal(1'000'000, 10)));
  CHECK(kinds::share_a_launch(equal(3, 1)));
  CHECK(kinds::share_a_launch(equal(1000, 100'000)));
  CHECK(kinds::share_a_launch({.segments = 1'000'000, .elements = 1'010'000'000, .longest = 1'000'000'000}));
  CHECK_FALSE(kinds::share_a_launch(equal(1, 10)));
  CHECK_FALSE(kinds::share_a_launch(equal(2, 10)));
  CHECK_FALSE(kinds::share_a_launch(equal(10, 1'000'000)));
  CHECK_FALSE(kinds::share_a_launch({.segments = 100, .elements = 100'000'099, .longest = 100'000'000}));
}

TEST_CASE("who takes an output follows from the lengths of the segments, the longest one included") {
  CHECK(class_of(1, 1, equal(1'000'000, 10)).mapping == Mapping::thread);
  CHECK(class_of(1, 1, equal(100'000, 100)).mapping == Mapping::warp);
  CHECK(class_of(1, 1, equal(1000, 10'000)).mapping == Mapping::block);
  CHECK(class_of(1000, 1, equal(1000, 10)).mapping == Mapping::thread);
  SegmentLengths skewed = equal(1'000'000, 10);
  skewed.longest = 20'000;
  CHECK(class_of(1, 1, skewed).mapping == Mapping::warp);
  skewed.longest = 1'000'000;
  CHECK(class_of(1, 1, skewed).mapping == Mapping::block);
  // Across rows of memory threads that lie side by side read whole lines.
  CHECK(class_of(1, 1000, equal(300, 3)).mapping == Mapping::thread);
  CHECK(class_of(1, 1000, equal(30, 3000)).mapping == Mapping::columns);
  CHECK(class_of(1, 5, equal(300, 100)).mapping == Mapping::warp);
  CHECK(class_of(1, 1, equal(1000, 10'000), true).mapping == Mapping::thread);
}

TEST_CASE("segments are a dimension of the result, and are read in no packs") {
  CHECK(class_of(1, 1, equal(5000, 10)).kept_rank == 1);
  CHECK(class_of(7, 1, equal(5000, 10)).kept_rank == 2);
  const kinds::ReductionClass all = class_of(7, 9, equal(5000, 10));
  CHECK(all.kept_rank == 3);
  CHECK(all.reduced_rank == 1);
  CHECK(all.segmented);
  CHECK(all.packs);
  CHECK_FALSE(all.wide_index);
  CHECK(class_of(1 << 12, 1 << 12, equal(5000, 10)).wide_index);
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    const kinds::OperandSpec element{DType::float32, DType::float32};
    const DType storage[] = {DType::float32, DType::float32};
    const kinds::ReductionSpec spec = kinds::specialize({.inputs = {element}, .outputs = {element}}, storage, all, kind);
    CHECK(spec.segmented == (kind == DeviceKind::cuda));
    CHECK(spec.width == 1);
  }
}
