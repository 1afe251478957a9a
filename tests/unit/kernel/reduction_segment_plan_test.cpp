// How a GPU reduces the segments of reduceat: the kernel, and how long segments are cut.
#include "kernel/reduction/segment_plan.hpp"
#include "kernel/reduction/spec.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "kernel/reduction/launch.hpp"

namespace {

using namespace kiln;
using kinds::Access;
using kinds::kSegmentResult;
using kinds::Mapping;
using kinds::ReductionSegments;
using kinds::SegmentPart;
using kinds::SegmentTables;

constexpr std::int64_t kExtent = 1 << 20;

/// The class of segments of one axis of a float32 array, of which `rows` lie outside it and `columns` inside, each `step`
/// elements from the next.
kinds::ReductionClass class_of(std::int64_t rows, std::int64_t columns, std::int64_t segments, bool ordered = false,
                               std::int64_t step = 1) {
  const std::int64_t shape[] = {rows, kExtent, columns, segments};
  const std::int64_t reduced[] = {0, 1, 0, 0};
  const std::int64_t array[] = {4 * step * kExtent * columns, 4 * step * columns, 4 * step, 0};
  const std::int64_t result[] = {4 * segments * columns, 0, 4, 4 * columns};
  const std::int64_t begins[] = {0, 0, 0, 1};
  const std::int64_t* const strides[] = {array, result, begins};
  return kinds::classify_segments(layout::Reduction({.shape = shape, .reduced = reduced, .strides = strides, .in_order = true}),
                                  4, ordered);
}

std::vector<std::int64_t> numbers_of(const std::vector<std::byte>& bytes, std::size_t size) {
  std::vector<std::int64_t> numbers(bytes.size() / size);
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(&numbers[i], bytes.data() + i * size, size);
  return numbers;
}

SegmentTables of_lengths(const std::vector<std::int64_t>& lengths, Mapping mapping) {
  std::vector<std::int64_t> begins;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    begins.push_back(at);
    at += length;
  }
  return kinds::tables_of({begins, at, 4}, mapping, false);
}

/// Each part of a segment, and the states that become its result.
void check_covered(const SegmentTables& tables, std::uint64_t segment, std::uint64_t begin, std::uint64_t length) {
  std::uint64_t at = begin;
  std::vector<std::uint64_t> states;
  for (const SegmentPart& part : tables.parts) {
    if (part.segment != segment) continue;
    CHECK(part.from == at);
    CHECK(part.count > 0);
    at += part.count;
    states.push_back(part.state);
  }
  CHECK(at == begin + length);
  if (states.size() == 1) {
    CHECK(states.front() == kSegmentResult);
    return;
  }
  for (const SegmentPart& joined : tables.joined) {
    if (joined.segment != segment) continue;
    CHECK(joined.count == states.size());
    CHECK(joined.state == kSegmentResult);
    for (std::size_t i = 0; i < states.size(); ++i) CHECK(states[i] == joined.from + i);
    return;
  }
  FAIL("nothing joins segment ", segment);
}

}  // namespace

TEST_CASE("lengths of segments") {
  const std::vector<std::int64_t> begins = {5, 2, 2, 90, 7};
  const layout::SegmentLengths lengths = kinds::lengths_of({begins, 100, 4});
  CHECK(lengths.segments == 5);
  CHECK(lengths.elements == 1 + 1 + 88 + 1 + 93);
  CHECK(lengths.longest == 93);
}

TEST_CASE("the kernel of segments follows from the layout alone") {
  CHECK(class_of(1, 1, 5000).mapping == Mapping::warp);
  CHECK(class_of(1000, 1, 5000).mapping == Mapping::warp);
  CHECK(class_of(1, 1, 5000, true).mapping == Mapping::thread);
  // Across rows of memory threads that lie side by side read whole lines.
  CHECK(class_of(1, 16, 300).mapping == Mapping::columns);
  CHECK(class_of(1, 15, 300).mapping == Mapping::warp);
  CHECK(class_of(1, 1000, 300, true).mapping == Mapping::thread);
  CHECK(class_of(1, 1, 5000).access_of(0) == Access::contiguous);
  CHECK(class_of(1, 1, 5000, false, 2).access_of(0) == Access::strided);
  CHECK(class_of(1, 1, 5000, false, -1).access_of(0) == Access::strided);
  CHECK(class_of(1, 1000, 5000).access_of(0) == Access::strided);
}

