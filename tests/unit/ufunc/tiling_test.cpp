// Which calls go by tiles, by strides and extents alone.
#include "ufunc/tiling.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "kernel/elementwise/tiles.hpp"

using namespace kiln;
using ufunc::Tiling;

namespace {

/// An operand by its strides, in bytes.
struct Lying {
  std::int64_t itemsize;
  Strides strides;
};

/// The last operand is the output.
Tiling tiling(const Shape& shape, const std::vector<Lying>& given, kinds::Masking masking = kinds::Masking::none) {
  std::vector<layout::Operand> laid;
  std::vector<call::Operand> operands;
  for (const Lying& each : given) {
    laid.push_back({&shape, &each.strides, each.itemsize});
    operands.push_back({nullptr, nullptr, each.itemsize});
  }
  const layout::Iteration iteration(shape, laid);
  return ufunc::tiling_of({iteration, operands, operands.size() - 1}, masking);
}

}  // namespace

TEST_CASE("tiling: an operand that lies across, in whichever dimension") {
  const Tiling plain = tiling({100, 200}, {{4, {800, 4}}, {4, {4, 400}}, {4, {800, 4}}});
  CHECK(plain.across == 2);
  CHECK(plain.side == 32);
  CHECK(plain.dimension == 0);
  CHECK(plain.pays);
  CHECK(tiling({100, 200}, {{4, {800, 4}}, {4, {800, 4}}}).across == 0);
  CHECK(tiling({100, 200}, {{4, {800, 4}}, {4, {800, 8}}}).across == 0);
  CHECK(tiling({100, 200}, {{4, {1600, 8}}, {4, {-4, 400}}}).across == 2);
  // Four dimensions, none of which merge.
  CHECK(tiling({40, 33, 4, 50}, {{4, {132000, 4000, 800, 4}}, {4, {4, 160, 5280, 21120}}}).dimension == 0);
  CHECK(tiling({40, 33, 4, 50}, {{4, {132000, 4000, 800, 4}}, {4, {136, 4, 5440, 21760}}}).dimension == 1);
  // The dimension of more bytes.
  const Tiling two =
      tiling({40, 33, 50}, {{8, {13200, 400, 8}}, {4, {4, 160, 5280}}, {8, {264, 8, 10560}}, {8, {13200, 400, 8}}});
  CHECK(two.across == 4);
  CHECK(two.dimension == 1);
}

TEST_CASE("tiling: the side by the widest operand across") {
  CHECK(tiling({100, 200}, {{1, {1, 100}}, {8, {1600, 8}}}).side == 64);
  CHECK(tiling({100, 200}, {{2, {2, 200}}, {8, {1600, 8}}}).side == 64);
  CHECK(tiling({100, 200}, {{1, {1, 100}}, {16, {16, 1600}}, {8, {1600, 8}}}).side == 32);
}

TEST_CASE("tiling: short dimensions do not pay, and large strides and too many tiles have none") {
  CHECK(tiling({32, 32}, {{4, {4, 800}}, {4, {128, 4}}}).pays);
  for (const Shape& shape : {Shape{31, 200}, {200, 31}}) {
    const Tiling short_one = tiling(shape, {{4, {4, 800}}, {4, {shape[1] * 4, 4}}});
    CHECK(short_one.across == 1);
    CHECK_FALSE(short_one.pays);
  }
  CHECK(tiling({100, 200}, {{16, {32, 3200}}, {16, {3200, 16}}}).across == 0);
  const std::int64_t most = std::int64_t{1} << 21;
  CHECK(tiling({most, most}, {{1, {1, most}}, {1, {most, 1}}}).pays);
  for (const Shape& shape : {Shape{most * 64, most}, {std::int64_t{1} << 31, 64}}) {
    const Tiling none = tiling(shape, {{1, {1, shape[0]}}, {1, {shape[1], 1}}});
    CHECK(none.across == 0);
    CHECK_FALSE(none.pays);
  }
}

TEST_CASE("tiling: as many operands as shared memory has room for") {
  std::vector<Lying> given(7, {8, {8, 800}});
  given.push_back({8, {1600, 8}});
  CHECK(tiling({100, 200}, given).across == 0b11111);
  given.assign(11, {4, {4, 400}});
  given.push_back({4, {800, 4}});
  CHECK(tiling({100, 200}, given).across == 0b11111111111);
  CHECK(tiling({100, 200}, given, kinds::Masking::keep).across == 0b1111111111);
  CHECK(kinds::tile_bytes(32, 4) == 32 * 33 * 4);
  CHECK(kinds::tile_bytes(64, 2) == 64 * 66 * 2);
  CHECK(kinds::tile_bytes(64, 1) == 64 * 68);
}

TEST_CASE("tiling: what a launch is made for each index of has no tiles") {
  Shape shape(9, 40);
  for (std::size_t d = 2; d < 8; ++d) shape[d] = 3;
  // An element more for each row, or dimensions would merge. `turned`: of that dimension the elements are neighbours.
  const auto strides = [&](std::size_t turned) {
    Strides made(9, 0);
    made[turned] = 4;
    std::int64_t next = 4 * (shape[turned] + 1);
    for (std::size_t d = 9; d-- > 0;) {
      if (d == turned) continue;
      made[d] = next;
      next *= shape[d] + 1;
    }
    return made;
  };
  CHECK(tiling(shape, {{4, strides(0)}, {4, strides(8)}}).across == 0);
  const Tiling second = tiling(shape, {{4, strides(1)}, {4, strides(8)}});
  CHECK(second.across == 1);
  CHECK(second.dimension == 1);
}
