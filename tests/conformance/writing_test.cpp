// Writing elements of arrays: assign(), fill(), and C++'s operators.
#include <algorithm>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "kiln/operators.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Casting;
using kiln::DType;
using kiln::Shape;
using kiln::ShapeError;
using kiln::Slice;
using kiln::TypeError;

namespace {

constexpr std::initializer_list<Mode> kPlaces = {Mode::host, Mode::device};

Array counting(const Shape& shape, DType dtype = DType::float32) {
  std::vector<double> values(static_cast<std::size_t>(Array::empty(shape, DType::int8).size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return Array::from(values, shape).astype(dtype);
}

using List = std::vector<double>;

static_assert(std::is_assignable_v<Array, const Array&> && std::is_assignable_v<Array, double>, "a[…] = b writes");
static_assert(!std::is_assignable_v<Array&, double>, "a = 1.5 names no array");
static_assert(std::is_assignable_v<Array&, const Array&> && std::is_assignable_v<Array&, Array>);

}  // namespace

TEST_CASE("writing: a view's elements are assigned, broadcast and converted") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(counting({3, 4}));
        a[{Slice{0, 2}, Slice{.step = 2}}].assign(target.place(counting({2, 2}, DType::float64)));
        CHECK(list_of(target.fetch(a)) == List{0, 1, 1, 3, 2, 5, 3, 7, 8, 9, 10, 11});
        a[2].assign(target.place(Array::from<std::int16_t>({-5})));
        CHECK(list_of(target.fetch(a)) == List{0, 1, 1, 3, 2, 5, 3, 7, -5, -5, -5, -5});
        a.transpose()[0].assign(target.place(Array::scalar(true)));
        CHECK(list_of(target.fetch(a)) == List{1, 1, 1, 3, 1, 5, 3, 7, 1, -5, -5, -5});
        a[{Slice{1, 1}}].assign(a[0]);  // no elements
        CHECK(list_of(target.fetch(a)) == List{1, 1, 1, 3, 1, 5, 3, 7, 1, -5, -5, -5});
        const Array whole = target.place(Array::from<std::int8_t>({1, 2, 3}));
        whole.assign(target.place(Array::from<double>({2.9, -100.5, 0})), Casting::unsafe);
        CHECK(list_of(target.fetch(whole)) == List{2, -100, 0});
      },
      kPlaces);
}

TEST_CASE("writing: an indexed array is assigned to") {
  on_every_device(
      [&](const Target& target) {
        Array a = target.place(counting({3, 4}));
        const Array b = target.place(Array::from<std::int16_t>({-5}));
        a[{Slice{0, 2}, Slice{.step = 2}}] = target.place(counting({2, 2}));
        CHECK(list_of(target.fetch(a)) == List{0, 1, 1, 3, 2, 5, 3, 7, 8, 9, 10, 11});
        a[2] = b;
        a[{0, Slice{2, 4}}] = 2.5;
        a[{1, 1}] = a[{0, 2}];
        CHECK(list_of(target.fetch(a)) == List{0, 1, 2.5, 2.5, 2, 2.5, 3, 7, -5, -5, -5, -5});
        const Array same = a;
        a = b;  // the handle names another array, and nothing is written
        CHECK(list_of(target.fetch(same))[0] == 0);
        CHECK(a.size() == 1);
        CHECK_THROWS_AS(same[0] = target.place(counting({5})), ShapeError);
        CHECK(message_of<TypeError>([&] { same.as_read_only()[0] = 1; }) ==
              "fill: the array is read-only; write to a copy() of it");
      },
      kPlaces);
}

TEST_CASE("writing: a source may overlap what it is assigned to") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(counting({8}));
        a[Slice{1, 8}].assign(a[Slice{0, 7}]);
        CHECK(list_of(target.fetch(a)) == List{0, 0, 1, 2, 3, 4, 5, 6});
        a.assign(a[{Slice{.step = -1}}]);
        CHECK(list_of(target.fetch(a)) == List{6, 5, 4, 3, 2, 1, 0, 0});
      },
      kPlaces);
}

TEST_CASE("writing: between the host and a device") {
  on_every_device(
      [&](const Target& target) {
        const Array there = target.place(counting({2, 3}));
        const Array here = Array::full<std::int32_t>({2, 3}, 7);
        there[{0, Slice{1, 3}}].assign(here[{0, Slice{1, 3}}]);
        CHECK(list_of(target.fetch(there)) == List{0, 7, 7, 3, 4, 5});
        here[1].assign(there[1], Casting::unsafe);
        CHECK(list_of(here) == List{7, 7, 7, 3, 4, 5});
      },
      {Mode::device});
}

TEST_CASE("writing: one value for every element") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::zeros({2, 4}, DType::float32));
        a[{kiln::all, Slice{1, 3}}].fill(2.5);
        a[{0, 0}].fill(true);
        CHECK(list_of(target.fetch(a)) == List{1, 2.5, 2.5, 0, 0, 2.5, 2.5, 0});
        const Array bytes = target.place(Array::zeros({2}, DType::uint8));
        bytes.fill(255);
        CHECK(list_of(target.fetch(bytes)) == List{255, 255});
        CHECK(message_of<TypeError>([&] { bytes.fill(256); }) == "fill: the integer 256 does not fit in uint8");
        CHECK(message_of<TypeError>([&] { bytes.fill(1.0); }) ==
              "fill: a value of dtype float64 does not convert to uint8; convert it first");
        CHECK(list_of(target.fetch(bytes)) == List{255, 255});
      },
      kPlaces);
}

