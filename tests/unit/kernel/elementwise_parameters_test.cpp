// Kernel parameters, index division and grids: the pure half of a GPU launch.
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernel/divisor.hpp"
#include "kernel/elementwise/parameters.hpp"
#include "kernel/grid.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using namespace kiln::kinds;

template <typename T>
T read(void* parameter, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, static_cast<char*>(parameter) + offset, sizeof(value));
  return value;
}

bool divides_right(std::uint32_t i, std::uint32_t d) {
  return divide(i, divisor_of(d)) == i / d;
}

}  // namespace

TEST_CASE("division by a magic number is division") {
  constexpr std::uint32_t kEnd = 0x7fffffff;
  bool right = true;
  // Every small divisor and those around powers of two, at the multiples where a wrong magic number shows first.
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t d = 1; d <= 5000; ++d) divisors.push_back(d);
  for (int bit = 12; bit <= 31; ++bit) {
    for (int off = -2; off <= 2; ++off) {
      const std::int64_t d = (std::int64_t{1} << bit) + off;
      if (d <= std::int64_t{1} << 31) divisors.push_back(static_cast<std::uint32_t>(d));
    }
  }
  std::mt19937 generator(7);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (int i = 0; i < 20000; ++i) divisors.push_back(random() % kEnd + 1);
  for (const std::uint32_t d : divisors) {
    for (const std::uint32_t i : {0U, 1U, d - 1, kEnd, kEnd - 1, random() & kEnd, random() & kEnd}) {
      if (i <= kEnd) right = right && divides_right(i, d);
    }
    const std::uint32_t last = kEnd / d;
    for (const std::uint32_t q : {1U, last / 2, last > 0 ? last - 1 : 0, last}) {
      const std::uint64_t multiple = std::uint64_t{q} * d;
      for (std::uint64_t i = multiple == 0 ? 0 : multiple - 1; i <= multiple + 1 && i <= kEnd; ++i) {
        right = right && divides_right(static_cast<std::uint32_t>(i), d);
      }
    }
  }
  CHECK(right);
}

TEST_CASE("division by a magic number is division over the whole range of indices") {
  for (const std::uint32_t d : {3U, 7U, 641U, 65537U, 0x40000001U}) {
    bool right = true;
    for (std::uint32_t i = 0; i < 0x80000000U; i += 127) right = right && divides_right(i, d);
    CHECK_MESSAGE(right, d);
  }
}

TEST_CASE("the flat form has the count and the operands") {
  const std::int64_t shape[] = {1001};
  const std::int64_t contiguous[] = {4};
  const std::int64_t still[] = {0};
  float scalar = 2.5F;
  const std::vector<LaunchOperand> operands = {{reinterpret_cast<void*>(0x1000), contiguous, 4, false},
                                               {&scalar, nullptr, 4, true},
                                               {reinterpret_cast<void*>(0x2000), still, 4, false},
                                               {reinterpret_cast<void*>(0x3000), contiguous, 4, false}};
  ElementwiseLaunch launch{.operands = operands, .shape = shape, .size = 1001, .width = 4, .unroll = 2};
  REQUIRE(Parameters::flat(launch));
  Parameters narrow(launch);
  CHECK(narrow.count() == 5);
  CHECK(narrow.packs() == 251);
  CHECK(narrow.space_bytes() == 0);
  CHECK(read<std::uint32_t>(narrow.data()[0]) == 1001);
  CHECK(read<std::uintptr_t>(narrow.data()[1]) == 0x1000);
  CHECK(read<float>(narrow.data()[2]) == 2.5F);
  CHECK(read<std::uintptr_t>(narrow.data()[3]) == 0x2000);
  CHECK(read<std::uintptr_t>(narrow.data()[4]) == 0x3000);

  launch.wide_index = true;
  launch.size = (std::int64_t{1} << 33) + 3;
  const std::int64_t big[] = {launch.size};
  launch.shape = big;
  Parameters wide(launch);
  CHECK(read<std::uint64_t>(wide.data()[0]) == (std::uint64_t{1} << 33) + 3);
  CHECK(wide.packs() == (std::int64_t{1} << 31) + 1);
}

