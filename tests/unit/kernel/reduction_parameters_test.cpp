// A reduction on a GPU: its parts, its grid, and what the kernel is given.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "kernel/divisor.hpp"
#include "kernel/reduction/grid.hpp"
#include "kernel/reduction/parameters.hpp"
#include "kernel/reduction/segment_plan.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln::kinds;
using Mapping = ReductionMapping;

const GridRequest kDevice{.multiprocessors = 100, .blocks_per_multiprocessor = 8, .warp_size = 32, .max_blocks = 1 << 30};

std::uint32_t word(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}
std::int64_t number(const std::vector<std::byte>& bytes, std::size_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

}  // namespace

TEST_CASE("parts follow from the work, and cover it") {
  for (const Mapping mapping : {Mapping::block, Mapping::columns}) {
    for (const std::int64_t outputs : {1, 3, 1000, 1'000'000}) {
      for (const std::int64_t packs : {1, 511, 512, 513, 8192, 8193, 100'000'000}) {
        const ReductionParts parts = parts_of({.outputs = outputs, .packs = packs, .mapping = mapping, .columns = outputs});
        CHECK(parts.chunk * parts.count >= packs);
        CHECK(parts.chunk * (parts.count - 1) < packs);
      }
    }
  }
  // One thread or warp goes through all.
  CHECK(parts_of({.outputs = 3, .packs = 100'000, .mapping = Mapping::warp}).count == 1);
  CHECK(parts_of({.outputs = 3, .packs = 0, .mapping = Mapping::thread}).count == 1);
}

TEST_CASE("parts keep a large device busy, and leave its last wave of blocks no weight") {
  const auto blocks = [](std::int64_t packs) {
    return parts_of({.outputs = 1, .packs = packs, .mapping = Mapping::block}).count;
  };
  CHECK(blocks(8192) == 1);
  CHECK(blocks(1'000'000 / 4) == 245);
  CHECK(blocks(16'000'000 / 4) == 1954);
  CHECK(blocks((1 << 26) / 4) == 8192);
  CHECK(blocks((1LL << 31) / 4) == 8192);
  CHECK(parts_of({.outputs = 1, .packs = (1 << 26) / 4, .mapping = Mapping::block, .state_bytes = 16}).count == 2048);
  CHECK(parts_of({.outputs = 1, .packs = (1 << 26) / 16, .mapping = Mapping::block, .width = 16}).count == 1024);
  // Of many outputs each is cut less, or not at all.
  CHECK(parts_of({.outputs = 16384, .packs = 16384, .mapping = Mapping::block}).count == 1);
  CHECK(parts_of({.outputs = 100, .packs = 1 << 20, .mapping = Mapping::block}).count == 79);
}

TEST_CASE("threads of a block are side by side for columns, and share the rows where these are many") {
  const auto lanes = [](std::int64_t rows, std::int64_t columns, int width = 4) {
    return 1 << parts_of({.outputs = columns, .packs = rows, .mapping = Mapping::columns, .columns = columns, .width = width})
                    .lane_bits;
  };
  CHECK(lanes(3, 1000) == 256);
  CHECK(lanes(15, 1000) == 256);
  CHECK(lanes(16, 1000) == 128);
  CHECK(lanes(100, 1000) == 32);
  CHECK(lanes(100'000, 1000) == 16);
  CHECK(lanes(100'000, 16) == 4);
  CHECK(lanes(100'000, 16, 16) == 1);
  CHECK(lanes(100, 16, 16) == 32);
  // 16384 x 16384 elements of four bytes.
  CHECK(parts_of({.outputs = 16384, .packs = 16384, .mapping = Mapping::columns, .columns = 16384, .width = 4}).count == 32);
}

TEST_CASE("a grid has a unit for each output or part, and never more than the device takes") {
  CHECK(grid_for({.outputs = 1000, .packs = 10, .mapping = Mapping::thread}, {}, kDevice).blocks == 4);
  CHECK(grid_for({.outputs = 1000, .packs = 100, .mapping = Mapping::warp}, {}, kDevice).blocks == 125);
  CHECK(grid_for({.outputs = 10, .packs = 100'000, .mapping = Mapping::block}, {.count = 13}, kDevice).blocks == 130);
  // By columns a block takes 16 threads side by side, here of 4 outputs.
  CHECK(grid_for({.outputs = 65, .packs = 100'000, .mapping = Mapping::columns, .columns = 65, .width = 4},
                 {.count = 5, .lane_bits = 4}, kDevice)
            .blocks == 10);
  CHECK(grid_for({.outputs = std::int64_t{1} << 40, .packs = 100, .mapping = Mapping::block}, {}, kDevice).blocks ==
        100 * 8 * kMaxWaves);
  GridRequest wavefront = kDevice;
  wavefront.warp_size = 64;
  CHECK(grid_for({.outputs = 1000, .packs = 100, .mapping = Mapping::warp}, {}, wavefront).blocks == 250);
}

TEST_CASE("spaces lie as the kernel reads them") {
  const std::int64_t own[] = {400, 4, 40};
  const std::int64_t result[] = {16, 4, 0};
  int x = 0, y = 0;
  const LaunchOperand operands[] = {{&x, own, 4, false}, {&y, result, 4, false}};
  const std::int64_t kept[] = {5, 7};
  const std::int64_t reduced[] = {12};
  const float initial[4] = {2.5F, 0, 0, 0};
  ReductionLaunch launch;
  launch.operands = operands;
  launch.kept = kept;
  launch.reduced = reduced;
  launch.outputs = 35;
  launch.count = 12;
  launch.initial = initial;
  launch.width = 4;
  launch.mapping = Mapping::warp;
  ReductionParameters parameters(launch, {.chunk = 3, .count = 1});
  // extent[2], magic[2], shift[2], stride[2 operands][2]
  const auto& space = parameters.kept_space();
  REQUIRE(space.size() == 6 * 4 + 4 * 8);
  CHECK(word(space, 0) == 5);
  CHECK(word(space, 4) == 7);
  CHECK(word(space, 12) == divisor_of(7).magic);
  CHECK(word(space, 20) == divisor_of(7).shift);
  CHECK(number(space, 24) == 400);
  CHECK(number(space, 32) == 4);
  CHECK(number(space, 40) == 16);
  CHECK(number(space, 48) == 4);
  // extent[1] in packs, magic[1], shift[1], padding, stride[2][1]
  const auto& along = parameters.reduced_space();
  REQUIRE(along.size() == 4 * 4 + 2 * 8);
  CHECK(word(along, 0) == 3);
  CHECK(number(along, 16) == 40);
  CHECK(number(along, 24) == 0);
  CHECK(parameters.call().outputs == 35);
  CHECK(parameters.call().count == 3);
  CHECK(parameters.call().has_initial == 1);
  float start = 0;
  std::memcpy(&start, parameters.call().initial.data(), sizeof(start));
  CHECK(start == 2.5F);
  CHECK(*static_cast<void**>(parameters.data()[3]) == &x);
  CHECK(*static_cast<void**>(parameters.data()[4]) == &y);
}

TEST_CASE("a launch of segments has a call of its own, and where they begin as the last operand") {
  const std::vector<std::int64_t> begins = {0, 7, 3};
  const ReductionSegments segments{begins, 12, 4};
  const std::int64_t own[] = {0, 48, 4};
  const std::int64_t result[] = {4, 12, 0};
  const std::int64_t numbers[] = {1, 0, 0};
  int x = 0, y = 0, device = 0;
  const LaunchOperand operands[] = {{&x, own, 4, false}, {&y, result, 4, false}, {nullptr, numbers, 0, false}};
  const std::int64_t kept[] = {3, 5};
  const std::int64_t reduced[] = {12};
  ReductionLaunch launch;
  launch.operands = operands;
  launch.kept = kept;
  launch.kept_rank = 2;
  launch.reduced = reduced;
  launch.outputs = 15;
  launch.count = 12;
  launch.segments = &segments;
  SegmentCall given{};
  given.outputs = 15;
  given.of_segment = 5;
  ReductionParameters parameters(launch, given);
  parameters.set_begins(&device);
  parameters.segment_call().combining = 1;
  const auto& call = *static_cast<const SegmentCall*>(parameters.data()[2]);
  CHECK(call.of_segment == 5);
  CHECK(call.combining == 1);
  CHECK(*static_cast<void**>(parameters.data()[4]) == &y);
  CHECK(*static_cast<void**>(parameters.data()[5]) == &device);
  CHECK(inner_outputs(launch) == 5);
  const std::int64_t inside[] = {0, 1, 0};
  const LaunchOperand turned[] = {{&x, own, 4, false}, {&y, result, 4, false}, {nullptr, inside, 0, false}};
  launch.operands = turned;
  CHECK(inner_outputs(launch) == 1);
}

TEST_CASE("more than 2^31 elements need wide indices") {
  const std::int64_t own[] = {1};
  int x = 0;
  const LaunchOperand operands[] = {{&x, own, 1, false}};
  const std::int64_t reduced[] = {std::int64_t{1} << 31};
  ReductionLaunch launch;
  launch.operands = operands;
  launch.reduced = reduced;
  launch.count = reduced[0];
  CHECK_THROWS_WITH_AS(ReductionParameters(launch, {.chunk = 1, .count = 1}),
                       "cannot launch a reduction with 32-bit indices over 1 times 2147483648 elements", kiln::DeviceError);
  launch.wide_index = true;
  ReductionParameters wide(launch, {.chunk = 1, .count = 1});
  CHECK(wide.reduced_space().size() == 8 + 8);
  CHECK(number(wide.reduced_space(), 0) == reduced[0]);
}

TEST_CASE("a balanced reduction: a thread's elements, the parts of an output, adjacent outputs") {
  CHECK(balanced_elements(4) == 8);
  CHECK(balanced_elements(16) == 8);
  CHECK(balanced_elements(24) == 4);
  CHECK(balanced_elements(128) == 1);
  const BalancedParts one = balanced_parts(1, 1, 1'000'000, 4);
  CHECK(one.count == (1'000'000 + 2047) / 2048);
  CHECK(one.lane_bits == 0);
  const BalancedParts rows = balanced_parts(1'000'000, 1, 64, 4);
  CHECK(rows.count == 1);
  CHECK(rows.lane_bits == 5);
  CHECK(rows.groups == 1'000'000 / 32);
  const BalancedParts columns = balanced_parts(5000, 5000, 1'000'000, 4);
  CHECK(columns.lane_bits == 5);
  CHECK(columns.count == (1'000'000 + 63) / 64);
  CHECK(balanced_parts(7, 1, 1, 4).count == 1);
}
