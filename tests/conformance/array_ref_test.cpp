// Operands in memory of the caller's: the same results as on arrays, at any layout, in any place of a call, and what is
// refused.
#include <kiln/array.hpp>
#include <kiln/array_ref.hpp>
#include <kiln/chunked.hpp>
#include <kiln/event.hpp>
#include <kiln/graph.hpp>
#include <kiln/gufunc.hpp>
#include <kiln/kernel.hpp>
#include <kiln/math.hpp>
#include <kiln/reduction.hpp>
#include <kiln/ufunc.hpp>

#include <numeric>
#include <vector>

#include "devices.hpp"

using namespace conformance;
using kiln::Array;
using kiln::ArrayRef;
using kiln::DType;

namespace {

/// The array's memory, where it is. The lists are the array's, which has to outlive the reference.
ArrayRef ref_of(const Array& array) {
  return {.data = array.data(),
          .dtype = array.dtype(),
          .shape = {array.shape().data(), array.shape().size()},
          .strides = {array.strides().data(), array.strides().size()},
          .device = array.is_host() ? std::nullopt : std::optional(array.device()),
          .read_only = array.read_only()};
}

Array counting(const kiln::Shape& shape) {
  const Array made = Array::empty(shape, DType::float32);
  std::iota(made.as<float>(), made.as<float>() + made.size(), 1.0F);
  return made;
}

std::vector<double> expected_sums(std::int64_t rows, std::int64_t columns) {
  std::vector<double> sums;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) {
      // a(i, k) of counting({columns, rows}) transposed, and b(k) of counting({columns}).
      sums.push_back(static_cast<double>(k * rows + i + 1) + static_cast<double>(k + 1));
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("memory of the caller's serves as arguments, mask and outputs, transposed and broadcast") {
  on_every_device([](const Target& target) {
    const Array a = target.place(counting({5, 4})).transpose();
    const Array b = target.place(counting({5}));
    const Array out = target.place(Array::full({4, 5}, -1.0F));
    const ArrayRef of_a = ref_of(a), of_b = ref_of(b), of_out = ref_of(out);
    const Array result = kiln::math::add(of_a, of_b, target.options({.out = of_out}));
    target.wait();
    CHECK(result.data() == out.data());
    CHECK(list_of(target.fetch(out)) == expected_sums(4, 5));

    // A fresh result beside a mask of the caller's.
    const Array mask = target.place(Array::from(std::vector<std::uint8_t>{1, 0, 1, 0, 0}).astype(DType::bool_));
    const ArrayRef of_mask = ref_of(mask);
    const Array masked = kiln::math::add(of_b, 1.0F, target.options({.where = of_mask}));
    CHECK(list_of(target.fetch(masked)) == std::vector<double>{2, 0, 4, 0, 0});
  });
}

TEST_CASE("without strides memory of the caller's is in C order, and without axes it is one element") {
  std::vector<float> x{1, 2, 3, 4, 5, 6};
  std::vector<float> y(6);
  const std::int64_t shape[] = {2, 3};
  float one = 10;
  const ArrayRef of_x{.data = x.data(), .dtype = DType::float32, .shape = shape};
  const ArrayRef of_y{.data = y.data(), .dtype = DType::float32, .shape = shape};
  const ArrayRef of_one{.data = &one, .dtype = DType::float32};
  kiln::math::multiply(of_x, of_one, {.out = of_y});
  CHECK(y == std::vector<float>{10, 20, 30, 40, 50, 60});
  // Without a result nothing is made: call() is what bindings use.
  const kiln::Arg args[] = {of_y, 1.0F};
  const kiln::CallOptions options{.out = of_y};
  kiln::math::add.ufunc().call(args, &options, {});
  CHECK(y == std::vector<float>{11, 21, 31, 41, 51, 61});
  CHECK(message_of([&] { kiln::math::add.ufunc().call(args, nullptr, {}); }) == "add has 1 output, not 0");
}

TEST_CASE("an output of the caller's may overlap an input of the caller's") {
  on_every_device([](const Target& target) {
    const Array all = target.place(counting({9}));
    const Array from = all[kiln::Slice{0, 8}];
    const Array to = all[kiln::Slice{1, 9}];
    const ArrayRef of_from = ref_of(from), of_to = ref_of(to);
    kiln::math::multiply(of_from, 2.0F, target.options({.out = of_to}));
    CHECK(list_of(target.fetch(all)) == std::vector<double>{1, 2, 4, 6, 8, 10, 12, 14, 16});
  });
}

TEST_CASE("generalized ufuncs, reductions and methods take memory of the caller's") {
  const kiln::Gufunc dot = kiln::guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 c)",
                                             "c = 0; for (index i = 0; i < n; ++i) c += a(i) * b(i);");
  const kiln::Reduction norm = kiln::reduction({.name = "norm",
                                                .signatures = {"float64(float32 x)"},
                                                .map = "return x * x;",
                                                .reduce = "return a + b;",
                                                .post = "return sqrt(a);",
                                                .identity = "0"});
  on_every_device([&](const Target& target) {
    const Array rows = target.place(counting({3, 4}));
    const Array one = target.place(counting({4}));
    const Array dots = target.place(Array::zeros({3}, DType::float32));
    const ArrayRef of_rows = ref_of(rows), of_one = ref_of(one), of_dots = ref_of(dots);
    dot(of_rows, of_one, {.out = of_dots, .stream = target.options().stream});
    CHECK(list_of(target.fetch(dots)) == std::vector<double>{30, 70, 110});
    CHECK(list_of(target.fetch(norm(of_one, reduction_on(target)))).front() == doctest::Approx(std::sqrt(30.0)));

    const Array sums = target.place(Array::zeros({4}, DType::float32));
    const ArrayRef of_sums = ref_of(sums);
    kiln::math::add.reduce(rows, reduce_on(target, {.axis = 0, .out = of_sums}));
    CHECK(list_of(target.fetch(sums)) == std::vector<double>{15, 18, 21, 24});
    kiln::math::add.accumulate(one, accumulate_on(target, {.out = of_sums}));
    CHECK(list_of(target.fetch(sums)) == std::vector<double>{1, 3, 6, 10});
  });
}

