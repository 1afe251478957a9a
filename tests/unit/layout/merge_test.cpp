#include "layout/merge.hpp"

#include <doctest/doctest.h>

using kiln::Shape;
using kiln::Strides;
using kiln::layout::broadcast_strides;
using kiln::layout::merge_in_order;
using kiln::layout::Merged;
using Numbers = std::vector<std::int64_t>;

namespace {

Merged merged(const Shape& shape, const std::vector<Strides>& strides) {
  return merge_in_order({shape.data(), shape.size()}, strides);
}

}  // namespace

TEST_CASE("merge: neighbours that lie behind one another become one dimension") {
  const Merged packed = merged({2, 3, 4}, {{48, 16, 4}, {96, 32, 8}});
  CHECK(packed.shape == Numbers{24});
  CHECK(packed.strides == std::vector<Numbers>{{4}, {8}});
  // Only where they do in every operand.
  const Merged half = merged({2, 3, 4}, {{48, 16, 4}, {48, 20, 4}});
  CHECK(half.shape == Numbers{2, 3, 4});
  const Merged inner = merged({2, 3, 4}, {{48, 16, 4}, {100, 32, 8}});
  CHECK(inner.shape == Numbers{2, 12});
  CHECK(inner.strides == std::vector<Numbers>{{48, 4}, {100, 8}});
}

TEST_CASE("merge: the order of the dimensions stays") {
  const Merged turned = merged({3, 2}, {{4, 12}});
  CHECK(turned.shape == Numbers{3, 2});
  CHECK(turned.strides == std::vector<Numbers>{{4, 12}});
}

TEST_CASE("merge: extents of 1 go, repeated axes join, and nothing is one dimension") {
  CHECK(merged({1, 5, 1}, {{7, 4, 9}}).shape == Numbers{5});
  const Merged repeated = merged({4, 5}, {{0, 0}});
  CHECK(repeated.shape == Numbers{20});
  CHECK(repeated.strides == std::vector<Numbers>{{0}});
  const Merged none = merged({}, {{}, {}});
  CHECK(none.shape == Numbers{1});
  CHECK(none.strides == std::vector<Numbers>{{0}, {0}});
}

TEST_CASE("merge: strides of a broadcast") {
  CHECK(broadcast_strides({3, 1}, {8, 4}, {2, 3, 5}) == Strides{0, 8, 0});
  CHECK(broadcast_strides({}, {}, {2}) == Strides{0});
}
