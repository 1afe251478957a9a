// Which cores go to shared memory, by sizes, strides and counts alone.
#include "gufunc/staging.hpp"
#include "kernel/gufunc/spec.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace kiln;
using gufunc::CorePlacement;
using kinds::GufuncSpec;
using kinds::Staging;

namespace {

using Sizes = std::vector<std::int64_t>;

kinds::CoreOperandSpec operand(std::vector<std::size_t> dimensions, DType dtype = DType::float32) {
  const int unit = static_cast<int>(dimensions.size()) - 1;
  return {.element = {dtype, dtype}, .dimensions = std::move(dimensions), .unit = unit, .packed = true};
}

/// (n),(n)->() of a thread for an item.
GufuncSpec inner() {
  return {.inputs = {operand({0}), operand({0})}, .outputs = {operand({})}, .dimensions = {{.name = "n"}}};
}
/// (m,n),(n,p)->(m,p) of a thread for an index.
GufuncSpec product() {
  return {.inputs = {operand({0, 1}), operand({1, 2})},
          .outputs = {operand({0, 2})},
          .dimensions = {{.name = "m"}, {.name = "n"}, {.name = "p"}},
          .each = {{"i", 0}, {"j", 2}}};
}

std::vector<Staging> staged(GufuncSpec spec, const Sizes& sizes, const std::vector<CorePlacement>& placements,
                            std::int64_t items, std::int64_t columns, DeviceKind device = DeviceKind::cuda) {
  gufunc::choose_staging(spec,
                         {.device = device, .sizes = sizes, .placements = placements, .items = items, .columns = columns});
  std::vector<Staging> found;
  for (const auto* operands : {&spec.inputs, &spec.outputs}) {
    for (const auto& each : *operands) found.push_back(each.staging);
  }
  return found;
}

const std::vector<Staging> kNone(3, Staging::none);
const std::vector<Staging> kInputs{Staging::item, Staging::item, Staging::none};

}  // namespace

TEST_CASE("staging: items whose cores lie far from each other") {
  const auto at = [](std::int64_t step) { return std::vector<CorePlacement>{{true, step}, {true, step}, {true, 4}}; };
  CHECK(staged(inner(), {64}, at(256), 1000, 1000) == kInputs);
  CHECK(staged(inner(), {64}, at(-256), 1000, 1000) == kInputs);
  CHECK(staged(inner(), {64}, at(1 << 23), 1000, 1000) == kInputs);
  CHECK(staged(inner(), {64}, at((1 << 23) + 4), 1000, 1000) == kNone);
  CHECK(staged(inner(), {64}, at(-(1 << 23) - 4), 1000, 1000) == kNone);
  // Neighbours of few bytes share sectors.
  CHECK(staged(inner(), {7}, at(28), 1000, 1000) == kNone);
  CHECK(staged(inner(), {8}, at(32), 1000, 1000) == kInputs);
  CHECK(staged(inner(), {64}, at(4), 1000, 1000) == kNone);
  // Less than a warp along the innermost dimension, and more than 32 bits count.
  CHECK(staged(inner(), {64}, at(256), 3100, 31) == kNone);
  CHECK(staged(inner(), {64}, at(256), 3200, 32) == kInputs);
  CHECK(staged(inner(), {64}, at(256), std::int64_t{1} << 31, 1000) == kNone);
  CHECK(staged(inner(), {std::int64_t{1} << 40}, at(std::int64_t{1} << 22), 1000, 1000) == kNone);
  CHECK(staged(inner(), {0}, at(256), 1000, 1000) == kNone);
  // One of them, where the other has gaps, or is a scalar.
  const std::vector<CorePlacement> gaps{{true, 256}, {false, 512}, {true, 4}};
  CHECK(staged(inner(), {64}, gaps, 1000, 1000) == std::vector{Staging::item, Staging::none, Staging::none});
  GufuncSpec scalar = inner();
  scalar.inputs[0].element.access = kinds::Access::scalar;
  CHECK(staged(scalar, {64}, at(256), 1000, 1000) == std::vector{Staging::none, Staging::item, Staging::none});
}