TEST_CASE("writing: what cannot be assigned changes nothing") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::from<std::int32_t>({1, 2}));
        const Array b = target.place(Array::from<double>({3, 4}));
        CHECK(message_of<TypeError>([&] { a.assign(b); }) ==
              "assign: cannot cast from float64 to int32 under casting \"same_kind\"; give Casting::unsafe to convert all the "
              "same");
        CHECK(message_of<ShapeError>([&] { a.assign(target.place(Array::from<std::int32_t>({1, 2, 3}))); }) ==
              "assign: the source of shape (3,) does not broadcast to (2,)");
        CHECK(message_of<TypeError>([&] { a.as_read_only().assign(a); }) ==
              "assign: the array is read-only; write to a copy() of it");
        CHECK(message_of<TypeError>([&] { a.broadcast_to({2, 2}).fill(1); }) ==
              "fill: the array is read-only; write to a copy() of it");
        CHECK_THROWS_AS(a.assign(Array()), TypeError);
        CHECK_THROWS_AS(Array().fill(1), TypeError);
        CHECK(list_of(target.fetch(a)) == List{1, 2});
      },
      kPlaces);
}

TEST_CASE("writing: elements are fetched into a view") {
  on_every_device(
      [&](const Target& target) {
        const Array here = Array::zeros({2, 3}, DType::float32);
        target.place(counting({3})).copy_to_host(here[1]);
        CHECK(list_of(here) == List{0, 0, 0, 0, 1, 2});
      },
      kPlaces);
}

TEST_CASE("operators: what the ufuncs of the same meaning give") {
  namespace math = kiln::math;
  on_every_device(
      [&](const Target& target) {
        const auto same = [&](const Array& got, const Array& want) {
          CHECK(got.dtype() == want.dtype());
          CHECK(got.shape() == want.shape());
          CHECK(list_of(target.fetch(got)) == list_of(target.fetch(want)));
        };
        const Array x = target.place(Array::from<float>({1, -2.5F, 7}));
        const Array y = target.place(Array::from<float>({3, -2.5F, 2}));
        const Array i = target.place(Array::from<std::int32_t>({12, -7, 5}));
        same(x + y, math::add(x, y));
        same(x - y, math::subtract(x, y));
        same(x * y, math::multiply(x, y));
        same(x / y, math::divide(x, y));
        same(x % y, math::remainder(x, y));
        same(i & 6, math::bitwise_and(i, 6));
        same(i | 6, math::bitwise_or(i, 6));
        same(6 ^ i, math::bitwise_xor(6, i));
        same(i << 2, math::left_shift(i, 2));
        same(i >> 1, math::right_shift(i, 1));
        same(x == y, math::equal(x, y));
        same(x != y, math::not_equal(x, y));
        same(x < y, math::less(x, y));
        same(x <= y, math::less_equal(x, y));
        same(x > y, math::greater(x, y));
        same(x >= y, math::greater_equal(x, y));
        same(-x, math::negative(x));
        same(+x, math::positive(x));
        same(~i, math::invert(i));
        // Written out, so that one operator cannot stand for another in both.
        CHECK(list_of(target.fetch(2 * x + 1)) == List{3, -4, 15});
        CHECK((2 * x + 1).dtype() == DType::float32);
        CHECK(list_of(target.fetch(1 - x)) == List{0, 3.5, -6});
        CHECK(list_of(target.fetch(6 / y)) == List{2, 6 / -2.5F, 3});
        CHECK(list_of(target.fetch(i % 5)) == List{2, 3, 0});
        CHECK(list_of(target.fetch((x < y) == false)) == List{0, 1, 1});
        CHECK(list_of(target.fetch(2 > x)) == List{1, 1, 0});
        CHECK(list_of(target.fetch(x != 7)) == List{1, 1, 0});
      },
      kPlaces);
}

TEST_CASE("operators: in place, through views, with the dtype kept") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::from<std::int32_t>({10, 21, 32, 43}));
        const Array same = a[Slice{1, 3}] += 4;
        CHECK(same.data() == a[Slice{1, 3}].data());
        CHECK(list_of(target.fetch(a)) == List{10, 25, 36, 43});
        a -= 1;
        a *= a;
        CHECK(list_of(target.fetch(a)) == List{81, 576, 1225, 1764});
        a %= 10;
        a <<= 2;
        a |= 1;
        a ^= 3;
        a &= 14;
        a >>= 1;
        List want;
        for (const int v : {81, 576, 1225, 1764}) want.push_back((((((v % 10) << 2) | 1) ^ 3) & 14) >> 1);
        CHECK(list_of(target.fetch(a)) == want);
        CHECK_THROWS_AS(a /= 2, TypeError);  // as NumPy: a float64 result
        const Array x = target.place(Array::from<float>({1, 2}));
        x /= 4;
        CHECK(list_of(target.fetch(x)) == List{0.25, 0.5});
        CHECK_THROWS_AS(x += target.place(counting({2, 2})), ShapeError);
        CHECK(list_of(target.fetch(x)) == List{0.25, 0.5});
      },
      kPlaces);
}