TEST_CASE("a strided operand of rank 1 makes the n-dimensional form") {
  const std::int64_t shape[] = {10};
  const std::int64_t backwards[] = {-4};
  const LaunchOperand operand{nullptr, backwards, 4, false};
  CHECK_FALSE(Parameters::flat({.operands = {&operand, 1}, .shape = shape, .size = 10}));
}

TEST_CASE("the n-dimensional form lays Space out as the kernel reads it") {
  // What abi.hpp says, written down as a kernel would declare it.
  struct Narrow {
    std::uint32_t extent[3];
    std::uint32_t magic[3];
    std::uint32_t shift[3];
    std::int64_t stride[3][3];
  };
  struct Wide {
    std::uint64_t extent[3];
    std::int64_t stride[3][3];
  };
  const std::int64_t shape[] = {5, 7, 16};
  const std::int64_t a[] = {448, 64, 4};
  const std::int64_t out[] = {-448, 64, 4};
  double scalar = 1;
  const std::vector<LaunchOperand> operands = {{reinterpret_cast<void*>(0x1000), a, 4, false},
                                               {&scalar, nullptr, 8, true},
                                               {reinterpret_cast<void*>(0x2000), out, 4, false}};
  ElementwiseLaunch launch{.operands = operands, .shape = shape, .size = 5 * 7 * 16, .width = 4, .unroll = 1};
  Parameters narrow(launch);
  CHECK(narrow.count() == 5);
  CHECK(narrow.packs() == 140);
  CHECK(read<std::uint32_t>(narrow.data()[0]) == 140);
  CHECK(narrow.space_bytes() == sizeof(Narrow));
  CHECK(reinterpret_cast<std::uintptr_t>(narrow.data()[1]) % 8 == 0);
  const auto space = read<Narrow>(narrow.data()[1]);
  CHECK(space.extent[0] == 5);
  CHECK(space.extent[1] == 7);
  CHECK(space.extent[2] == 4);
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t i = 139;
    const auto high = static_cast<std::uint32_t>((std::uint64_t{i} * space.magic[axis]) >> 32);
    const std::uint32_t quotient = (high + i) >> space.shift[axis];
    CHECK(quotient == i / space.extent[axis]);
  }
  CHECK(space.stride[0][0] == 448);
  CHECK(space.stride[0][2] == 4);
  CHECK(space.stride[1][1] == 0);
  CHECK(space.stride[2][0] == -448);
  CHECK(space.stride[2][1] == 64);
  CHECK(read<double>(narrow.data()[3]) == 1.0);

  launch.wide_index = true;
  Parameters wide(launch);
  CHECK(wide.space_bytes() == sizeof(Wide));
  CHECK(read<std::uint64_t>(wide.data()[0]) == 140);
  const auto wide_space = read<Wide>(wide.data()[1]);
  CHECK(wide_space.extent[2] == 4);
  CHECK(wide_space.stride[2][2] == 4);
  CHECK(wide_space.stride[2][0] == -448);
}

TEST_CASE("the form by tiles has their dimensions last, counts tiles, and has the numbers of elements behind the operands") {
  struct Space {
    std::uint32_t extent[4];
    std::uint32_t magic[4];
    std::uint32_t shift[4];
    std::int64_t stride[4][4];
  };
  const std::int64_t shape[] = {70, 3, 33};
  const std::int64_t a[] = {4, 9240, 280};
  const std::int64_t out[] = {396, 132, 4};
  double scalar = 1;
  const std::vector<LaunchOperand> operands = {{reinterpret_cast<void*>(0x1000), a, 4, false},
                                               {&scalar, nullptr, 8, true},
                                               {reinterpret_cast<void*>(0x2000), out, 4, false}};
  Parameters parameters(
      {.operands = operands, .shape = shape, .size = 70 * 3 * 33, .rank = 4, .tile = 32, .tile_dimension = 0});
  CHECK(parameters.count() == 7);
  CHECK(parameters.packs() == 3 * 3 * 2);
  CHECK(read<std::uint32_t>(parameters.data()[0]) == 18);
  CHECK(parameters.space_bytes() == sizeof(Space));
  const auto space = read<Space>(parameters.data()[1]);
  const std::int64_t expected[][4] = {{0, 9240, 4, 280}, {0, 0, 0, 0}, {0, 132, 396, 4}, {0, 33, 99, 1}};
  const std::uint32_t tiles[] = {1, 3, 3, 2};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    CHECK(space.extent[axis] == tiles[axis]);
    for (std::size_t k = 0; k < 4; ++k) CHECK(space.stride[k][axis] == expected[k][axis]);
  }
  CHECK(read<std::uint32_t>(parameters.data()[2]) == 70);
  CHECK(read<std::uint32_t>(parameters.data()[3]) == 33);
  CHECK(read<std::uintptr_t>(parameters.data()[4]) == 0x1000);
  CHECK(read<double>(parameters.data()[5]) == 1.0);
}