TEST_CASE("staging: long cores, of which a block has few") {
  const auto at = [](std::int64_t n) { return std::vector<CorePlacement>{{true, 4 * n}, {true, 4 * n}, {true, 4}}; };
  // More than come to 32 MB, fewer than have windows.
  const auto many = [&](std::int64_t n, DeviceKind device = DeviceKind::cuda) {
    return staged(inner(), {n}, at(n), (1 << 15) - 1, (1 << 15) - 1, device);
  };
  // Ten have room: in 48 KB, and on AMD's GPUs in 32.
  CHECK(many(192) == kInputs);
  CHECK(many(613) == kInputs);
  CHECK(many(614) == kNone);
  CHECK(many(409, DeviceKind::hip) == kInputs);
  CHECK(many(410, DeviceKind::hip) == kNone);
  // One has room, and all come to 32 MB.
  CHECK(staged(inner(), {1024}, at(1024), 4096, 4096) == kInputs);
  CHECK(staged(inner(), {1024}, at(1024), 4097, 4097) == kNone);
  CHECK(staged(inner(), {6143}, at(6143), 100, 100) == kInputs);
  CHECK(staged(inner(), {6144}, at(6144), 100, 100) == kNone);
  CHECK(staged(inner(), {4095}, at(4095), 100, 100, DeviceKind::hip) == kInputs);
  CHECK(staged(inner(), {4096}, at(4096), 100, 100, DeviceKind::hip) == kNone);
  // Few along the innermost dimension.
  CHECK(staged(inner(), {1024}, at(1024), 3, 3) == kInputs);
  CHECK(staged(inner(), {1024}, at(1024), 100, 1) == kInputs);
  CHECK(staged(inner(), {192}, at(192), 31, 31) == kNone);
  CHECK(staged(inner(), {193}, at(193), 31, 31) == kInputs);
}

TEST_CASE("staging: windows, where items are many") {
  constexpr std::int64_t kMany = 1 << 15;
  const std::vector<CorePlacement> at(3, CorePlacement{true, 4096});
  const std::vector<Staging> windows{Staging::window, Staging::window, Staging::none};
  const auto found = [&](GufuncSpec spec, std::int64_t n = 1024, std::int64_t items = std::int64_t{1} << 15) {
    return staged(std::move(spec), {n}, at, items, items);
  };
  CHECK(found(inner()) == windows);
  CHECK(found(inner(), 1024, kMany - 1) == kNone);
  CHECK(found(inner(), 256) == windows);
  CHECK(found(inner(), 255) == kInputs);
  CHECK(found(inner(), (std::int64_t{1} << 31) - 1) == windows);
  CHECK(found(inner(), std::int64_t{1} << 31) == kNone);
  // Along an innermost dimension of any extent, and both at other steps.
  CHECK(staged(inner(), {1024}, at, kMany, 2) == windows);
  const std::vector<CorePlacement> mixed{{true, 0}, {true, 36}, {true, 4}};
  CHECK(staged(inner(), {1024}, mixed, kMany, kMany) == std::vector{Staging::none, Staging::window, Staging::none});
  // Elements of 4 and 8 bytes, that lie beside each other, of one dimension.
  GufuncSpec spec = inner();
  spec.inputs[0].element.storage = DType::int8;
  spec.inputs[1].element.storage = DType::float64;
  CHECK(found(spec) == std::vector{Staging::none, Staging::window, Staging::none});
  spec = inner();
  spec.inputs[0].packed = false;
  CHECK(found(spec) == std::vector{Staging::none, Staging::window, Staging::none});
  // Two have them.
  spec = inner();
  spec.inputs.push_back(operand({0}));
  const std::vector<CorePlacement> four(4, CorePlacement{true, 4096});
  CHECK(staged(spec, {1024}, four, kMany, kMany) ==
        std::vector{Staging::window, Staging::window, Staging::none, Staging::none});
  // A text that may bind references.
  spec = inner();
  const Sizes sizes{1024};
  gufunc::choose_staging(spec, {.sizes = sizes, .placements = at, .items = kMany, .columns = kMany, .references = true});
  CHECK(spec.inputs[0].staging == Staging::none);
}

TEST_CASE("staging: outputs, but for those of long cores and those that a mask leaves in part") {
  GufuncSpec rows{.inputs = {operand({0}), operand({0})}, .outputs = {operand({0})}, .dimensions = {{.name = "n"}}};
  const std::vector<CorePlacement> at(3, CorePlacement{true, 64});
  CHECK(staged(rows, {16}, at, 100, 100) == std::vector(3, Staging::item));
  const std::vector<CorePlacement> far(3, CorePlacement{true, 600});
  CHECK(staged(rows, {127}, far, 100, 100) == std::vector(3, Staging::item));
  CHECK(staged(rows, {128}, far, 100, 100) == kInputs);
  CHECK(staged(rows, {128}, far, 31, 31) == kNone);
  CHECK(staged(rows, {1024}, far, 31, 31) == kInputs);
  // A single element has neighbours to be read with, however far from each other items are.
  CHECK(staged(inner(), {64}, std::vector(3, CorePlacement{true, 256}), 1000, 1000) == kInputs);
  rows.masked = true;
  CHECK(staged(rows, {16}, at, 100, 100) == kInputs);
  CHECK(staged(rows, {1024}, far, 31, 31) == kInputs);
}