TEST_CASE("outer and .initial take memory of the caller's") {
  float x[] = {1, 2, 3}, y[] = {10, 20}, start[] = {100};
  const std::int64_t three[] = {3}, two[] = {2};
  const ArrayRef of_x{.data = x, .dtype = DType::float32, .shape = three};
  const ArrayRef of_y{.data = y, .dtype = DType::float32, .shape = two};
  const ArrayRef of_start{.data = start, .dtype = DType::float32};
  const Array outer = kiln::math::multiply.outer(of_x, of_y);
  CHECK(outer.shape() == kiln::Shape{3, 2});
  CHECK(list_of(outer) == std::vector<double>{10, 20, 20, 40, 30, 60});
  CHECK(kiln::math::add.reduce(Array::view(x, {3}), {.initial = of_start}).item<float>() == 106);
}

TEST_CASE("a chunked call waits until memory of the caller's is ready, and a question about a call does not") {
  const kiln::Device cpu = kiln::Device::cpu();
  const kiln::Stream other(cpu);
  const kiln::Ufunc slow =
      kiln::vectorize("float32(float32 a)", "float32 s = a; for (int32 i = 0; i < 2000; ++i) s = s * 0.5f + 1; return s;");
  const Array x = Array::full({200000}, 1.0F);
  slow(x, {.out = x, .stream = other});
  const kiln::Event ready(cpu);
  ready.record(other);
  ArrayRef of_x = ref_of(x);
  of_x.ready = &ready;
  static_cast<void>(kiln::math::add.resolve(of_x, 0.0F));
  const Array y = Array::zeros({200000}, DType::float32);
  kiln::chunked(kiln::math::add.ufunc(), {.chunk_bytes = 65536})(of_x, 0.0F, {.out = y});
  CHECK(ready.done());
  CHECK(y.as<float>()[0] == 2);
  CHECK(y.as<float>()[199999] == 2);
}

TEST_CASE("raw kernels read and write memory of the caller's, strided, too") {
  const kiln::RawKernel scale = kiln::kernel(
      {.name = "scale", .signature = "void(const float32[:] x, float32[:] y, float32 by)", .body = "y[item] = by * x[item];"});
  on_every_device([&](const Target& target) {
    const Array all = target.place(counting({6}));
    const Array x = all[kiln::Slice{.step = 2}];
    const Array both = target.place(Array::zeros({2, 3}, DType::float32));
    const Array y = both[1];
    const ArrayRef of_x = ref_of(x), of_y = ref_of(y);
    scale({.size = 3, .stream = target.options().stream, .device = target.options().device}, of_x, of_y, 10.0F);
    CHECK(list_of(target.fetch(both)) == std::vector<double>{0, 0, 0, 10, 30, 50});
  });
}

