#include "layout/broadcast.hpp"

#include <doctest/doctest.h>

using kiln::Shape;
using kiln::Strides;
using kiln::layout::broadcast_into;
using kiln::layout::broadcast_strides;
using kiln::layout::broadcasts_to;

TEST_CASE("shapes broadcast from the last axis") {
  // numpy.broadcast_shapes((5, 1, 3), (4, 1)) == (5, 4, 3)
  Shape shape{5, 1, 3};
  REQUIRE(broadcast_into(shape, Shape{4, 1}));
  CHECK(shape == Shape{5, 4, 3});
  Shape narrow{3};
  REQUIRE(broadcast_into(narrow, Shape{2, 1, 1}));
  CHECK(narrow == Shape{2, 1, 3});
  Shape scalar{};
  REQUIRE(broadcast_into(scalar, Shape{7}));
  CHECK(scalar == Shape{7});
}

TEST_CASE("size 0 broadcasts with 1 only") {
  Shape shape{0};
  REQUIRE(broadcast_into(shape, Shape{1}));
  CHECK(shape == Shape{0});
  Shape one{1};
  REQUIRE(broadcast_into(one, Shape{0}));
  CHECK(one == Shape{0});
  Shape two{2};
  CHECK_FALSE(broadcast_into(two, Shape{0}));
}

TEST_CASE("extents that differ do not broadcast") {
  Shape shape{2, 3};
  CHECK_FALSE(broadcast_into(shape, Shape{2}));
  CHECK(broadcasts_to(Shape{1, 3}, Shape{4, 2, 3}));
  CHECK_FALSE(broadcasts_to(Shape{4, 2, 3}, Shape{2, 3}));
  CHECK_FALSE(broadcasts_to(Shape{2}, Shape{1}));
}

TEST_CASE("strides of a broadcast") {
  CHECK(broadcast_strides({3, 1}, {8, 4}, {2, 3, 5}) == Strides{0, 8, 0});
  CHECK(broadcast_strides({}, {}, {2}) == Strides{0});
}
