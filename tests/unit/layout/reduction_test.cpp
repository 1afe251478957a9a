// Kept and reduced axes: sorted, merged, walked backwards.
#include "layout/reduction.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace {

using kiln::layout::Reduction;
using Numbers = std::vector<std::int64_t>;

Reduction make(const Numbers& shape, const Numbers& reduced, const std::vector<Numbers>& strides, bool in_order = false) {
  std::vector<const std::int64_t*> rows;
  for (const Numbers& row : strides) rows.push_back(row.data());
  return Reduction({.shape = shape, .reduced = reduced, .strides = rows, .in_order = in_order});
}

Numbers numbers_of(std::span<const std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

Numbers strides(const Reduction& reduction, std::size_t operand) {
  const std::int64_t* const first = reduction.strides(operand);
  return {first, first + reduction.kept().size() + reduction.reduced().size()};
}

}  // namespace

TEST_CASE("a packed array over its first axes is two dimensions, and over all one") {
  // float32 (2, 3, 4)
  const Numbers own = {48, 16, 4};
  const Reduction first = make({2, 3, 4}, {1, 1, 0}, {own, {0, 0, 4}});
  CHECK(numbers_of(first.kept()) == Numbers{4});
  CHECK(numbers_of(first.reduced()) == Numbers{6});
  CHECK(strides(first, 0) == Numbers{4, 16});
  CHECK(strides(first, 1) == Numbers{4, 0});
  CHECK(first.columns_inside());
  const Reduction all = make({2, 3, 4}, {1, 1, 1}, {own, {0, 0, 0}});
  CHECK(all.kept().empty());
  CHECK(numbers_of(all.reduced()) == Numbers{24});
  CHECK(all.outputs() == 1);
  CHECK(all.count() == 24);
  CHECK_FALSE(all.columns_inside());
}

TEST_CASE("axes between others stay apart, and extents of 1 are dropped") {
  const Reduction middle = make({2, 1, 3, 4}, {0, 1, 1, 0}, {{48, 7, 16, 4}, {16, 0, 0, 4}});
  CHECK(numbers_of(middle.kept()) == Numbers{2, 4});
  CHECK(numbers_of(middle.reduced()) == Numbers{3});
  CHECK(strides(middle, 0) == Numbers{48, 4, 16});
  CHECK(strides(middle, 1) == Numbers{16, 4, 0});
  CHECK(middle.outputs() == 8);
  CHECK(middle.count() == 3);
}

TEST_CASE("the array's strides decide what is inside") {
  // The transpose of a packed (4, 3), over its last axis: rows of the base.
  const Reduction turned = make({3, 4}, {0, 1}, {{4, 12}, {4, 0}});
  CHECK(turned.columns_inside());
  // Two reduced axes that are stored the other way round merge.
  const Reduction both = make({3, 4}, {1, 1}, {{4, 12}, {0, 0}});
  CHECK(numbers_of(both.reduced()) == Numbers{12});
  CHECK(strides(both, 0) == Numbers{4});
}

TEST_CASE("what all operands walk backwards is walked from its other end, unless the order counts") {
  const Reduction back = make({5}, {1}, {{-4}, {0}});
  CHECK(strides(back, 0) == Numbers{4});
  CHECK(back.offset(0) == -16);
  CHECK(back.offset(1) == 0);
  const Reduction ordered = make({5}, {1}, {{-4}, {0}}, true);
  CHECK(strides(ordered, 0) == Numbers{-4});
  CHECK(ordered.offset(0) == 0);
  // The result goes forwards along a kept axis.
  CHECK(strides(make({5}, {0}, {{-4}, {4}}), 0) == Numbers{-4});
}

TEST_CASE("nothing to reduce, and no axes at all") {
  const Reduction none = make({0, 3}, {1, 0}, {{12, 4}, {0, 4}});
  CHECK(none.count() == 0);
  CHECK(none.outputs() == 3);
  const Reduction scalar = make({}, {}, {{}, {}});
  CHECK(scalar.outputs() == 1);
  CHECK(scalar.count() == 1);
  CHECK(scalar.kept().empty());
  CHECK(scalar.reduced().empty());
}

TEST_CASE("more axes than there is room for inside") {
  Numbers shape(30, 2), reduced(30), own(30), result(30, 0);
  for (std::size_t i = 0; i < 30; ++i) {
    reduced[i] = static_cast<std::int64_t>(i % 2);
    own[i] = std::int64_t{4} << (29 - i);
    if (i % 2 == 0) result[i] = std::int64_t{4} << (14 - i / 2);
  }
  const Reduction many = make(shape, reduced, {own, result});
  CHECK(many.kept().size() == 15);
  CHECK(many.reduced().size() == 15);
  CHECK(strides(many, 0).front() == own[0]);
  CHECK(strides(many, 0).back() == own[29]);
  CHECK(strides(many, 1)[14] == 4);
}
