// The ways to write a call: options after the arguments, whole kernels in one string, handles that are empty, lists of
// arguments that outlive their arrays.
#include "devices.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "kiln/operators.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;
using kiln::Slice;
using kiln::TypeError;

namespace {

using List = std::vector<double>;

const kiln::Ufunc& sum_of_three() {
  static const kiln::Ufunc ufunc = kiln::vectorize("float32 sum(float32 a, float32 b, float32 c) = a + 2 * b + 4 * c");
  return ufunc;
}

}  // namespace

TEST_CASE("calls: options stand after the arguments") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::from<float>({1, 2}));
    const Array out = target.place(Array::zeros({2}, DType::float32));
    const kiln::Stream stream = target.options().stream;
    const Array result = sum_of_three()(a, 1, a, {.out = out, .stream = stream});
    CHECK(result.data() == out.data());
    CHECK(list_of(target.fetch(out)) == List{7, 12});
    CHECK(list_of(target.fetch(sum_of_three()(a, a, 1.0F, {.stream = stream}))) == List{7, 10});
    CHECK(list_of(target.fetch(kiln::math::add(a, a, {.out = out, .stream = stream}))) == List{2, 4});
    CHECK(list_of(target.fetch(kiln::math::negative(a, {.out = out, .stream = stream}))) == List{-1, -2});
    const kiln::CallOptions named{.stream = stream, .dtype = DType::float64};
    CHECK(kiln::math::add(a, a, named).dtype() == DType::float64);
    CHECK(kiln::math::add.resolve(a, a, {.stream = stream, .dtype = DType::float64}).loop == "float64(float64 x1, float64 x2)");
    const auto [q, r] = kiln::math::divmod.outputs<2>(a, 2, {.out = {out, Array()}, .stream = stream});
    CHECK(q.data() == out.data());
    CHECK(list_of(target.fetch(q)) == List{0, 1});
    CHECK(list_of(target.fetch(r)) == List{1, 0});

    const kiln::Gufunc dot = kiln::guvectorize(
        "(n),(n)->()",
        "void dot(float32[:] a, float32[:] b, float32 r) { r = 0; for (index i = 0; i < n; ++i) r += a(i) * b(i); }");
    CHECK(dot.name() == "dot");
    CHECK(list_of(target.fetch(dot(a, a, {.stream = stream}))) == List{5});
    CHECK(dot.resolve(a, a, {.stream = stream}).shape == Shape{});

    const kiln::Reduction most = kiln::reduction(
        {.name = "most", .signatures = {"float32(float32 x)"}, .reduce = "return a < b ? b : a;", .identity = "-INFINITY"});
    const Array matrix = target.place(Array::from<float>({1, 5, 4, 2}, Shape{2, 2}));
    CHECK(list_of(target.fetch(most(matrix, {.axis = 1, .stream = stream}))) == List{5, 4});
    CHECK(most.resolve(matrix, {.axis = 1, .stream = stream}).shape == Shape{2});
  });
}

TEST_CASE("calls: eight arguments and options") {
  on_every_device([&](const Target& target) {
    const kiln::Ufunc many = kiln::vectorize(
        "int32 many(int32 a, int32 b, int32 c, int32 d, int32 e, int32 f, int32 g, int32 h) = "
        "a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))))");
    const Array out = target.place(Array::zeros({1}, DType::int32));
    many(1, 2, 3, 4, 5, 6, 7, 8, {.out = out, .stream = target.options().stream});
    CHECK(list_of(target.fetch(out)) == List{87654321});
  });
}

TEST_CASE("calls: a list of arguments keeps its arrays") {
  on_every_device([&](const Target& target) {
    std::vector<kiln::Arg> args;
    for (const float value : {1.0F, 2.0F, 3.0F}) {
      const Array array = target.place(Array::full<float>({100000}, value));
      args.emplace_back(array);
    }
    kiln::CallOptions options = target.options();
    const Array result = target.fetch(sum_of_three()(args, options));
    CHECK(result.as<const float>()[99999] == 17);
    kiln::ReduceOptions from = reduce_on(target);
    from.initial = target.place(Array::from<float>({5}));
    CHECK(list_of(target.fetch(kiln::math::add.reduce(args[0].array(), from))) == List{100005});
  });
}

