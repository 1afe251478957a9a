// Indices in and out of range, in each mode.
#include "functions/places.hpp"

#include <doctest/doctest.h>

#include "kiln/error.hpp"

using kiln::Array;
using kiln::IndexMode;
using kiln::functions::checked_places;

namespace {

std::vector<std::int64_t> places(const Array& indices, std::int64_t extent, IndexMode mode) {
  return checked_places("f", indices, extent, mode).to_vector<std::int64_t>();
}

using List = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("indices in range stay, negative ones too") {
  CHECK(places(Array::from<std::int8_t>({0, 2, -3}), 3, IndexMode::raise) == List{0, 2, -3});
  CHECK(places(Array::from<std::uint64_t>({2}), 3, IndexMode::raise) == List{2});
  CHECK(places(Array::from<int>({}), 0, IndexMode::raise).empty());
}

TEST_CASE("indices out of range") {
  const Array indices = Array::from({-7, -1, 0, 3, 10});
  CHECK(places(indices, 3, IndexMode::wrap) == List{2, 2, 0, 0, 1});
  CHECK(places(indices, 3, IndexMode::clip) == List{0, 0, 0, 2, 2});
  CHECK_THROWS_AS(places(indices, 3, IndexMode::raise), kiln::ShapeError);
  CHECK_THROWS_AS(places(Array::from({3}), 3, IndexMode::raise), kiln::ShapeError);
  CHECK_THROWS_AS(places(Array::from({-4}), 3, IndexMode::raise), kiln::ShapeError);
  CHECK_THROWS_AS(places(Array::from<std::uint64_t>({std::uint64_t{1} << 63}), 3, IndexMode::raise), kiln::ShapeError);
  for (const IndexMode mode : {IndexMode::raise, IndexMode::wrap, IndexMode::clip}) {
    CHECK_THROWS_AS(places(indices, 0, mode), kiln::ShapeError);
  }
  CHECK_THROWS_AS(places(Array::from({1.0}), 3, IndexMode::raise), kiln::TypeError);
  CHECK_THROWS_AS(places(Array::from({true}), 3, IndexMode::clip), kiln::TypeError);
}