TEST_CASE("segments are a dimension of the result, and are read in no packs") {
  CHECK(class_of(1, 1, 5000).kept_rank == 1);
  CHECK(class_of(7, 1, 5000).kept_rank == 2);
  const kinds::ReductionClass all = class_of(7, 9, 5000);
  CHECK(all.kept_rank == 3);
  CHECK(all.reduced_rank == 1);
  CHECK(all.segmented);
  CHECK_FALSE(all.wide_index);
  CHECK(class_of(1 << 12, 1 << 12, 5000).wide_index);
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    const kinds::OperandSpec element{DType::float32, DType::float32};
    const DType storage[] = {DType::float32, DType::float32};
    const kinds::ReductionSpec spec = kinds::specialize({.inputs = {element}, .outputs = {element}}, storage, all, kind);
    CHECK(spec.segmented == (kind == DeviceKind::cuda));
    CHECK(spec.width == 1);
  }
}

TEST_CASE("a kernel for strides stands in for that of contiguous segments, and neither for a block alone") {
  const kinds::ReductionClass how = class_of(1, 1, 5000);
  bool strided = false;
  for (const kinds::ReductionClass& each : kinds::stand_ins(how, 1, false, DeviceKind::cuda)) {
    CHECK((each.mapping == Mapping::warp || each.mapping == Mapping::columns));
    strided = strided || each.access_of(0) == Access::strided;
  }
  CHECK(strided);
  for (const kinds::ReductionClass& each : kinds::stand_ins(class_of(1, 1, 5000, false, 3), 1, false, DeviceKind::cuda)) {
    CHECK(each.access_of(0) == Access::strided);
  }
  for (const kinds::ReductionClass& each : kinds::of_all_sizes(class_of(1, 1, 9, true), true, DeviceKind::cuda)) {
    CHECK(each.mapping == Mapping::thread);
  }
}

TEST_CASE("beginnings go to the device as numbers of the index, with the extent behind them") {
  const std::vector<std::int64_t> begins = {0, 7, 3};
  const ReductionSegments segments{begins, 12, 4};
  CHECK(numbers_of(kinds::tables_of(segments, Mapping::warp, false).begins, 4) == std::vector<std::int64_t>{0, 7, 3, 12});
  const ReductionSegments far{begins, std::int64_t{1} << 33, 4};
  CHECK(numbers_of(kinds::tables_of(far, Mapping::thread, true).begins, 8) ==
        std::vector<std::int64_t>{0, 7, 3, std::int64_t{1} << 33});
}

TEST_CASE("blocks take long segments, in parts by the length of each alone") {
  const std::vector<std::int64_t> lengths = {4096, 10, 4097, 16384, 16385, 1 << 24, 100'000'000, 3};
  for (const Mapping mapping : {Mapping::warp, Mapping::columns}) {
    const SegmentTables tables = of_lengths(lengths, mapping);
    const std::int64_t longest = mapping == Mapping::warp ? 4096 : 64;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      CAPTURE(lengths[i]);
      const auto length = static_cast<std::uint64_t>(lengths[i]);
      if (lengths[i] > longest) {
        check_covered(tables, i, at, length);
      } else {
        for (const SegmentPart& part : tables.parts) CHECK(part.segment != i);
      }
      at += length;
    }
    // The same parts alone and with others.
    const SegmentTables alone = of_lengths({1 << 24}, mapping);
    std::vector<std::uint64_t> counts;
    for (const SegmentPart& part : tables.parts) {
      if (part.segment == 5) counts.push_back(part.count);
    }
    REQUIRE(counts.size() == alone.parts.size());
    CHECK(counts.size() <= (mapping == Mapping::warp ? 32768U : 1024U));
    for (std::size_t i = 0; i < counts.size(); ++i) CHECK(counts[i] == alone.parts[i].count);
  }
  const SegmentTables rows = of_lengths(lengths, Mapping::warp);
  CHECK(rows.parts[0].count == 4097);
  CHECK(rows.parts[1].count == 16384);
  CHECK(rows.parts[2].count == 8192);
  CHECK(rows.states == 3 + 2048 + 12'208);
  // In order a thread takes a segment whatever its length.
  CHECK(of_lengths(lengths, Mapping::thread).parts.empty());
  CHECK(of_lengths({1'000'000'000}, Mapping::warp).parts.front().count == 32768);
}

TEST_CASE("a warp takes fewer segments where they are longer, and the longest do not count") {
  const auto outputs = [](std::int64_t count, std::int64_t length, std::int64_t longest = 0) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(count), length);
    if (longest > 0) lengths.push_back(longest);
    return of_lengths(lengths, Mapping::warp).outputs_of_warp;
  };
  CHECK(outputs(1000, 1) == 32);
  CHECK(outputs(1000, 32) == 32);
  CHECK(outputs(1000, 33) == 16);
  CHECK(outputs(1000, 100) == 8);
  CHECK(outputs(1000, 1000) == 1);
  CHECK(outputs(1000, 4096) == 1);
  CHECK(outputs(1000, 10, 1'000'000'000) == 32);
  CHECK(of_lengths({1'000'000}, Mapping::warp).outputs_of_warp == 32);
  CHECK(of_lengths({50, 50}, Mapping::columns).outputs_of_warp == 32);
}