TEST_CASE("calls: what results held is replaced, and not written to") {
  on_every_device([&](const Target& target) {
    const kiln::CallOptions options = target.options();
    const Array a = target.place(Array::from<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3}));
    const Array kept = target.place(Array::full<float>({2, 3}, -1));
    const Array small = kept[{Slice{0, 1}, Slice{0, 1}}];
    // Of another shape, of another dtype, and an input.
    for (const Array& held : {small, kept, target.place(Array::zeros({2, 3}, DType::int8)), a}) {
      std::vector<Array> results{held};
      const std::vector<kiln::Arg> args{a, 2.0F};
      kiln::math::multiply->call(args, &options, results);
      CHECK(list_of(target.fetch(results[0])) == List{2, 4, 6, 8, 10, 12});
      kiln::math::multiply.call(args, &options, results);
      CHECK(list_of(target.fetch(results[0])) == List{2, 4, 6, 8, 10, 12});
      CHECK(list_of(target.fetch(a)) == List{1, 2, 3, 4, 5, 6});
      CHECK(list_of(target.fetch(kept)) == List(6, -1));
    }
    kiln::CallOptions masked = options;
    masked.where = target.place(Array::from<bool>({true, false, true}));
    const std::vector<kiln::Arg> args{a, 2.0F};
    std::vector<Array> results{small, small};
    kiln::math::divmod->call(args, &masked, results);
    CHECK(list_of(target.fetch(results[0])) == List{0, 0, 1, 2, 0, 3});
    CHECK(list_of(target.fetch(results[1])) == List{1, 0, 1, 0, 0, 0});
    masked.out = {Array(), target.place(Array::full<float>({2, 3}, 9))};
    results = {small, small};
    kiln::math::divmod->call(args, &masked, results);
    CHECK(list_of(target.fetch(results[0])) == List{0, 0, 1, 2, 0, 3});
    CHECK(list_of(target.fetch(results[1])) == List{1, 9, 1, 0, 9, 0});
    results = {small};
    const std::vector<kiln::Arg> none{target.place(Array::zeros({0, 3}, DType::float32))};
    kiln::math::negative->call(none, &options, results);
    CHECK(results[0].shape() == Shape{0, 3});

    const kiln::Gufunc twice = kiln::guvectorize(
        "(n)->(n)", "void twice(float32[:] x, float32[:] y) { for (index i = 0; i < n; ++i) y(i) = 2 * x(i); }");
    const std::vector<kiln::Arg> one{a};
    for (int times = 0; times < 2; ++times) {  // the second call goes as the first did
      results = {small};
      const kiln::GufuncOptions on{.stream = options.stream};
      twice.call(one, &on, results);
      CHECK(list_of(target.fetch(results[0])) == List{2, 4, 6, 8, 10, 12});
    }
    const kiln::Reduction sum =
        kiln::reduction({.name = "sum", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
    results = {a};
    const kiln::ReductionOptions rows{.axis = 1, .stream = options.stream};
    sum.call(one, &rows, results);
    CHECK(list_of(target.fetch(results[0])) == List{6, 15});
    CHECK(list_of(target.fetch(a)) == List{1, 2, 3, 4, 5, 6});
    CHECK(list_of(target.fetch(kept)) == List(6, -1));
    if (target.mode() != Mode::host) return;
    const kiln::ChunkOptions chunks{.chunk_bytes = 8, .devices = {target.device()}};
    results = {small};
    kiln::chunked(kiln::math::multiply, chunks).call(args, nullptr, results);
    CHECK(list_of(results[0]) == List{2, 4, 6, 8, 10, 12});
    results = {small};
    kiln::chunked(twice, chunks).call(one, nullptr, results);
    CHECK(list_of(results[0]) == List{2, 4, 6, 8, 10, 12});
    results = {a};
    const kiln::ReductionOptions columns{.axis = 1};
    kiln::chunked(sum, chunks).call(one, &columns, results);
    CHECK(list_of(results[0]) == List{6, 15});
    CHECK(list_of(a) == List{1, 2, 3, 4, 5, 6});
    CHECK(list_of(kept) == List(6, -1));
  });
}