TEST_CASE("the largest launch fits and a larger one is refused") {
  const std::int64_t shape[] = {2, 2, 2, 2, 2, 2, 2, 2};
  const std::int64_t strides[] = {1024, 512, 256, 128, 64, 32, 16, 8};
  std::vector<LaunchOperand> operands(kMaxOperands, LaunchOperand{nullptr, strides, 8, false});
  ElementwiseLaunch launch{.operands = operands, .shape = shape, .size = 256, .wide_index = true};
  CHECK(Parameters(launch).space_bytes() == 8 * 8 + 32 * 8 * 8);
  ElementwiseLaunch tiled = launch;
  tiled.wide_index = false;
  tiled.tile = 32;
  CHECK(Parameters(tiled).space_bytes() == 3 * 8 * 4 + 33 * 8 * 8);
  operands.push_back(operands.back());
  launch.operands = operands;
  CHECK_THROWS_WITH_AS(Parameters{launch},
                       "cannot launch a kernel of 33 operands over 8 dimensions: at most 32 operands and 1 to 8 dimensions",
                       DeviceError);
  const std::int64_t big[] = {std::int64_t{1} << 31};
  CHECK_THROWS_WITH_AS(Parameters({.operands = {}, .shape = big, .size = big[0]}),
                       "cannot launch a kernel with 32-bit indices over 2147483648 elements", DeviceError);
}

TEST_CASE("a grid covers the work, fills the device and stays within its limits") {
  const GridRequest h200{
      .packs = 1, .unroll = 2, .multiprocessors = 132, .blocks_per_multiprocessor = 8, .max_blocks = 2147483647};
  const auto with = [&](std::int64_t packs) {
    GridRequest request = h200;
    request.packs = packs;
    return grid_for(request);
  };
  CHECK(with(0).blocks == 1);
  CHECK(with(1).blocks == 1);
  CHECK(with(1).threads == 64);
  // Too small for a block of 256 threads on each of 132 multiprocessors: blocks of 128.
  CHECK(with(132 * 128 * 2).threads == 128);
  CHECK(with(132 * 128 * 2).blocks == 132);
  CHECK(with(132 * 256 * 2).threads == 256);
  CHECK(with(132 * 256 * 2 + 1).blocks == 133);
  CHECK(with(1'000'000).blocks == (1'000'000 + 511) / 512);
  // Beyond 64 waves every block does the same number of tiles.
  const std::int64_t most = 132 * 8 * 64;
  CHECK(with(most * 512).blocks == most);
  CHECK(with(most * 512 + 1).blocks == (most + 1 + 1) / 2);

  // A block that was measured stays, however few blocks there are, and more of smaller ones fit at once.
  GridRequest measured = h200;
  measured.threads = 128;
  measured.packs = 1000;
  CHECK(grid_for(measured).threads == 128);
  CHECK(grid_for(measured).blocks == (1000 + 255) / 256);
  measured.packs = 2 * most * 256;
  CHECK(grid_for(measured).blocks == 2 * most);
  measured.threads = 512;
  measured.packs = most * 512;
  CHECK(grid_for(measured).blocks == most / 2);

  GridRequest hip{.packs = std::int64_t{1} << 40, .unroll = 1, .multiprocessors = 100000, .blocks_per_multiprocessor = 8};
  hip.max_blocks = 2147483647;
  hip.max_threads = (std::int64_t{1} << 32) - 1;
  const Grid limited = grid_for(hip);
  CHECK(std::int64_t{limited.blocks} * limited.threads < std::int64_t{1} << 32);
  hip.warp_size = 64;
  hip.packs = 1;
  CHECK(grid_for(hip).threads == 64);
}
