// A loop without its axes of extent 1 is the loop with them.
#include "layout/squeeze.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using kiln::Dims;
using kiln::Shape;
using kiln::Strides;
using kiln::layout::has_ones;
using kiln::layout::Iteration;
using kiln::layout::Operand;
using kiln::layout::Squeezed;
using kiln::layout::unsqueezed_order;

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers all_numbers(std::span<const std::int64_t> values) {
  return {values.begin(), values.end()};
}

/// A loop, and arrays that broadcast to it, laid out at random.
struct Case {
  explicit Case(std::mt19937& random) {
    const auto draw = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most + 1)); };
    const auto axes = static_cast<std::size_t>(draw(9));
    for (std::size_t axis = 0; axis < axes; ++axis) shape.push_back(draw(1) == 0 ? 1 : 2 + draw(2));
    shapes.resize(1 + static_cast<std::size_t>(draw(9)));
    strides.resize(shapes.size());
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const auto missing = draw(3) == 0 ? static_cast<std::size_t>(draw(static_cast<int>(axes))) : 0;
      for (std::size_t axis = missing; axis < axes; ++axis) {
        shapes[k].push_back(draw(5) == 0 ? 1 : shape[axis]);
        strides[k].push_back(4 * (draw(60) - 20));
      }
    }
    const bool fresh = draw(1) == 0;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      operands.push_back(fresh && k > 0 && k + 1 == shapes.size() ? Operand{nullptr, nullptr, 4}
                                                                  : Operand{&shapes[k], &strides[k], 4});
    }
  }
  Shape shape;
  std::vector<Shape> shapes;
  std::vector<Strides> strides;
  std::vector<Operand> operands;
};

}  // namespace

TEST_CASE("squeeze: the loop and the order in memory are those of all axes") {
  std::mt19937 random(7);
  int moved = 0;
  for (int round = 0; round < 20000; ++round) {
    const Case drawn(random);
    const Iteration whole(drawn.shape, drawn.operands);
    std::vector<Operand> operands = drawn.operands;
    const Squeezed squeezed(drawn.shape, operands);
    CHECK_FALSE(has_ones(squeezed.shape()));
    const Iteration short_loop(squeezed.shape(), operands);
    CAPTURE(round);
    REQUIRE(all_numbers(short_loop.shape()) == all_numbers(whole.shape()));
    REQUIRE(short_loop.size() == whole.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      REQUIRE(all_numbers(short_loop.strides(k)) == all_numbers(whole.strides(k)));
      REQUIRE(short_loop.offset(k) == whole.offset(k));
    }
    const auto order = whole.memory_order();
    REQUIRE(unsqueezed_order(drawn.shape.size(), squeezed.axes(), short_loop.memory_order()) ==
            std::vector<int>(order.begin(), order.end()));
    moved += std::is_sorted(order.begin(), order.end()) ? 0 : 1;
  }
  CHECK(moved > 1000);
}

TEST_CASE("squeeze: which shapes have an extent of 1") {
  CHECK(has_ones({2, 1}));
  CHECK(has_ones({1}));
  CHECK_FALSE(has_ones({2, 3}));
  CHECK_FALSE(has_ones({}));
}
