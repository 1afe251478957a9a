// Boxes cover the loop once each, in the order of the axes, and have about the bytes that were asked for.
#include "chunk/cut.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using kiln::Shape;
using kiln::chunk::Box;
using kiln::chunk::Cut;

namespace {

/// How often each element of the loop is in a box.
std::vector<int> counts(const Cut& cut) {
  const Shape& loop = cut.loop();
  std::int64_t size = 1;
  for (const std::int64_t extent : loop) size *= extent;
  std::vector<int> found(static_cast<std::size_t>(size));
  for (std::int64_t chunk = 0; chunk < cut.count(); ++chunk) {
    const Box box = cut.box(chunk);
    for (std::int64_t flat = 0; flat < size; ++flat) {
      std::int64_t rest = flat;
      bool inside = true;
      for (std::size_t d = loop.size(); d-- > 0; rest /= loop[d]) {
        const std::int64_t index = rest % loop[d];
        inside = inside && index >= box.begin[d] && index < box.end[d];
      }
      if (inside) ++found[static_cast<std::size_t>(flat)];
    }
  }
  return found;
}

}  // namespace

TEST_CASE("cut: every element is in one box") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    Shape loop;
    for (std::size_t d = random() % 4; d-- > 0;) loop.push_back(static_cast<std::int64_t>(1 + random() % 9));
    std::vector<std::size_t> order(loop.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    order.resize(random() % (order.size() + 1));
    const Cut cut(loop, order, static_cast<std::int64_t>(random() % 4000), static_cast<std::int64_t>(random() % 500));
    CAPTURE(round);
    const std::vector<int> found = counts(cut);
    CHECK(std::all_of(found.begin(), found.end(), [](int count) { return count == 1; }));
    for (std::size_t d = 0; d < loop.size(); ++d) {
      const bool may = std::find(order.begin(), order.end(), d) != order.end();
      CHECK((may || !cut.cuts(d)));
    }
  }
}

TEST_CASE("cut: the outermost axes first, and no box of more bytes than asked for") {
  const std::size_t order[] = {1, 0, 2};
  const Cut cut({10, 4, 100}, order, 4 * 4000, 4 * 250);
  // Axis 1 index by index, two or more indices of axis 0 at once, axis 2 whole.
  CHECK(cut.parts(1) == 4);
  CHECK(cut.parts(0) == 5);
  CHECK(cut.parts(2) == 1);
  CHECK(cut.count() == 20);
  CHECK(cut.box(0).size() == 200);
  CHECK(cut.box(1).begin == kiln::Dims{2, 0, 0});
  CHECK(cut.box(5).begin == kiln::Dims{0, 1, 0});
  CHECK(cut.part(0, cut.box(7)) == 2);
}

TEST_CASE("cut: rows of an innermost axis begin at whole pages") {
  const std::size_t order[] = {0};
  const Cut cut({100'000'000}, order, 1'600'000'000, 64 << 20);
  for (std::int64_t chunk = 0; chunk < cut.count(); ++chunk) CHECK(cut.box(chunk).begin[0] % 4096 == 0);
  CHECK(cut.box(0).size() * 16 < (64 << 20) * 5 / 4);
}
