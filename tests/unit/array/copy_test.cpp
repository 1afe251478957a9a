// Copies and conversions of strided arrays against a walk over the indices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include "../types/golden.hpp"
#include "array/rep.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

using namespace kiln;
using golden::message_of;

namespace {

Array counting(const Shape& shape, DType dtype) {
  const Array a = Array::empty(shape, DType::int32);
  std::iota(a.as<int>(), a.as<int>() + a.size(), 0);
  return a.astype(dtype);
}

// The elements in C order, each found by its index.
template <class T>
std::vector<T> walk(const Array& a) {
  std::vector<T> result;
  Dims index(a.shape().size(), 0);
  for (std::int64_t i = 0; i < a.size(); ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t k = a.shape().size(); k-- > 0;) {
      offset += rest % a.shape()[k] * a.strides()[k];
      rest /= a.shape()[k];
    }
    result.push_back(*reinterpret_cast<const T*>(static_cast<const char*>(a.data()) + offset));
  }
  return result;
}

// A random window: axes permuted, reversed, thinned out, broadcast.
Array random_window(std::mt19937& random, DType dtype) {
  const auto pick = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  Shape shape;
  for (std::int64_t k = pick(5); k > 0; --k) shape.push_back(pick(20) == 0 ? 0 : pick(8) == 0 ? 70 : 1 + pick(7));
  Array a = counting(shape, dtype);
  Dims axes(shape.size(), 0);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  std::shuffle(axes.begin(), axes.end(), random);
  a = a.transpose(axes);
  std::vector<Index> index;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::int64_t steps[] = {1, 1, 1, -1, 2, -2};
    index.emplace_back(Slice{.step = steps[pick(6)]});
  }
  a = a.slice(index);
  if (pick(4) == 0) {
    Shape wide = a.shape();
    for (auto& extent : wide) extent = extent == 1 ? 3 : extent;
    a = a.broadcast_to(wide);
  }
  return a;
}

}  // namespace

TEST_CASE("random windows copy and convert element by element") {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const DType dtypes[] = {DType::int8, DType::int16, DType::int32, DType::float64};
    const DType dtype = dtypes[round % 4];
    const Array a = random_window(random, dtype);
    const std::vector<double> expected = [&] {
      switch (dtype) {
        case DType::int8: {
          const auto v = walk<std::int8_t>(a);
          return std::vector<double>(v.begin(), v.end());
        }
        case DType::int16: {
          const auto v = walk<std::int16_t>(a);
          return std::vector<double>(v.begin(), v.end());
        }
        case DType::int32: {
          const auto v = walk<std::int32_t>(a);
          return std::vector<double>(v.begin(), v.end());
        }
        default:
          return walk<double>(a);
      }
    }();
    CAPTURE(a.shape().size());
    CHECK(a.to_vector<double>() == expected);
    const Array c = a.copy();
    CHECK(c.is_c_contiguous());
    CHECK(c.astype(DType::float64).to_vector<double>() == expected);
    const Array f = a.copy(Order::fortran);
    CHECK(f.is_f_contiguous());
    CHECK(f.to_vector<double>() == expected);
    CHECK(walk<double>(a.astype(DType::float64)) == expected);
    CHECK(walk<float>(a.astype(DType::float32)) == std::vector<float>(expected.begin(), expected.end()));
    // Into another window of the same shape.
    Array target = Array::zeros({2 * a.size() + 1}, DType::float64)[{Slice{.stop = a.size()}}].reshape(a.shape());
    std::vector<Index> back(a.shape().size(), Index(Slice{.step = -1}));
    target = target.slice(back);
    detail::copy_host(*a.rep(), *target.rep());
    CHECK(walk<double>(target) == expected);
  }
}

TEST_CASE("large transposes, in tiles") {
  for (const std::int64_t rows : {1, 63, 64, 65, 200}) {
    const Array a = counting({rows, 3, 130}, DType::int32).transpose({2, 1, 0});
    CHECK(a.copy().to_vector<int>() == walk<int>(a));
    const Array packed = a.copy();
    CHECK(walk<int>(packed) == walk<int>(a));
  }
}

TEST_CASE("astype keeps the order of the axes in memory") {
  const Array a = counting({2, 3, 4}, DType::int32);
  CHECK(a.astype(DType::int64).strides() == Strides{96, 32, 8});
  CHECK(a.transpose().astype(DType::int64).strides() == Strides{8, 32, 96});
  CHECK(a.transpose({1, 0, 2}).astype(DType::int8).strides() == Strides{4, 12, 1});
  CHECK(a[{all, all, Slice{.step = -2}}].astype(DType::int8).strides() == Strides{6, 2, 1});
  CHECK(a.astype(DType::int32).data() != a.data());
  CHECK_FALSE(a.as_read_only().astype(DType::int32).read_only());
}

TEST_CASE("astype under a rule") {
  const Array a = Array::from<double>({1.9, -2.9, 300});
  CHECK(a.astype(DType::int32).to_vector<int>() == std::vector<int>{1, -2, 300});
  CHECK(a.astype(DType::float32, Casting::same_kind).dtype() == DType::float32);
  CHECK(message_of<TypeError>([&] { (void)a.astype(DType::int32, Casting::same_kind); }) ==
        "cannot cast an array from float64 to int32 under the rule 'same_kind'");
  CHECK(message_of<TypeError>([&] { (void)a.astype(DType::float32, Casting::safe); }) ==
        "cannot cast an array from float64 to float32 under the rule 'safe'");
}

TEST_CASE("copy_to_host into an existing array") {
  const Array a = counting({2, 3}, DType::float32);
  Array target = Array::zeros({3, 2}, DType::float32).transpose();
  a.copy_to_host(target);
  CHECK(target.to_vector<float>() == a.to_vector<float>());
  Array wrong_shape = Array::zeros({3, 2}, DType::float32);
  CHECK(message_of<ShapeError>([&] { a.copy_to_host(wrong_shape); }) ==
        "copy_to_host: the existing array has shape (3, 2), the elements have (2, 3)");
  Array wrong_dtype = Array::zeros({2, 3}, DType::float64);
  CHECK(message_of<TypeError>([&] { a.copy_to_host(wrong_dtype); }) ==
        "copy_to_host: the existing array is of dtype float64, the elements are float32");
  Array fixed = target.as_read_only();
  CHECK(message_of<TypeError>([&] { a.copy_to_host(fixed); }) == "copy_to_host: the existing array is read-only");
  CHECK(wrong_shape.to_vector<float>() == std::vector<float>(6, 0.0F));
}

TEST_CASE("copy_to_host onto itself, reversed") {
  Array a = counting({6}, DType::int32);
  Array reversed = a[{Slice{.step = -1}}];
  a.copy_to_host(reversed);
  CHECK(a.to_vector<int>() == std::vector<int>{5, 4, 3, 2, 1, 0});
  Array shifted = a[{Slice{.start = 1}}];
  a[{Slice{.stop = -1}}].copy_to_host(shifted);
  CHECK(a.to_vector<int>() == std::vector<int>{5, 5, 4, 3, 2, 1});
}

TEST_CASE("copies have memory of their own") {
  const Array a = counting({4}, DType::int32);
  const Array b = a.copy();
  const Array c = a.copy_to_host();
  a.as<int>()[0] = 100;
  CHECK(b.as<int>()[0] == 0);
  CHECK(c.as<int>()[0] == 0);
  CHECK_FALSE(a.as_read_only().copy().read_only());
}