TEST_CASE("calls: a handle that is empty says so") {
  const kiln::Ufunc ufunc;
  const kiln::Gufunc gufunc;
  const kiln::Reduction reduction;
  const kiln::RawKernel kernel;
  CHECK_FALSE(ufunc.valid());
  CHECK_FALSE(gufunc.valid());
  CHECK_FALSE(reduction.valid());
  CHECK_FALSE(kernel.valid());
  CHECK(sum_of_three().valid());
  const Array a = Array::zeros({2}, DType::float32);
  const std::string no_ufunc = "this Ufunc is empty; make one with vectorize() or fuse()";
  CHECK(message_of<TypeError>([&] { ufunc(a); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { ufunc({a}, {.dtype = DType::float32}); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.outputs<2>(a)); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.resolve(a)); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.reduce(a)); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.accumulate(a)); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.outer(a, a)); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { ufunc.at(a, a, 1); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { ufunc.compile("native"); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(ufunc.name()); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(kiln::fuse("f", [&](kiln::Expr x) { return ufunc(x); })); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { static_cast<void>(kiln::reduction(ufunc, sum_of_three())); }) == no_ufunc);
  CHECK(message_of<TypeError>([&] { gufunc(a); }) == "this Gufunc is empty; make one with guvectorize()");
  CHECK(message_of<TypeError>([&] { static_cast<void>(gufunc.resolve(Shape{2})); }) ==
        "this Gufunc is empty; make one with guvectorize()");
  CHECK(message_of<TypeError>([&] { reduction(a); }) == "this Reduction is empty; make one with reduction()");
  CHECK(message_of<TypeError>([&] { kernel({.size = 1}, a); }) == "this RawKernel is empty; make one with kernel()");
}

TEST_CASE("calls: a kernel in one string that cannot be read") {
  CHECK_THROWS_AS(static_cast<void>(kiln::vectorize("float32 f(float32 a)")), kiln::SignatureError);
  CHECK_THROWS_AS(static_cast<void>(kiln::guvectorize("(n)->()", "float32(float32 a)")), kiln::SignatureError);
}

TEST_CASE("calls: extents are integers of any type") {
  const std::size_t n = 3;
  const unsigned char m = 2;
  CHECK(Array::zeros({n, m}, DType::int8).shape() == Shape{3, 2});
  CHECK(Shape{n}.size() == 1);
  enum { rows = 3, columns = 4 };
  CHECK(Shape{rows, columns} == Shape(std::vector<std::int64_t>{3, 4}));
  CHECK(Shape{rows, std::int64_t{2}} == Shape(std::vector<std::int64_t>{3, 2}));
  CHECK(Shape{std::integral_constant<std::size_t, 5>{}, n} == Shape(std::vector<std::int64_t>{5, 3}));
  CHECK(Shape{true, 7} == Shape(std::vector<std::int64_t>{1, 7}));
  CHECK(Shape(n, 7) == Shape{7, 7, 7});
  static_assert(!std::is_constructible_v<kiln::Integer, double>);
  const kiln::LaunchOptions launch{.grid = 16, .block = {n, m}};
  CHECK(launch.grid == kiln::Extent3{16, 1, 1});
  CHECK(launch.block == kiln::Extent3{3, 2, 1});
  CHECK_THROWS_AS(static_cast<void>(Array::zeros({3}, DType::int8)[~std::uint64_t{0}]), kiln::ShapeError);
  CHECK_THROWS_AS(static_cast<void>(Array::zeros({~std::size_t{0}}, DType::int16)), kiln::ShapeError);
  CHECK(kiln::Extent3{n, m} == kiln::Extent3{3, 2, 1});
}

static_assert(std::is_same_v<decltype(Array() < 1), Array>);

TEST_CASE("kernels: scalars convert as those of ufuncs do") {
  const kiln::RawKernel scale =
      kiln::kernel({.name = "scale",
                    .signature = "void(T[:] x, T by, int64 from, complex128 z) where T: float16, float32",
                    .body = "if (item >= from) x[item] = T(float32(x[item]) * float32(by) + float32(z.real()));"});
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float32, DType::float16}) {
      const Array x = target.place(Array::from<float>({1, 2, 3, 4}).astype(dtype));
      const kiln::LaunchOptions options{.size = 4, .stream = target.options().stream};
      scale(options, x, 2, 1, 0.5F);
      CHECK(list_of(target.fetch(x)) == List{1, 4.5, 6.5, 8.5});
      scale(options, x, 2.0, std::uint8_t{3}, true);
      CHECK(list_of(target.fetch(x)) == List{1, 4.5, 6.5, 18});
    }
  });
}
