// Which reductions are packed: those whose second run takes its kernel by the dtype alone.
#include "reduce/packed_reduce.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "kiln/device_array.hpp"
#include "kiln/indexing.hpp"
#include "kiln/profile.hpp"
#include "kiln/ufunc.hpp"

using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::Ufunc;

namespace {

/// The result, if the call takes its kernel by the dtype alone.
Array packed(const Ufunc& f, const Array& a, const kiln::ReduceOptions& options = {}) {
  kiln::reduce::PackedReduce call(*f.impl());
  return call.take(*a.rep(), options) ? call.run(options.keepdims ? a.shape().size() : 0) : Array();
}

}  // namespace

TEST_CASE("packed reductions: after a first one of their dtype") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc sum = kiln::vectorize({.name = "total", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  const Array a = Array::from<float>({1, 2, 3, 4}, {2, 2});
  CHECK_FALSE(packed(sum, a, {.axis = kiln::all_axes}).valid());
  // The first call of a process asks the environment whether calls are measured.
  for (int time = 0; time < 2; ++time) CHECK(sum.reduce(a, {.axis = kiln::all_axes}).item<float>() == 10);
  const Array all = packed(sum, a, {.axis = kiln::all_axes});
  REQUIRE(all.valid());
  CHECK(all.shape() == Shape{});
  CHECK(all.item<float>() == 10);
  const Array kept = packed(sum, a, {.axis = kiln::all_axes, .keepdims = true});
  REQUIRE(kept.valid());
  CHECK(kept.shape() == Shape{1, 1});
  // Every length, in the bits that the general way gives: .dtype takes it.
  for (const std::int64_t size : {1, 2, 3, 15, 16, 17, 100, 1000, 5000, 131072}) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
    const Array x = Array::from(values);
    CAPTURE(size);
    const Array result = packed(sum, x);
    REQUIRE(result.valid());
    CHECK(result.item<float>() == sum.reduce(x, {.dtype = DType::float32}).item<float>());
  }
  // Memory of the caller's, but for a part of the array.
  kiln::reduce::PackedReduce call(*sum.impl());
  REQUIRE(call.take(a.data(), DType::float32, 1, 4));
  float out = 0;
  CHECK(call.run(&out, DType::float32));
  CHECK(out == 10);
  CHECK_FALSE(call.run(a.data(), DType::float32));
  CHECK_FALSE(call.run(&out, DType::int32));
}

TEST_CASE("packed reductions: what is none of them") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc sum = kiln::vectorize({.name = "total", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  const Array a = Array::from<float>({1, 2, 3, 4});
  const Array matrix = a.reshape({2, 2});
  for (int time = 0; time < 2; ++time) sum.reduce(a);
  REQUIRE(packed(sum, a).valid());
  REQUIRE(packed(sum, a, {.axis = -1}).valid());
  CHECK_FALSE(packed(sum, a, {.initial = 1}).valid());
  CHECK_FALSE(packed(sum, a, {.where = Array::full({4}, true)}).valid());
  CHECK_FALSE(packed(sum, a, {.dtype = DType::float32}).valid());
  CHECK_FALSE(packed(sum, a, {.out = Array::zeros({}, DType::float32)}).valid());
  CHECK_FALSE(packed(sum, a, {.stream = kiln::Stream(kiln::Device::cpu())}).valid());
  CHECK_FALSE(packed(sum, a, {.device = kiln::Device::cpu()}).valid());
  CHECK_FALSE(packed(sum, a, {.timeout = std::chrono::seconds(1)}).valid());
  CHECK_FALSE(packed(sum, a, {.axis = 1}).valid());
  CHECK_FALSE(packed(sum, matrix).valid());
  CHECK_FALSE(packed(sum, a[kiln::Slice{0, 4, 2}]).valid());
  CHECK_FALSE(packed(sum, Array::zeros({0}, DType::float32)).valid());
  CHECK_FALSE(packed(sum, Array::scalar(1.0F), {.axis = kiln::all_axes}).valid());
  CHECK_FALSE(packed(sum, kiln::to_device(a, kiln::Device::cpu())).valid());
  CHECK_FALSE(packed(sum, Array::zeros({200000}, DType::float32)).valid());
  {
    const kiln::Profile profile = kiln::profile();
    CHECK_FALSE(packed(sum, a).valid());
  }
  // An order that counts is along one axis.
  const Ufunc last = kiln::vectorize({.name = "last", .signatures = {"T(T a, T b)"}, .body = "return b;"});
  CHECK(last.reduce(a).item<float>() == 4);
  CHECK(packed(last, a).item<float>() == 4);
  CHECK_FALSE(packed(last, matrix, {.axis = kiln::all_axes}).valid());
}
