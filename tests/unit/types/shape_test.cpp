// Lists of numbers, inline and on the heap.
#include "kiln/shape.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <new>
#include <utility>
#include <vector>

using kiln::Dims;

namespace {

Dims counted(std::size_t count) {
  Dims dims;
  for (std::size_t i = 0; i < count; ++i) dims.push_back(static_cast<std::int64_t>(10 * i + 7));
  return dims;
}

std::vector<std::int64_t> values(const Dims& dims) {
  return {dims.begin(), dims.end()};
}

}  // namespace

TEST_CASE("dims: copies and moves have the values, inline and on the heap") {
  for (std::size_t count = 0; count <= 3 * Dims::kInline; ++count) {
    CAPTURE(count);
    const Dims dims = counted(count);
    CHECK(dims.size() == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(dims[i] == static_cast<std::int64_t>(10 * i + 7));
    Dims copy = dims;
    CHECK(copy == dims);
    if (count > 0) {
      copy[count - 1] = -1;
      CHECK(copy != dims);
      CHECK(dims.back() == static_cast<std::int64_t>(10 * count - 3));
    }
    Dims moved = std::move(copy);
    CHECK(moved.size() == count);
    CHECK(copy.empty());  // NOLINT(bugprone-use-after-move): a moved-from list is empty
    copy.push_back(1);
    CHECK(values(copy) == std::vector<std::int64_t>{1});
    // Over each size, so that memory of the heap replaces inline values and the other way round.
    for (const std::size_t other : {std::size_t{0}, std::size_t{3}, 2 * Dims::kInline}) {
      Dims target = counted(other);
      target = dims;
      CHECK(target == dims);
      Dims source = dims;
      target = counted(other);
      target = std::move(source);
      CHECK(target == dims);
    }
  }
}

TEST_CASE("dims: an assignment to itself changes nothing") {
  for (const std::size_t count : {std::size_t{2}, 2 * Dims::kInline}) {
    Dims dims = counted(count);
    const Dims& same = dims;
    dims = same;
    CHECK(dims == counted(count));
  }
}

TEST_CASE("dims: resizing preserves the first values and adds zeros") {
  Dims dims = counted(3);
  dims.resize(2 * Dims::kInline);
  CHECK(dims[2] == 27);
  CHECK(dims[3] == 0);
  CHECK(dims.back() == 0);
  dims.resize(1);
  dims.resize(3);
  CHECK(values(dims) == std::vector<std::int64_t>{7, 0, 0});
}

TEST_CASE("dims: a count that is no count has no memory") {
  CHECK_THROWS_AS((Dims(-1, 0)), std::bad_alloc);
  CHECK_THROWS_AS((Dims(std::int64_t{1} << 40, 0)), std::bad_alloc);
}
