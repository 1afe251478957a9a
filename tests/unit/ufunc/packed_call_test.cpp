// Which calls are packed: those whose second run takes its kernel by the dtypes alone. Results are what tests/conformance
// holds.
#include "ufunc/packed_call.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "kiln/array_ref.hpp"
#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "kiln/indexing.hpp"
#include "kiln/profile.hpp"
#include "ufunc/impl.hpp"

using kiln::Arg;
using kiln::Array;
using kiln::CallOptions;
using kiln::DType;
using kiln::Shape;
using kiln::Ufunc;

namespace {

Ufunc adder() {
  // The first call of a process asks for KILN_TRACE, and its kernel is not remembered.
  static const Array first = kiln::vectorize("float32(float32 a)", "return a;")(1.0F);
  static_cast<void>(first);
  return kiln::vectorize({.name = "sum_of", .signatures = {"T(T a, T b)"}, .body = "return a + b;"});
}

/// Whether the call would take its kernel by the dtypes alone.
bool is_packed(const Ufunc& f, std::vector<Arg> args, const CallOptions& options) {
  kiln::ufunc::PackedCall call(*f.impl());
  return call.add(args, options) && call.run({});
}

}  // namespace

TEST_CASE("packed calls: after a first call of their dtypes") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc f = adder();
  const Array a = Array::from<float>({1, 2, 3, 4}, {2, 2});
  const Array b = Array::from<float>({5, 6, 7, 8}, {2, 2});
  const Array out = Array::zeros({2, 2}, DType::float32);
  const CallOptions to_out{.out = out};
  CHECK_FALSE(is_packed(f, {a, b}, to_out));
  f(a, b);
  // A fresh output is another key: the key names what is given.
  CHECK_FALSE(is_packed(f, {a, b}, to_out));
  f(a, b, {.out = out});
  out.fill(0);
  CHECK(is_packed(f, {a, b}, to_out));
  CHECK(out.to_vector<float>() == std::vector<float>{6, 8, 10, 12});
  // Other shapes share the kernel, and so does one element.
  const Array x = Array::from<float>({1, 2, 3});
  CHECK(is_packed(f, {x, x}, {.out = x}));
  CHECK(x.to_vector<float>() == std::vector<float>{2, 4, 6});
  const Array one = Array::scalar(2.5F);
  CHECK(is_packed(f, {one, one}, {.out = one}));
  CHECK(one.item<float>() == 5);
  // So does memory of the caller's.
  float values[] = {1, 2, 3, 4};
  float sums[4] = {};
  const std::int64_t shape[] = {2, 2};
  const std::int64_t strides[] = {8, 4};
  const kiln::ArrayRef in{.data = values, .dtype = DType::float32, .shape = shape, .strides = strides};
  const kiln::ArrayRef to{.data = sums, .dtype = DType::float32, .shape = shape};
  CHECK(is_packed(f, {in, b}, {.out = to}));
  CHECK(sums[3] == 12);
}

TEST_CASE("packed calls: scalars are converted to the loop's dtype, or the call goes the general way") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc f = adder();
  const Array a = Array::from<float>({1, 2});
  const Array out = Array::zeros({2}, DType::float32);
  f(a, 2.5, {.out = out});
  CHECK(is_packed(f, {a, 10.25}, {.out = out}));
  CHECK(out.to_vector<float>() == std::vector<float>{11.25F, 12.25F});
  const Array small = Array::from<std::int8_t>({1, 2});
  const Array to = Array::zeros({2}, DType::int8);
  f(small, 3, {.out = to});
  CHECK(is_packed(f, {small, 100}, {.out = to}));
  CHECK(to.to_vector<std::int8_t>() == std::vector<std::int8_t>{101, 102});
  CHECK_FALSE(is_packed(f, {small, 1000}, {.out = to}));
  CHECK_THROWS_WITH_AS(f(small, 1000, {.out = to}),
                       doctest::Contains("the integer 1000 given as input 1 (b) does not fit in int8"), kiln::TypeError);
}

TEST_CASE("packed calls: what is none of them") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc f = adder();
  const Array a = Array::from<float>({1, 2, 3, 4});
  const Array b = Array::from<float>({1, 1, 1, 1});
  const Array out = Array::zeros({4}, DType::float32);
  f(a, b, {.out = out});
  REQUIRE(is_packed(f, {a, b}, {.out = out}));
  const Array mask = Array::full({4}, true);
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .where = mask}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .stream = kiln::Stream(kiln::Device::cpu())}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .device = kiln::Device::cpu()}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .casting = kiln::Casting::unsafe}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .dtype = DType::float32}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .signature = "float32, float32 -> float32"}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .stop = std::stop_source().get_token()}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = out, .timeout = std::chrono::seconds(1)}));
  // Too few operands, an empty handle, another shape, strides, a device, another dtype, read-only.
  CHECK_FALSE(is_packed(f, {a}, {.out = out}));
  CHECK_FALSE(is_packed(f, {a, Array()}, {.out = out}));
  CHECK_FALSE(is_packed(f, {a, b}, {.out = Array::zeros({2, 2}, DType::float32)}));
  CHECK_FALSE(is_packed(f, {a, b.reshape({4, 1})}, {.out = out}));
  CHECK_FALSE(is_packed(f, {Array::zeros({8}, DType::float32)[kiln::Slice{0, 8, 2}], b}, {.out = out}));
  CHECK_FALSE(is_packed(f, {a, kiln::to_device(b, kiln::Device::cpu())}, {.out = out}));
  CHECK_FALSE(is_packed(f, {a, b.astype(DType::int32)}, {.out = out}));
  const float constant[4] = {};
  CHECK_FALSE(is_packed(f, {a, b}, {.out = Array::view(constant)}));
  // Nothing but the operands themselves may be overwritten.
  const Array both = Array::from<float>({1, 2, 3, 4, 5});
  const Array front = both[kiln::Slice{0, 4}];
  const Array back = both[kiln::Slice{1, 5}];
  CHECK_FALSE(is_packed(f, {front, b}, {.out = back}));
  CHECK(is_packed(f, {front, b}, {.out = front}));
  // A call that is recorded or measured has more to do than to compute.
  {
    const kiln::Profile profile = kiln::profile();
    CHECK_FALSE(is_packed(f, {a, b}, {.out = out}));
  }
  CHECK(is_packed(f, {a, b}, {.out = out}));
}

TEST_CASE("packed calls: a loop that casts its arrays is none") {
  const kiln::DeviceScope on_cpu(kiln::Device::cpu());
  const Ufunc f = kiln::vectorize("float64(float64 a, float64 b)", "return a + b;");
  const Array a = Array::from<float>({1, 2});
  const Array out = Array::zeros({2}, DType::float64);
  f(a, a, {.out = out});
  CHECK_FALSE(is_packed(f, {a, a}, {.out = out}));
  const Array narrow = Array::zeros({2}, DType::float32);
  f(a.astype(DType::float64), 1, {.out = narrow});
  CHECK_FALSE(is_packed(f, {a.astype(DType::float64), 1}, {.out = narrow}));
  // More operands than a key has room for.
  const Ufunc nine =
      kiln::vectorize("float32(float32 a, float32 b, float32 c, float32 d, float32 e, float32 f, float32 g, float32 h)",
                      "return a + b + c + d + e + f + g + h;");
  const std::vector<Arg> eight(8, Arg(a));
  static_cast<void>(nine.outputs(eight));
  CHECK_FALSE(is_packed(nine, eight, {.out = narrow}));
  CHECK(nine.outputs(eight)[0].to_vector<float>() == std::vector<float>{8, 16});
}
