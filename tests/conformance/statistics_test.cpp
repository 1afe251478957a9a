// Sums, means, extrema and running results by NumPy's names, against NumPy.
#include "kiln/statistics.hpp"
#include "devices.hpp"
#include "golden.hpp"
#include "kiln/elementwise.hpp"
#include "kiln/fuse.hpp"
#include "kiln/graph.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;

namespace {

constexpr std::initializer_list<Mode> kPlaces = {Mode::host, Mode::device, Mode::stream};

/// The input of a line, as make_functions.py makes it.
Array input_of(const std::string& function, DType dtype, const Shape& shape, bool nan) {
  std::int64_t size = 1;
  std::int64_t widest = 0;
  for (const std::int64_t extent : shape) {
    size *= extent;
    widest = std::max(widest, extent);
  }
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t n = (i * 7919 + 13) % 23;
    if (function == "prod" || function == "cumprod") {
      n = shape.size() < 2 || widest < 100 ? n % 3 + 1 : n == 5 ? 2 : 1;
    } else if (function == "any") {
      n = n % 11 / 10;
    } else if (function == "all") {
      n %= 13;
    } else if (dtype != DType::bool_ && kiln::is_signed(dtype)) {
      n -= 11;
    }
    values.emplace_back(static_cast<long double>(n));
  }
  const bool complex = kiln::kind(dtype) == kiln::Kind::complex;
  const std::vector<Exact> reals = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (complex) values[i] += Exact(0, reals[values.size() - 1 - i].real() / 2);
    if (nan && i % 17 == 5) values[i] = NAN;
  }
  return make(dtype, values, shape);
}

std::vector<int> axes_of(const Golden& line, std::size_t field) {
  std::vector<int> axes;
  for (const std::int64_t axis : line.numbers(field)) axes.push_back(static_cast<int>(axis));
  return axes;
}

Array call(const Golden& line, const Array& a, const kiln::Stream& stream) {
  const std::string& function = line.fields[0];
  const kiln::Axes axis = line.fields[3] == "*" ? kiln::all_axes : kiln::Axes(axes_of(line, 3));
  const bool keepdims = line.fields[4] == "1";
  const kiln::AxisOptions options{.axis = axis, .keepdims = keepdims, .stream = stream};
  const kiln::VarOptions spread{.axis = axis, .keepdims = keepdims, .ddof = std::stod(line.fields[5]), .stream = stream};
  const kiln::CumulativeOptions running{.axis = axis.is_all() ? std::nullopt : std::optional<int>(axis.list()[0]),
                                        .stream = stream};
  if (function == "sum") return sum(a, options);
  if (function == "prod") return prod(a, options);
  if (function == "mean") return mean(a, options);
  if (function == "var") return var(a, spread);
  if (function == "std") return kiln::std(a, spread);
  if (function == "min") return min(a, options);
  if (function == "max") return max(a, options);
  if (function == "any") return any(a, options);
  if (function == "all") return kiln::all(a, options);
  if (function == "argmin") return kiln::argmin(a, options);
  if (function == "argmax") return kiln::argmax(a, options);
  if (function == "cumsum") return cumsum(a, running);
  REQUIRE(function == "cumprod");
  return cumprod(a, running);
}

/// What roundings allow: of the numbers' magnitude, not of a sum that cancels.
long double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-9L;
    case DType::float32:
    case DType::complex64:
      return 0x1p-19L;
    default:
      return kiln::kind(dtype) < kiln::Kind::floating ? 0 : 0x1p-46L;
  }
}

}  // namespace

TEST_CASE("statistics: NumPy's golden calls") {
  on_every_device(
      [](const Target& target) {
        for (const Golden& line : golden("statistics.txt", target)) {
          INFO(line.text);
          const auto dtype = dtype_named(line.fields[1]);
          const Array a = target.place(input_of(line.fields[0], dtype, line.extents(2), line.fields[6] == "1"));
          if (line.fields[8] == "error") {
            CHECK(is_refused([&] { static_cast<void>(call(line, a, target.options().stream)); }));
            continue;
          }
          const Array result = call(line, a, target.options().stream);
          target.wait();
          CHECK(result.is_host() == a.is_host());
          const Array got = target.fetch(result);
          CHECK(got.dtype() == dtype_named(line.fields[8]));
          CHECK(got.shape() == Shape(line.extents(9)));
          const long double allowed = tolerance(got.dtype());
          CHECK(difference(read(got), values_in(line.fields[10]), allowed, allowed * 30) == "");
        }
      },
      kPlaces);
}

TEST_CASE("statistics: all that a function does is its stream's, so that it can be captured") {
  on_every_device(
      [](const Target& target) {
        const kiln::Stream stream = target.options().stream;
        const Array x = kiln::to_device(Array::zeros({3, 4}, DType::float16), target.device());
        const Array turned = x.transpose();
        std::vector<Array> made;
        const kiln::Graph graph = kiln::capture(stream, [&] {
          made = {mean(turned, {.stream = stream}),   var(x, {.axis = 0, .stream = stream}),
                  kiln::std(x, {.stream = stream}),   kiln::argmax(x, {.dtype = DType::int32, .stream = stream}),
                  cumsum(turned, {.stream = stream}), cumsum(x, {.axis = 1, .stream = stream})};
        });
        const Array values = Array::from<float>({{1, 2, 3, 4}, {5, 6, 7, 8}, {-2, 9, 0, 1}}).astype(DType::float16);
        x.assign(values);
        kiln::Device(target.device()).synchronize();
        graph.launch();
        target.wait();
        const std::vector<Array> expected = {mean(values.transpose()),   var(values, 0),
                                             kiln::std(values),          kiln::argmax(values, {.dtype = DType::int32}),
                                             cumsum(values.transpose()), cumsum(values, 1)};
        for (std::size_t i = 0; i < made.size(); ++i) {
          CAPTURE(i);
          CHECK(made[i].dtype() == expected[i].dtype());
          CHECK(list_of(target.fetch(made[i])) == list_of(expected[i]));
        }
      },
      {Mode::stream});
}

