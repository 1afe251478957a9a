// Typed views of arrays in host memory: elements by index, iterators, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <ranges>
#include <vector>

#include "../types/golden.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

using namespace kiln;
using golden::message_of;

static_assert(std::random_access_iterator<ArrayView<float>::iterator>);
static_assert(std::ranges::random_access_range<ArrayView<const std::complex<double>>>);
static_assert(std::ranges::sized_range<ArrayView<bool>>);

namespace {

Array counted_up(const Shape& shape, Order order = Order::c) {
  const Array array = Array::empty(shape, DType::int32, order);
  std::int32_t next = 0;
  for (std::int32_t& element : array.view<std::int32_t>()) element = next++;
  return array;
}

template <class T>
std::vector<std::remove_const_t<T>> list(const ArrayView<T>& view) {
  return {view.begin(), view.end()};
}

/// Layouts of every kind over elements 0, 1, 2, …
std::vector<Array> layouts() {
  const Array a = counted_up({3, 4, 2});
  return {a,
          counted_up({3, 4, 2}, Order::fortran),
          a.transpose(),
          a.transpose({1, 2, 0}),
          a[Slice{.step = -1}],
          a[{Slice{2, 0, -1}, Slice{.step = 3}, 1}],
          a[{1, Slice{.step = -2}, Slice{.step = -1}}],
          a[{2, 3, 1}],
          a[{Slice{1, 1}}],
          a.transpose()[{all, Slice{4, 4}}],
          counted_up({1, 5, 1})[{all, Slice{1, 4}}],
          counted_up({4, 1}).broadcast_to({2, 4, 3}),
          counted_up({2, 1, 1, 3, 1, 1, 2, 1, 1, 2}).transpose(),
          Array::scalar<std::int32_t>(7)};
}

}  // namespace

TEST_CASE("views: elements are read and written by their indices") {
  const Array a = counted_up({2, 3});
  const auto v = a.view<std::int32_t>();
  CHECK(v(0, 0) == 0);
  CHECK(v(1, 2) == 5);
  CHECK(v(-1, -3) == 3);
  CHECK(v(std::size_t{1}, std::uint8_t{1}) == 4);
  v(0, 1) = 10;
  CHECK(a.to_vector<int>() == std::vector<int>{0, 10, 2, 3, 4, 5});
  const auto t = a.transpose().view<const std::int32_t>();
  CHECK(t(1, 0) == 10);
  CHECK(t(0, 1) == 3);
  const auto reversed = a[{1, Slice{.step = -1}}].view<std::int32_t>();
  CHECK(reversed(0) == 5);
  CHECK(reversed(-1) == 3);
  CHECK(Array::scalar(2.5).view<double>()() == 2.5);
  CHECK(v.shape() == Shape{2, 3});
  CHECK(v.strides() == Strides{12, 4});
  CHECK(v.ndim() == 2);
  CHECK(v.size() == 6);
}

TEST_CASE("views: every layout in C order, forwards, backwards and at random") {
  for (const Array& a : layouts()) {
    CAPTURE(a.shape());
    CAPTURE(a.strides());
    const auto v = a.view<const std::int32_t>();
    const std::vector<std::int32_t> elements = a.to_vector<std::int32_t>();
    CHECK(list(v) == elements);
    CHECK(std::vector<std::int32_t>(std::make_reverse_iterator(v.end()), std::make_reverse_iterator(v.begin())) ==
          std::vector<std::int32_t>(elements.rbegin(), elements.rend()));
    CHECK(v.end() - v.begin() == a.size());
    for (std::ptrdiff_t from = 0; from <= a.size(); ++from) {
      for (std::ptrdiff_t to = 0; to <= a.size(); ++to) {
        auto at = v.begin() + from;
        at += to - from;
        CHECK(at - v.begin() == to);
        CHECK((at == v.end()) == (to == a.size()));
        CHECK((at < v.end()) == (to < a.size()));
        if (to < a.size()) CHECK(*at == elements[static_cast<std::size_t>(to)]);
        if (to < a.size()) CHECK(v.begin()[to] == elements[static_cast<std::size_t>(to)]);
        if (to > 0) CHECK(*std::prev(at) == elements[static_cast<std::size_t>(to - 1)]);
      }
    }
  }
}

TEST_CASE("views: the standard's algorithms write through them") {
  const Array a = Array::from<float>({5, 1, 4, 2, 3, 9}, Shape{3, 2});
  std::ranges::sort(a[{all, 0}].view<float>());
  CHECK(a.to_vector<float>() == std::vector<float>{3, 1, 4, 2, 5, 9});
  const auto reversed = a[Slice{.step = -1}].view<float>();
  std::sort(reversed.begin(), reversed.end());
  CHECK(a.to_vector<float>() == std::vector<float>{5, 9, 3, 4, 1, 2});
  const Array z = Array::from<std::complex<double>>({{1, 2}, {3, 4}});
  CHECK(std::next(z.view<std::complex<double>>().begin())->imag() == 4);
  CHECK(std::accumulate(reversed.begin(), reversed.end(), 0.0F) == 24);
}

