#include "layout/iteration.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using kiln::Shape;
using kiln::Strides;
using kiln::layout::Iteration;
using kiln::layout::Operand;

namespace {

std::vector<std::int64_t> list(std::span<const std::int64_t> values) {
  return {values.begin(), values.end()};
}

/// Every tuple of operand offsets that a loop visits, with its count.
using Visits = std::map<std::vector<std::int64_t>, int>;

Visits visits_of(const Iteration& iteration, std::size_t operands) {
  Visits visits;
  const auto shape = list(iteration.shape());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t n = 0; n < iteration.size(); ++n) {
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < operands; ++i) {
      std::int64_t offset = iteration.offset(i);
      for (std::size_t d = 0; d < shape.size(); ++d) offset += index[d] * iteration.strides(i)[d];
      offsets.push_back(offset);
    }
    ++visits[offsets];
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return visits;
}

Visits expected_visits(const Shape& shape, std::span<const Operand> operands) {
  Visits visits;
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t size = 1;
  for (const auto extent : shape) size *= extent;
  for (std::int64_t n = 0; n < size; ++n) {
    std::vector<std::int64_t> offsets;
    for (const Operand& operand : operands) {
      const std::size_t skip = shape.size() - operand.shape->size();
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < operand.shape->size(); ++d) {
        if ((*operand.shape)[d] != 1) offset += index[skip + d] * (*operand.strides)[d];
      }
      offsets.push_back(offset);
    }
    ++visits[offsets];
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return visits;
}

}  // namespace

TEST_CASE("packed operands merge to one dimension") {
  const Shape shape{4, 5, 6};
  const Strides strides{120, 24, 4};
  const Operand operand{&shape, &strides, 4};
  const std::vector<Operand> operands{operand, operand};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.shape()) == std::vector<std::int64_t>{120});
  CHECK(list(iteration.strides(0)) == std::vector<std::int64_t>{4});
}

TEST_CASE("Fortran order is walked in its own order, and a new output follows it") {
  const Shape shape{3, 4};
  const Strides strides{8, 24};
  const std::vector<Operand> operands{{&shape, &strides, 8}, {nullptr, nullptr, 4}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.shape()) == std::vector<std::int64_t>{12});
  CHECK(list(iteration.strides(1)) == std::vector<std::int64_t>{4});
  CHECK(std::vector<int>(iteration.memory_order().begin(), iteration.memory_order().end()) == std::vector<int>{1, 0});
}

TEST_CASE("operands that disagree keep C order") {
  const Shape shape{3, 4};
  const Strides c{16, 4};
  const Strides f{4, 12};
  const std::vector<Operand> operands{{&shape, &f, 4}, {&shape, &c, 4}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.shape()) == std::vector<std::int64_t>{3, 4});
  CHECK(list(iteration.strides(0)) == std::vector<std::int64_t>{4, 12});
}

TEST_CASE("a column broadcasts with stride 0 innermost") {
  const Shape shape{3, 4};
  const Shape column{3, 1};
  const Strides packed{16, 4};
  const Strides stride{4, 4};
  const std::vector<Operand> operands{{&shape, &packed, 4}, {&column, &stride, 4}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.strides(1)) == std::vector<std::int64_t>{4, 0});
}

TEST_CASE("axes that all run backwards are flipped") {
  const Shape shape{5};
  const Strides strides{-8};
  const std::vector<Operand> operands{{&shape, &strides, 8}, {&shape, &strides, 8}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.strides(0)) == std::vector<std::int64_t>{8});
  CHECK(iteration.offset(0) == -32);
}

TEST_CASE("one element is one packed step") {
  const Shape shape{1, 1};
  const Strides strides{400, -16};
  const std::vector<Operand> operands{{&shape, &strides, 8}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.shape()) == std::vector<std::int64_t>{1});
  CHECK(list(iteration.strides(0)) == std::vector<std::int64_t>{8});
}

TEST_CASE("a loop of many axes needs no bound") {
  Shape shape(40, 1);
  Strides strides(40, 0);
  shape[3] = 2;
  shape[20] = 3;
  shape[39] = 2;
  strides[3] = 1000;
  strides[20] = -50;
  strides[39] = 4;
  const std::vector<Operand> operands{{&shape, &strides, 4}, {nullptr, nullptr, 4}};
  const Iteration iteration(shape, operands);
  CHECK(list(iteration.shape()) == std::vector<std::int64_t>{2, 3, 2});
  CHECK(list(iteration.strides(1)) == std::vector<std::int64_t>{24, 8, 4});
}

TEST_CASE("random loops visit the elements that index arithmetic visits") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 2000; ++round) {
    const int ndim = pick(0, 6);
    Shape shape;
    for (int d = 0; d < ndim; ++d) shape.push_back(pick(1, 4));
    std::vector<Shape> shapes(3);
    std::vector<Strides> strides(3);
    for (int i = 0; i < 3; ++i) {
      const int own = i == 2 ? ndim : pick(0, ndim);
      for (int d = ndim - own; d < ndim; ++d) {
        const bool one = i < 2 && pick(0, 3) == 0;
        shapes[static_cast<std::size_t>(i)].push_back(one ? 1 : shape[static_cast<std::size_t>(d)]);
        strides[static_cast<std::size_t>(i)].push_back(4 * pick(-6, 6));
      }
      // Packed layouts, so that merging happens often.
      if (pick(0, 1) == 0) {
        std::int64_t step = 4;
        for (std::size_t d = shapes[static_cast<std::size_t>(i)].size(); d-- > 0;) {
          strides[static_cast<std::size_t>(i)][d] = step;
          step *= shapes[static_cast<std::size_t>(i)][d];
        }
      }
    }
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < 3; ++i) operands.push_back({&shapes[i], &strides[i], 4});
    const Iteration iteration(shape, operands);
    CHECK(visits_of(iteration, 3) == expected_visits(shape, operands));
  }
}