TEST_CASE("statistics: methods and functions give the same") {
  const Array a = Array::from<float>({{1, 2.5, 3}, {4, -5, 6}});
  CHECK(a.sum().item<float>() == 11.5F);
  CHECK(a.sum(0).to_vector<float>() == std::vector<float>{5, -2.5, 9});
  CHECK(a.sum({.axis = {0, 1}, .keepdims = true}).shape() == Shape{1, 1});
  CHECK(a.prod(1).to_vector<float>() == std::vector<float>{7.5, -120});
  CHECK(a.mean(-1).to_vector<float>()[1] == mean(a, 1).to_vector<float>()[1]);
  CHECK(a.var().item<float>() == var(a).item<float>());
  CHECK(a.std(0).to_vector<float>() == kiln::std(a, 0).to_vector<float>());
  CHECK(a.min().item<float>() == -5);
  CHECK(a.max(1).to_vector<float>() == std::vector<float>{3, 6});
  CHECK(a.argmin().item<std::int64_t>() == 4);
  CHECK(a.argmax(0).to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 0, 1});
  CHECK(kiln::argmax(a, {.axis = 0, .dtype = DType::int32}).dtype() == DType::int32);
  CHECK(a.cumsum(1).to_vector<float>() == std::vector<float>{1, 3.5, 6.5, 4, -1, 5});
  CHECK(a.cumprod().to_vector<float>() == std::vector<float>{1, 2.5, 7.5, 30, -150, -900});
  CHECK(kiln::all(a, 0).to_vector<bool>() == std::vector<bool>{true, true, true});
  CHECK(static_cast<bool>(any(a > 5)));
  // The object is an index, too.
  CHECK(a[{kiln::all, 1}].to_vector<float>() == std::vector<float>{2.5, -5});
}

TEST_CASE("statistics: dtypes that are asked for, and bfloat16") {
  const Array a = Array::from<std::int32_t>({1, 2, 4});
  CHECK(sum(a, {.dtype = DType::float32}).dtype() == DType::float32);
  CHECK(mean(a, {.dtype = DType::float32}).item<float>() == 7.0F / 3);
  CHECK(cumsum(a, {.dtype = DType::int32}).dtype() == DType::int32);
  // Of halves the sum is beyond their range, and the mean is not.
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const Array wide = Array::full({4096}, 100).astype(dtype);
    CHECK(mean(wide).dtype() == dtype);
    CHECK(mean(wide).astype<float>().item<float>() == 100);
    CHECK(var(wide).astype<float>().item<float>() == 0);
  }
}

TEST_CASE("statistics: errors") {
  const Array a = Array::zeros({2, 3});
  CHECK(message_of([&] { static_cast<void>(sum(a, 2)); }) ==
        "add.reduce: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
  CHECK(message_of([&] { static_cast<void>(mean(a, {.dtype = DType::int32})); }) ==
        "mean: the dtype is int32; .dtype takes a floating or complex one");
  CHECK(message_of([&] { static_cast<void>(var(a, {.dtype = DType::int32})); }) ==
        "var: the dtype is int32; .dtype takes a floating or complex one");
  CHECK(is_refused([] { static_cast<void>(max(Array::zeros(0))); }));
  CHECK(is_refused([] { static_cast<void>(kiln::argmax(Array::zeros(0))); }));
  CHECK(is_refused([] { static_cast<void>(sum(Array())); }));
}

TEST_CASE("elementwise: functions by the names of <cmath>, found beside std's") {
  const Array a = Array::from<double>({0.25, 0.5, 1});
  const auto same = [](const Array& x, const Array& y) { return static_cast<bool>(kiln::all(x == y)); };
  CHECK(same(sqrt(a), kiln::math::sqrt(a)));
  CHECK(same(kiln::asin(a), kiln::math::arcsin(a)));
  CHECK(same(abs(-a), a));
  CHECK(same(pow(a, 2), kiln::math::power(a, 2)));
  CHECK(same(hypot(3, a), kiln::math::hypot(3, a)));
  CHECK(same(atan2(a, a), kiln::math::arctan2(a, a)));
  CHECK(same(arg(Array::from({std::complex<double>(0, 1)})), Array::full(1, std::acos(0.0))));
  {
    using namespace kiln;  // NOLINT(google-build-using-namespace): as users write it
    CHECK(same(sin(a), math::sin(a)));
    CHECK(sin(0.0) + pow(2.0, 3.0) + abs(-1.0) == 9);
    CHECK(same(exp(a), math::exp(a)));
  }
  const kiln::Ufunc fused = kiln::fuse("bell", [](const kiln::Expr& x) { return exp(-pow(x, 2)); });
  CHECK(same(fused(a), exp(-pow(a, 2))));
}