TEST_CASE("staging: inputs that indices of .each share") {
  const auto at = [](std::int64_t a, std::int64_t b) { return std::vector<CorePlacement>{{true, a}, {true, b}, {true, 4096}}; };
  CHECK(staged(product(), {64, 64, 64}, at(16384, 16384), 128, 128) == kInputs);
  CHECK(staged(product(), {64, 64, 64}, at(16384, 0), 128, 128) == std::vector{Staging::item, Staging::common, Staging::none});
  // Few items, small cores, sizes that are no constants, and more than there is room for.
  CHECK(staged(product(), {64, 64, 64}, at(16384, 16384), 127, 127) == kNone);
  CHECK(staged(product(), {8, 8, 8}, at(256, 256), 1000, 1000) == kNone);
  CHECK(staged(product(), {64, 65, 64}, at(16640, 16640), 1000, 1000) == kNone);
  CHECK(staged(product(), {64, 64, 0}, at(16384, 16384), 1000, 1000) == kNone);
  GufuncSpec wide = product();
  for (auto& input : wide.inputs) input.element = {DType::float64, DType::float64};
  CHECK(staged(wide, {64, 64, 64}, at(32768, 32768), 1000, 1000) == kNone);
  CHECK(staged(wide, {40, 40, 40}, at(12800, 12800), 1000, 1000) == kInputs);
  // Lanes would read rows apart: those of B that they have an index for.
  GufuncSpec rows = product();
  rows.inputs[1].dimensions = {2, 1};
  CHECK(staged(rows, {64, 64, 64}, at(16384, 16384), 1000, 1000) == std::vector{Staging::item, Staging::none, Staging::none});
  // What has an element for each index is read once.
  GufuncSpec added = product();
  added.inputs.push_back(operand({0, 2}));
  const std::vector<CorePlacement> all(4, CorePlacement{true, 4096});
  CHECK(staged(added, {32, 32, 32}, all, 1000, 1000) ==
        std::vector{Staging::item, Staging::item, Staging::none, Staging::none});
}

TEST_CASE("staging: sizes become constants only where cores go to shared memory") {
  const std::vector<CorePlacement> at(3, CorePlacement{true, 16384});
  for (const bool constants : {true, false}) {
    for (const std::int64_t items : {1000, 10}) {
      GufuncSpec spec = product();
      const Sizes sizes{64, 64, 64};
      gufunc::choose_staging(spec,
                             {.sizes = sizes, .placements = at, .items = items, .columns = items, .constants = constants});
      CHECK(spec.dimensions[1].size.has_value() == (constants && items == 1000));
    }
  }
}

TEST_CASE("staging: blocks of as many items as several of them leave room for") {
  const auto block = [](GufuncSpec spec, std::int64_t n, std::int64_t items, std::int64_t columns = 0,
                        DeviceKind device = DeviceKind::cuda) {
    const Sizes sizes(spec.dimensions.size(), n);
    for (auto& input : spec.inputs) input.staging = Staging::item;
    return gufunc::staged_block(spec,
                                {.device = device, .sizes = sizes, .items = items, .columns = columns > 0 ? columns : items});
  };
  // Items an odd number of 4 bytes apart.
  CHECK(block(inner(), 64, 1 << 20).items == 32);
  CHECK(block(inner(), 64, 1 << 20).bytes == 32 * 516);
  CHECK(block(inner(), 64, 1 << 20).threads == 128);
  CHECK(block(inner(), 8, 1 << 20).items == 128);
  CHECK(block(inner(), 8, 1 << 20).bytes == 128 * 68);
  CHECK(block(inner(), 8, 1 << 16).items == 64);
  CHECK(block(inner(), 190, 1 << 20).items == 32);
  CHECK(block(inner(), 190, 1 << 20).threads == 128);
  // Long ones, of which 32 have no room.
  CHECK(block(inner(), 191, 1 << 20).items == 32);
  CHECK(block(inner(), 192, 1 << 20).items == 15);
  CHECK(block(inner(), 192, 1 << 20, 7).items == 7);
  CHECK(block(inner(), 127, 1 << 20, 0, DeviceKind::hip).items == 32);
  CHECK(block(inner(), 128, 1 << 20, 0, DeviceKind::hip).items == 23);
  CHECK(block(inner(), 512, 1 << 20).items == 5);
  CHECK(block(inner(), 512, 1 << 20).bytes == 5 * 4100);
  CHECK(block(inner(), 512, 1 << 20).threads == 128);
  CHECK(block(inner(), 512, 4096).items == 4);
  CHECK(block(inner(), 512, 100).items == 1);
  CHECK(block(inner(), 6000, 1 << 20).items == 1);
  CHECK(block(product(), 64, 1 << 20).items == 1);
  CHECK(block(product(), 64, 1 << 20).threads == 256);
  CHECK(block(product(), 64, 1 << 20).bytes == 32768);
  CHECK(block(product(), 4, 1 << 20).items == 32);
  CHECK(block(product(), 17, 1 << 20).items == 7);
  CHECK(block(product(), 17, 1 << 20).bytes == 7 * 2 * 1168);
  CHECK(block(product(), 17, 2048).items == 2);
}