TEST_CASE("views: they keep the memory of a temporary array") {
  const auto v = counted_up({1000}).transpose().view<std::int32_t>();
  CHECK(v(999) == 999);
  std::int64_t sum = 0;
  for (const std::int32_t element : counted_up({10, 10})[{all, Slice{.step = -1}}].view<const std::int32_t>()) sum += element;
  CHECK(sum == 4950);
}

TEST_CASE("views: what is refused says why") {
  const Array a = counted_up({2, 3});
  const auto v = a.view<std::int32_t>();
  CHECK(message_of<ShapeError>([&] { (void)v(2, 0); }) == "index 2 is out of bounds for axis 0 of shape (2, 3)");
  CHECK(message_of<ShapeError>([&] { (void)v(0, -4); }) == "index -4 is out of bounds for axis 1 of shape (2, 3)");
  CHECK(message_of<ShapeError>([&] { (void)v(1); }) == "an element of an array of shape (2, 3) takes 2 indices, 1 was given");
  CHECK(message_of<ShapeError>([&] { (void)a[0].view<int>()(); }) ==
        "an element of an array of shape (3,) takes 1 index, 0 were given");
  CHECK(message_of<ShapeError>([&] { (void)counted_up({0}).view<int>()(0); }) ==
        "index 0 is out of bounds for axis 0 of shape (0,)");
  CHECK(message_of<TypeError>([&] { (void)a.view<float>(); }) ==
        "view<T>(): T is float32, the array's dtype is int32: convert it with astype() first");
  CHECK(message_of<TypeError>([&] { (void)a.as_read_only().view<int>(); }) ==
        "view<T>(): the array is read-only: use view<const T>(), or copy() it");
  CHECK(message_of<TypeError>([&] { (void)Array().view<int>(); }) ==
        "an empty Array handle was used: make or assign an array first");
}

TEST_CASE("views: strides of a std::mdspan") {
  const auto strides = [](const Array& a, std::size_t rank) {
    std::array<std::int64_t, 3> in_elements{};
    detail::mdspan_strides(a.shape(), a.strides(), itemsize(a.dtype()), rank, in_elements.data());
    return in_elements;
  };
  CHECK(strides(counted_up({2, 3, 4}).transpose(), 3) == std::array<std::int64_t, 3>{1, 4, 12});
  CHECK(strides(counted_up({2, 3, 4})[{Slice{0, 1, -1}, Slice{.step = 2}}], 3) == std::array<std::int64_t, 3>{1, 8, 1});
  CHECK(message_of<ShapeError>([&] { (void)strides(counted_up({2, 3}), 3); }) ==
        "mdspan<Rank>(): Rank is 3, the array of shape (2, 3) has 2 axes");
  CHECK(message_of<ShapeError>([&] { (void)strides(counted_up({2, 3})[Slice{.step = -1}], 2); }) ==
        "mdspan<Rank>(): stride -12 of axis 0 is not a positive multiple of the item size, 4: copy() the array");
#ifdef __cpp_lib_mdspan
  const Array a = counted_up({2, 3});
  const auto m = a.transpose().view<std::int32_t>().mdspan<2>();
  CHECK(m.extent(0) == 3);
  CHECK(m[2, 1] == 5);
  m[0, 1] = 30;
  CHECK(a.view<std::int32_t>()(1, 0) == 30);
#endif
}

TEST_CASE("pointers: only to elements that lie in C order") {
  const Array a = counted_up({2, 3});
  CHECK(a.as<std::int32_t>()[5] == 5);
  CHECK(a[1].as<const std::int32_t>()[0] == 3);
  CHECK(a[{Slice{0, 1}, Slice{1, 3}}].as<std::int32_t>()[1] == 2);  // an axis of one element has no say
  CHECK(counted_up({3, 1}).transpose().as<std::int32_t>()[2] == 2);
  CHECK(counted_up({0, 3}).transpose().as<std::int32_t>() != nullptr);
  const std::string remedy = " do not lie in C order: use view<T>(), which goes by the strides, or copy() the array";
  CHECK(message_of<ShapeError>([&] { (void)a.transpose().as<std::int32_t>(); }) ==
        "as<T>(): the elements of shape (3, 2) with strides (4, 12)" + remedy);
  CHECK(message_of<ShapeError>([&] { (void)a[{0, Slice{.step = -1}}].as<std::int32_t>(); }) ==
        "as<T>(): the elements of shape (3,) with strides (-4,)" + remedy);
  CHECK(message_of<ShapeError>([&] { (void)a[{all, 0}].as<const std::int32_t>(); }) ==
        "as<T>(): the elements of shape (2,) with strides (12,)" + remedy);
  CHECK(message_of<ShapeError>([&] { (void)a.broadcast_to({2, 2, 3}).as<const std::int32_t>(); }) ==
        "as<T>(): the elements of shape (2, 2, 3) with strides (0, 12, 4)" + remedy);
  CHECK(message_of<ShapeError>([&] { (void)counted_up({2, 3}, Order::fortran).as<std::int32_t>(); }) ==
        "as<T>(): the elements of shape (2, 3) with strides (4, 8)" + remedy);
  CHECK(a.transpose().copy().as<std::int32_t>()[1] == 3);
}
