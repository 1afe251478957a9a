// Sorting, flipping and merging of axes, and what is left of a loop that keeps its order.
#include "layout/axes.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

using kiln::Shape;
using kiln::Strides;
using kiln::layout::Axes;
using kiln::layout::merge_in_order;
using Numbers = std::vector<std::int64_t>;

namespace {

Axes make(const Numbers& extents, const std::vector<Numbers>& strides) {
  Axes axes(extents.size(), strides.size());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    axes.append(extents[axis]);
    for (std::size_t k = 0; k < strides.size(); ++k) axes.stride(k, axis) = strides[k][axis];
  }
  return axes;
}

Numbers numbers(std::span<const std::int64_t> of) {
  return {of.begin(), of.end()};
}

std::vector<int> order(const Axes& axes) {
  return {axes.order().begin(), axes.order().end()};
}

Axes sorted(Axes axes, Axes::Sort by) {
  axes.sort(by);
  return axes;
}

Axes merged(const Shape& shape, const std::vector<Strides>& strides) {
  return merge_in_order({shape.data(), shape.size()}, strides);
}

}  // namespace

TEST_CASE("axes: the widest stride goes first, with every operand's strides and its number") {
  const Axes axes = sorted(make({2, 3, 4}, {{4, 32, 8}, {-2, -16, -4}}), Axes::Sort::all_agree);
  CHECK(numbers(axes.extents()) == Numbers{3, 4, 2});
  CHECK(numbers(axes.strides(0)) == Numbers{32, 8, 4});
  CHECK(numbers(axes.strides(1)) == Numbers{-16, -4, -2});
  CHECK(order(axes) == std::vector<int>{1, 2, 0});
}

TEST_CASE("axes: where operands disagree, all of them or the first decide") {
  CHECK(order(sorted(make({3, 4}, {{4, 12}, {16, 4}}), Axes::Sort::all_agree)) == std::vector<int>{0, 1});
  CHECK(order(sorted(make({3, 4}, {{4, 12}, {16, 4}}), Axes::Sort::first_decides)) == std::vector<int>{1, 0});
  // A stride of 0 says nothing, and of equal strides the next operand is asked by one of the two.
  CHECK(order(sorted(make({3, 4}, {{0, 12}, {4, 16}}), Axes::Sort::all_agree)) == std::vector<int>{1, 0});
  CHECK(order(sorted(make({3, 4}, {{8, 8}, {4, 16}}), Axes::Sort::all_agree)) == std::vector<int>{0, 1});
  CHECK(order(sorted(make({3, 4}, {{8, 8}, {4, 16}}), Axes::Sort::first_decides)) == std::vector<int>{1, 0});
}

TEST_CASE("axes: an axis passes over one of which nobody says anything, if all must agree") {
  const auto axes = [] { return make({2, 3, 4}, {{4, 0, 400}}); };
  CHECK(order(sorted(axes(), Axes::Sort::all_agree)) == std::vector<int>{1, 2, 0});
  CHECK(order(sorted(axes(), Axes::Sort::first_decides)) == std::vector<int>{0, 1, 2});
}

TEST_CASE("axes: what all walk backwards is flipped, whatever the follower does") {
  Axes axes = make({5, 2, 3}, {{-8, -4, 0}, {-80, 4, -1}});
  axes.flip();
  CHECK(numbers(axes.strides(0)) == Numbers{8, -4, 0});
  CHECK(numbers(axes.strides(1)) == Numbers{80, 4, 1});
  CHECK(axes.offset(0) == -32);
  CHECK(axes.offset(1) == -322);
  Axes led = make({5, 2}, {{-8, -4}, {80, -4}});
  led.flip(0, 1);
  CHECK(numbers(led.strides(0)) == Numbers{8, 4});
  CHECK(numbers(led.strides(1)) == Numbers{-80, 4});
  CHECK(led.offset(1) == 316);
  Axes later = make({5, 2}, {{-8, -4}});
  later.flip(1);
  CHECK(numbers(later.strides(0)) == Numbers{-8, 4});
  CHECK(make({5}, {{-8}}).offset(0) == 0);
}

