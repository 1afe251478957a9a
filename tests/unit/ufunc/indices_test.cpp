#include "ufunc/indices.hpp"

#include <doctest/doctest.h>

#include <vector>

using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::Slice;
using kiln::ufunc::Collisions;
using kiln::ufunc::collisions_of;
using kiln::ufunc::find_bad_index;
using kiln::ufunc::target_offsets;

TEST_CASE("indices: both ends of the range") {
  const Array good = Array::from<std::int8_t>({-5, 4, 0, -1});
  CHECK_FALSE(find_bad_index(*good.rep(), 5));
  CHECK(find_bad_index(*Array::from<std::int8_t>({0, 5}).rep(), 5)->text == "5");
  CHECK(find_bad_index(*Array::from<std::int64_t>({0, -6}).rep(), 5)->text == "-6");
  CHECK(find_bad_index(*Array::from<std::uint64_t>({~std::uint64_t{0}}).rep(), 5)->text == "18446744073709551615");
  CHECK(find_bad_index(*Array::from<std::int64_t>({INT64_MIN}).rep(), 5)->text == "-9223372036854775808");
  CHECK(find_bad_index(*Array::from<std::int16_t>({0}).rep(), 0));
  CHECK_FALSE(find_bad_index(*Array::zeros({0}, DType::int32).rep(), 0));
}

TEST_CASE("indices: the first bad one in C order, whatever the layout") {
  std::vector<std::int32_t> values(3000, 1);
  values[2500] = 9;
  values[2900] = -9;
  const Array all = Array::from(values, Shape{30, 100});
  CHECK(find_bad_index(*all.rep(), 3)->position == Shape{25, 0});
  // Read the other way round the one at (29, 0) turned comes after (25, 0) turned, too; from the end it comes first.
  CHECK(find_bad_index(*all.transpose().rep(), 3)->position == Shape{0, 25});
  const Array back = all[{Slice{.step = -1}}];
  CHECK(find_bad_index(*back.rep(), 3)->position == Shape{0, 0});
  CHECK(find_bad_index(*back.rep(), 3)->text == "-9");
  // More elements than anybody looks at, which are few.
  const Array two = Array::from<std::int32_t>({1, 7}, Shape{2, 1}).broadcast_to({2, std::int64_t{1} << 50});
  CHECK_FALSE(find_bad_index(*two.rep(), 8));
  CHECK(find_bad_index(*two.rep(), 7)->position == Shape{1, 0});
}

TEST_CASE("indices: where they lead, and what meets there") {
  const Array target = Array::zeros({4, 3}, DType::float64);
  const Array rows = Array::from<std::int16_t>({1, -1, 1, 0});
  const Array columns = Array::from<std::uint8_t>({2});
  const Array both[] = {rows, columns};
  const std::vector<std::int64_t> offsets = target_offsets(both, {4}, *target.rep());
  CHECK(offsets == std::vector<std::int64_t>{40, 88, 40, 16});
  const Collisions collisions = collisions_of(offsets);
  CHECK(collisions.order == std::vector<std::int64_t>{3, 0, 2, 1});
  CHECK(collisions.starts == std::vector<std::int64_t>{0, 1, 3, 4});
}
