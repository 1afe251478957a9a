// Launches on a GPU: which grids are dispatched, and how launches of more dimensions than a kernel takes are divided.
#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <vector>

#include "kernel/counter.hpp"
#include "kernel/grid.hpp"
#include "kernel/gufunc/launch.hpp"
#include "kernel/raw/launch.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/scan/launch.hpp"
#include "kernel/scatter/launch.hpp"
#include "recording_backend.hpp"

using namespace kiln::kinds;
using kiln::test::RecordingBackend;

namespace {

/// The address at an offset of a kernel's parameter.
std::uintptr_t address_at(const RecordingBackend::Dispatch& seen, std::size_t offset) {
  std::uintptr_t address = 0;
  std::memcpy(&address, seen.first.data() + offset, sizeof address);
  return address;
}

std::set<std::uintptr_t> addresses(const RecordingBackend& gpu, std::size_t offset) {
  std::set<std::uintptr_t> all;
  for (const auto& seen : gpu.dispatches) all.insert(address_at(seen, offset));
  return all;
}

/// 0, 1000, … and 0, 10 around each: what two outer dimensions of 3 and 2 reach.
std::set<std::uintptr_t> reached(std::uintptr_t base) {
  std::set<std::uintptr_t> all;
  for (std::uintptr_t i = 0; i < 3; ++i) {
    for (std::uintptr_t j = 0; j < 2; ++j) all.insert(base + 1000 * i + 10 * j);
  }
  return all;
}

const std::vector<std::int64_t> kShape{3, 2, 1, 1, 1, 1, 1, 1, 1, 5};
const std::vector<std::int64_t> kStrides{1000, 10, 0, 0, 0, 0, 0, 0, 0, 1};

}  // namespace