TEST_CASE("many operands of the caller's, and more axes than are kept inline") {
  const kiln::Ufunc six = kiln::vectorize("float32(float32 a, float32 b, float32 c, float32 d, float32 e, float32 f)",
                                          "return a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f;");
  on_every_device([&](const Target& target) {
    const Array one = target.place(Array::full(kiln::Shape(11, 1), 1.0F));
    const ArrayRef of_one = ref_of(one);
    const Array out = target.place(Array::zeros(kiln::Shape(11, 1), DType::float32));
    const ArrayRef of_out = ref_of(out);
    const std::vector<kiln::Arg> args(6, kiln::Arg(of_one));
    static_cast<void>(target.outputs(six, args, {.out = of_out}));
    CHECK(list_of(target.fetch(out)) == std::vector<double>{63});
  });
}

TEST_CASE("a call waits until memory of the caller's is ready") {
  on_every_device(
      [](const Target& target) {
        const kiln::Stream other(target.device());
        const Array x = kiln::to_device(Array::full({100000}, 1.0F), target.device());
        const kiln::Event ready(target.device());
        kiln::math::add(x, 1.0F, {.out = x, .stream = other});
        ready.record(other);
        ArrayRef of_x = ref_of(x);
        of_x.ready = &ready;
        const Array sum = kiln::math::add(of_x, 1.0F, target.options());
        CHECK(target.fetch(sum).as<float>()[99999] == 3);
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("chunked calls and graphs take memory of the caller's") {
  const Array x = counting({1000});
  const Array y = Array::zeros({1000}, DType::float32);
  const ArrayRef of_x = ref_of(x), of_y = ref_of(y);
  kiln::chunked(kiln::math::add.ufunc(), {.chunk_bytes = 512})(of_x, 1.0F, {.out = of_y});
  CHECK(y.as<float>()[999] == 1001);
  on_every_device(
      [](const Target& target) {
        const kiln::Stream stream(target.device());
        const Array from = kiln::to_device(counting({100}), target.device());
        const Array to = kiln::to_device(Array::zeros({100}, DType::float32), target.device());
        const ArrayRef of_from = ref_of(from), of_to = ref_of(to);
        const kiln::Graph graph =
            kiln::capture(stream, [&] { kiln::math::multiply(of_from, 3.0F, {.out = of_to, .stream = stream}); });
        graph.launch(stream);
        stream.synchronize();
        CHECK(to.copy_to_host().as<float>()[99] == 300);
      },
      {Mode::device});
}

TEST_CASE("memory of the caller's that no array may have is refused, by the operand's name") {
  std::vector<float> x(6, 1.0F);
  const std::int64_t shape[] = {2, 3};
  const std::int64_t negative[] = {2, -3};
  const std::int64_t strides[] = {12};
  const std::int64_t odd[] = {12, 3};
  const ArrayRef good{.data = x.data(), .dtype = DType::float32, .shape = shape};
  const auto refused = [&](const ArrayRef& ref) { return message_of([&] { kiln::math::add(good, ref); }); };
  CHECK(refused({.data = nullptr, .dtype = DType::float32, .shape = shape}) ==
        "add: input 1 (x2): ArrayRef: null address for shape (2, 3)");
  CHECK(refused({.data = x.data(), .dtype = DType::float32, .shape = negative}) ==
        "add: input 1 (x2): shape (2, -3) has a negative extent: extents are 0 or more");
  CHECK(refused({.data = x.data(), .dtype = DType::float32, .shape = shape, .strides = strides}) ==
        "add: input 1 (x2): ArrayRef: strides (12,) have 1 entries, shape (2, 3) has 2");
  CHECK(refused({.data = x.data(), .dtype = DType::float32, .shape = shape, .strides = odd}) ==
        "add: input 1 (x2): ArrayRef: stride 3 of axis 1 is not a multiple of 4, the alignment of float32");
  const ArrayRef read_only{.data = x.data(), .dtype = DType::float32, .shape = shape, .read_only = true};
  CHECK(message_of([&] { kiln::math::add(good, good, {.out = read_only}); }) ==
        "add: output 0 is read-only; give a writable array as .out");
}
