// Axes by number; the texts of errors are tests/conformance/reduce_test.cpp's.
#include "array/named_axes.hpp"

#include <doctest/doctest.h>

#include "kiln/error.hpp"

using kiln::Axes;
using kiln::Dims;
using kiln::Shape;
using kiln::detail::named_axes;

namespace {

const auto kCall = [] { return std::string("f"); };

}  // namespace

TEST_CASE("axes count from either end") {
  const Shape shape{2, 3, 4};
  CHECK(named_axes(kCall, 0, shape) == Dims{1, 0, 0});
  CHECK(named_axes(kCall, -1, shape) == Dims{0, 0, 1});
  CHECK(named_axes(kCall, {2, -3}, shape) == Dims{1, 0, 1});
  CHECK(named_axes(kCall, kiln::all_axes, shape) == Dims{1, 1, 1});
  CHECK(named_axes(kCall, kiln::no_axes, shape) == Dims{0, 0, 0});
  CHECK_THROWS_AS(static_cast<void>(named_axes(kCall, 3, shape)), kiln::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(named_axes(kCall, {1, 1}, shape)), kiln::ShapeError);
}

TEST_CASE("a 0-d array has axes 0 and -1, once") {
  CHECK(named_axes(kCall, 0, Shape{}).empty());
  CHECK(named_axes(kCall, -1, Shape{}).empty());
  CHECK(named_axes(kCall, kiln::all_axes, Shape{}).empty());
  CHECK_THROWS_AS(static_cast<void>(named_axes(kCall, 1, Shape{})), kiln::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(named_axes(kCall, {0, -1}, Shape{})), kiln::ShapeError);
}