TEST_CASE("axes: those that come later are sorted and merged by themselves") {
  Axes axes = make({4, 3, 2}, {{4, 16, 48}});
  axes.sort(Axes::Sort::first_decides, 1);
  CHECK(order(axes) == std::vector<int>{0, 2, 1});
  axes.merge(1);
  CHECK(numbers(axes.extents()) == Numbers{4, 6});
  CHECK(numbers(axes.strides(0)) == Numbers{4, 16});
  Axes apart = make({6, 4}, {{16, 4}});
  apart.merge(1);
  CHECK(numbers(apart.extents()) == Numbers{6, 4});
}

TEST_CASE("axes: an axis is moved either way") {
  Axes axes = make({2, 3, 4}, {{24, 8, 2}});
  axes.move(0, 2);
  CHECK(numbers(axes.extents()) == Numbers{3, 4, 2});
  CHECK(numbers(axes.strides(0)) == Numbers{8, 2, 24});
  axes.move(2, 0);
  CHECK(numbers(axes.extents()) == Numbers{2, 3, 4});
  CHECK(order(axes) == std::vector<int>{0, 1, 2});
}

TEST_CASE("axes: there is no bound to their number") {
  Numbers extents(40, 2);
  Numbers strides(40);
  for (std::size_t axis = 0; axis < 40; ++axis) strides[axis] = std::int64_t{1} << axis;
  Axes axes = sorted(make(extents, {strides, strides, strides}), Axes::Sort::all_agree);
  CHECK(order(axes).front() == 39);
  axes.merge();
  CHECK(numbers(axes.extents()) == Numbers{std::int64_t{1} << 40});
  CHECK(numbers(axes.strides(2)) == Numbers{1});
}

TEST_CASE("merge: neighbours that lie behind one another become one dimension") {
  const Axes packed = merged({2, 3, 4}, {{48, 16, 4}, {96, 32, 8}});
  CHECK(numbers(packed.extents()) == Numbers{24});
  CHECK(numbers(packed.strides(0)) == Numbers{4});
  CHECK(numbers(packed.strides(1)) == Numbers{8});
  // Only where they do in every operand.
  CHECK(numbers(merged({2, 3, 4}, {{48, 16, 4}, {48, 20, 4}}).extents()) == Numbers{2, 3, 4});
  const Axes inner = merged({2, 3, 4}, {{48, 16, 4}, {100, 32, 8}});
  CHECK(numbers(inner.extents()) == Numbers{2, 12});
  CHECK(numbers(inner.strides(0)) == Numbers{48, 4});
  CHECK(numbers(inner.strides(1)) == Numbers{100, 8});
}

TEST_CASE("merge: the order of the dimensions stays") {
  const Axes turned = merged({3, 2}, {{4, 12}});
  CHECK(numbers(turned.extents()) == Numbers{3, 2});
  CHECK(numbers(turned.strides(0)) == Numbers{4, 12});
}

TEST_CASE("merge: extents of 1 go, repeated axes join, and nothing is one dimension") {
  CHECK(numbers(merged({1, 5, 1}, {{7, 4, 9}}).extents()) == Numbers{5});
  const Axes repeated = merged({4, 5}, {{0, 0}});
  CHECK(numbers(repeated.extents()) == Numbers{20});
  CHECK(numbers(repeated.strides(0)) == Numbers{0});
  const Axes none = merged({}, {{}, {}});
  CHECK(numbers(none.extents()) == Numbers{1});
  CHECK(numbers(none.strides(0)) == Numbers{0});
  CHECK(numbers(none.strides(1)) == Numbers{0});
}

TEST_CASE("axes: a stride whose way beyond the last element does not fit in 63 bits joins nothing") {
  const std::int64_t huge = INT64_MAX / 2;
  const Axes axes = merged({2, 3}, {{8, huge}});
  CHECK(axes.rank() == 2);
}