TEST_CASE("kinds: an index of the outermost dimensions for each launch") {
  const std::vector<std::int64_t> shape{2, 3};
  const std::vector<std::int64_t> strides{100, 1, 7};
  std::vector<std::int64_t> offsets;
  for_each_outer(shape, [&](const Counter& index) { offsets.push_back(index.offset(strides)); });
  CHECK(offsets == std::vector<std::int64_t>{0, 1, 2, 100, 101, 102});
  int calls = 0;
  for_each_outer({}, [&](const Counter&) { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("kinds: blocks for threads that stride, no more than the device holds some times over, or one dispatch may have") {
  RecordingBackend gpu(8);
  const auto module = gpu.load("", "k");
  CHECK(strided_shape(gpu, *module, 1).grid[0] == 1);
  CHECK(strided_shape(gpu, *module, 257).grid[0] == 2);
  CHECK(strided_shape(gpu, *module, std::int64_t{1} << 40).grid[0] == 10 * kMaxWaves);
  CHECK(strided_shape(gpu, *module, std::int64_t{1} << 40, 64).grid[0] == 10 * kMaxWaves * 4);
  CHECK(strided_shape(gpu, *module, std::int64_t{1} << 40, 512).grid[0] == 10 * kMaxWaves / 2);
  const RecordingBackend limited(8, 1024);
  CHECK(strided_shape(limited, *module, std::int64_t{1} << 40).grid[0] == 4);
  CHECK(limits_of(limited, *module).max_threads == 1024);
}

TEST_CASE("kinds: scans and scatters of ten dimensions are six launches of eight") {
  ScanLaunch scan;
  scan.input = reinterpret_cast<void*>(0x10000);   // NOLINT(performance-no-int-to-ptr)
  scan.output = reinterpret_cast<void*>(0x90000);  // NOLINT(performance-no-int-to-ptr)
  scan.extent = 4;
  scan.shape = kShape;
  scan.input_strides = scan.output_strides = kStrides;
  for (const bool reorderable : {false, true}) {
    scan.reorderable = reorderable;
    for (const std::size_t parameter : {0U, 1U}) {
      RecordingBackend scans(8, 0, parameter);
      launch(scans, *scans.load("", "k"), scan, {.keep = nullptr});
      REQUIRE(scans.dispatches.size() == 6);
      CHECK(addresses(scans, 0) == reached(parameter == 0 ? 0x10000 : 0x90000));
    }
  }

  RecordingBackend gpu(16);
  const auto module = gpu.load("", "k");
  ScatterLaunch scatter;
  scatter.indices.push_back({.data = nullptr, .extent = 7, .stride = 4, .strides = {8}});
  scatter.shape = {9};
  scatter.target = reinterpret_cast<void*>(0x10000);  // NOLINT(performance-no-int-to-ptr)
  scatter.row_shape = kShape;
  scatter.target_strides = kStrides;
  scatter.value = reinterpret_cast<void*>(0x90000);  // NOLINT(performance-no-int-to-ptr)
  scatter.value_strides = {4};
  scatter.value_strides.insert(scatter.value_strides.end(), kStrides.begin(), kStrides.end());
  launch(gpu, *module, scatter, {.keep = nullptr});
  REQUIRE(gpu.dispatches.size() == 6);
  CHECK(addresses(gpu, 0) == reached(0x10000));
  CHECK(addresses(gpu, 8) == reached(0x90000));
}

TEST_CASE("kinds: a scatter with bins fills a copy for each block, then adds them up") {
  RecordingBackend gpu(16);
  const auto module = gpu.load("", "k");
  ScatterLaunch scatter;
  scatter.indices.push_back({.data = nullptr, .extent = 1000, .stride = 8, .strides = {8}});
  scatter.shape = {1'000'000};
  scatter.itemsize = 4;
  scatter.value_strides = {0};
  scatter.layout = {.arrays = 1, .rank = 1, .bins = true};
  launch(gpu, *module, scatter, {.keep = nullptr});
  REQUIRE(gpu.dispatches.size() == 2);
  CHECK(gpu.dispatches[0].shape.grid[0] == 10);  // as many as the device holds
  CHECK(gpu.dispatches[0].shape.shared_bytes == 2000 * 4);
  CHECK(gpu.dispatches[1].shape.grid[0] == 8);
  CHECK(gpu.dispatches[1].shape.shared_bytes == 0);
  // Few positions for each block's bins.
  scatter.shape = {16'000};
  gpu.dispatches.clear();
  launch(gpu, *module, scatter, {.keep = nullptr});
  CHECK(gpu.dispatches[0].shape.grid[0] == 2);
}

TEST_CASE("kinds: a gufunc of more dimensions than a kernel takes, with those of .each, is a launch for each outer index") {
  RecordingBackend gpu(4);
  const auto module = gpu.load("", "k");
  auto numbers = std::make_shared<GufuncNumbers>();
  numbers->shape = kShape;
  numbers->strides = kStrides;
  numbers->items = product(kShape);
  numbers->each = {4};
  GufuncLaunch gufunc;
  gufunc.numbers = numbers;
  gufunc.count = 1;
  gufunc.operands[0] = {reinterpret_cast<void*>(0x10000), false, {}};  // NOLINT(performance-no-int-to-ptr)
  launch(gpu, *module, gufunc, {.keep = nullptr});
  // Ten of the loop and one of .each: three outermost, of 3, 2 and 1.
  REQUIRE(gpu.dispatches.size() == 6);
  for (const auto& seen : gpu.dispatches) {
    std::uint32_t threads = 0;
    std::memcpy(&threads, seen.first.data(), sizeof threads);
    CHECK(threads == 5 * 4);
  }
}

TEST_CASE("kinds: a reduction in parts is two kernels, and both hold what they use") {
  RecordingBackend gpu(1);
  const auto module = gpu.load("", "k");
  const std::int64_t reduced[] = {1 << 17}, strides[] = {4}, none[] = {0};
  const LaunchOperand operands[] = {{nullptr, strides, 4, false}, {nullptr, none, 4, false}};
  ReductionLaunch reduction;
  reduction.operands = operands;
  reduction.reduced = reduced;
  reduction.count = 1 << 17;
  reduction.mapping = ReductionMapping::block;
  reduction.state_bytes = 4;
  const std::shared_ptr<const void> keep = std::make_shared<int>(1);
  launch(gpu, *module, reduction, {.keep = keep});
  REQUIRE(gpu.dispatches.size() == 2);
  CHECK(gpu.dispatches[0].shape.grid[0] == 128);
  CHECK(gpu.dispatches[1].shape.grid[0] == 1);
  CHECK(gpu.dispatches[1].uses == keep.use_count());
  CHECK(gpu.uploaded == 0);
}

TEST_CASE("kinds: a raw kernel's blocks are the caller's, and held against the device's limits; those of items are kiln's") {
  RecordingBackend gpu(8);
  const auto module = gpu.load("", "k");
  RawLaunch raw{};
  raw.count = 1;
  raw.grid = {5, 4, 3};
  raw.block = {8, 2, 1};
  raw.shared_bytes = 64;
  launch(gpu, *module, raw, {.keep = nullptr});
  REQUIRE(gpu.asked.size() == 1);
  CHECK(gpu.dispatches[0].shape.grid == raw.grid);
  CHECK(gpu.dispatches[0].shape.block == raw.block);
  CHECK(gpu.dispatches[0].shape.shared_bytes == 64);
  raw = {};
  raw.count = 1;
  raw.size = 1000;
  launch(gpu, *module, raw, {.keep = nullptr});
  CHECK(gpu.asked.size() == 1);
  CHECK(gpu.dispatches[1].shape.grid[0] == 4);
  CHECK(address_at(gpu.dispatches[1], 0) == 1000);  // how many items
}
