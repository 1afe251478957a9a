// Views of raw kernels: arrays of any strides, against loops over their elements; places in the grid by grid() and gridsize();
// launches that are configured.
#include <algorithm>
#include <numeric>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::LaunchOptions;
using kiln::RawKernel;
using kiln::Shape;
using kiln::Slice;

namespace {

const Slice kWholeAxis{};
const Slice kBackwards{.step = -1};

LaunchOptions launch_there(const Target& target, LaunchOptions options) {
  options.stream = target.options().stream;
  return options;
}

/// 0, 1, 2, … in C order.
Array counted_up(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Array::from(numbers).reshape(shape);
}

/// Windows of a 6 × 10 array, by name.
std::vector<std::pair<const char*, Array>> windows_of(const Array& a) {
  return {{"whole", a},
          {"rows apart", a[{Slice{.step = 2}, kWholeAxis}]},
          {"columns apart", a[{kWholeAxis, Slice{.start = 1, .step = 3}}]},
          {"reversed", a[{kBackwards, kBackwards}]},
          {"rows reversed", a[{kBackwards, kWholeAxis}]},
          {"transposed", a.transpose()},
          {"a part, transposed and reversed",
           a[{Slice{.start = 1, .stop = 4}, Slice{.step = 2}}].transpose()[{kBackwards, kWholeAxis}]},
          {"a column", a[{kWholeAxis, Slice{.start = 3, .stop = 4}}]},
          {"a row", a[{Slice{.start = 2, .stop = 3}, kBackwards}]},
          {"empty rows", a[{Slice{.start = 6}, kWholeAxis}]},
          {"empty columns", a[{kWholeAxis, Slice{.start = 10, .step = 2}}]}};
}

std::vector<std::int32_t> int32s_of(const Array& array) {
  return array.to_vector<std::int32_t>();
}

}  // namespace

TEST_CASE("kernel views: two dimensions of any strides are read and written in place") {
  static const RawKernel change =
      kiln::kernel({.name = "change", .signature = "void(const int32[:,:] x, int32[:,:] y, int64[:] seen)", .body = R"(
    for (index i = 0; i < x.shape(0); ++i) {
      for (index j = 0; j < x.shape(1); ++j) y(i, j) = 100 * x[i][j] + int32(10 * i + j);
    }
    seen[0] = x.size();
    seen[1] = x.ndim;
    seen[2] = x.shape(0);
    seen[3] = x.shape(1);
    seen[4] = x.contiguous();
    seen[5] = 0;
    for (const auto& row : y) {
      for (auto& element : row) seen(5) += element;
    })"});
  on_every_device([&](const Target& target) {
    const Array host_x = counted_up({6, 10});
    for (std::size_t w = 0; w < windows_of(host_x).size(); ++w) {
      // A device's arrays are windows there, too.
      const Array x = windows_of(target.place(host_x))[w].second;
      const Array whole = target.place(Array::full(Shape{6, 10}, std::int32_t{-1}));
      const Array y = windows_of(whole)[w].second;
      const Array seen = target.place(Array::zeros({6}, DType::int64));
      INFO(windows_of(host_x)[w].first);
      change(launch_there(target, {.size = 1}), x, y, seen);
      // The same on the host, by slices of one element.
      const Array from = windows_of(host_x)[w].second;
      const Array wanted = Array::full(Shape{6, 10}, std::int32_t{-1});
      const Array to = windows_of(wanted)[w].second;
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < from.shape()[0]; ++i) {
        for (std::int64_t j = 0; j < from.shape()[1]; ++j) {
          const auto value = static_cast<std::int32_t>(100 * from[{i, j}].item<std::int32_t>() + 10 * i + j);
          to[{i, j}].fill(value);
          sum += value;
        }
      }
      CHECK(int32s_of(target.fetch(whole)) == int32s_of(wanted));
      const std::vector<std::int64_t> facts = target.fetch(seen).to_vector<std::int64_t>();
      CHECK(facts[0] == from.size());
      CHECK(facts[1] == 2);
      CHECK(facts[2] == from.shape()[0]);
      CHECK(facts[3] == from.shape()[1]);
      if (from.size() > 0 && (target.mode() != Mode::host || target.device().is_cpu()))
        CHECK((facts[4] != 0) == from.is_c_contiguous());
      CHECK(facts[5] == sum);
    }
  });
}

TEST_CASE("kernel views: one and three dimensions, repeated axes, and several arrays of other strides") {
  static const RawKernel gather =
      kiln::kernel({.name = "gather", .signature = "void(const T[:,:,:] x, const int64[:] which, T[:] y)", .body = R"(
    if (item < y.size()) y(item) = x(which[item], item % x.shape(1), item % x.shape(2));)"});
  on_every_device([&](const Target& target) {
    const auto check = [&](const Array& x, const Array& which, const Array& y) {
      gather(launch_there(target, {.size = 50}), x, which, y);
      const std::vector<std::int32_t> got = int32s_of(target.fetch(y));
      const std::vector<std::int64_t> rows = target.fetch(which).to_vector<std::int64_t>();
      const Array host = target.fetch(x);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        CHECK(got[i] == host[{rows[i], at % host.shape()[1], at % host.shape()[2]}].item<std::int32_t>());
      }
    };
    const Array x = target.place(counted_up({4, 5, 6}));
    const Array rows = target.place(Array::from(std::vector<std::int64_t>{3, 0, 2, 1, 0, 3, 1, 1, 2, 0}));
    const Array y = target.place(Array::zeros({20}, DType::int32));
    check(x, rows, y[{Slice{.stop = 10}}]);
    check(x, rows[{kBackwards}], y[{Slice{.step = 2}}]);
    check(x.transpose({1, 2, 0}), rows, y[{Slice{.start = 18, .step = -2}}]);
    check(x[{kBackwards, Slice{.step = 2}, kBackwards}], rows[{Slice{.step = 3}}], y[{Slice{.stop = 4}}]);
    // One row for all, and one element for all.
    check(x[{Slice{.stop = 1}, kWholeAxis, kWholeAxis}].broadcast_to({4, 5, 6}), rows, y[{Slice{.stop = 10}}]);
    check(x[{Slice{.start = 1, .stop = 2}, Slice{.stop = 1}, Slice{.stop = 1}}].broadcast_to({4, 2, 3}), rows,
          y[{Slice{.stop = 20, .step = 2}}]);
    check(x, rows[{Slice{.stop = 0}}], y[{Slice{.stop = 0}}]);
  });
}

TEST_CASE("kernel views: elements of every size, their addresses, atomics on them, and rows as pointers") {
  static const RawKernel both = kiln::kernel({.name = "both",
                                              .signature = "void(T[:,:] A, T* p, int64 n)",
                                              .body = R"(
    if (item >= A.shape(0)) return;
    T* const row = &A(item, 0);
    const T first = *row;
    store(row, p[item]);
    p[item] = first;
    A[item][1] = A.row(item)(0);)",
                                              .compile = {.functions = "template <class T>\n"
                                                                       "inline void store(T* at, T value) { *at = value; }"}});
  static const RawKernel count = kiln::kernel({.name = "count", .signature = "void(const uint8[:] x, T[:] bins)", .body = R"(
    atomic_add(&bins(x(item) % 8), 1);)"});
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::bool_, DType::int8, DType::uint16, DType::float16, DType::bfloat16, DType::float32,
                              DType::complex64, DType::complex128}) {
      CAPTURE(kiln::name(dtype));
      const Array whole = target.place(counted_up({4, 6}).astype(dtype));
      const Array part = whole[{kBackwards, Slice{.step = 2}}];
      const Array p = target.place(Array::from(std::vector<std::int32_t>{50, 51, 52, 53}).astype(dtype));
      both(launch_there(target, {.size = 5}), part, p, 4);
      std::vector<std::int32_t> wanted(24);
      std::iota(wanted.begin(), wanted.end(), 0);
      std::vector<std::int32_t> firsts;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = 6 * (3 - i);
        firsts.push_back(wanted[row]);
        wanted[row] = wanted[row + 2] = 50 + static_cast<std::int32_t>(i);
      }
      const auto as_dtype = [&](const std::vector<std::int32_t>& numbers) {
        return list_of(Array::from(numbers).astype(dtype));
      };
      if (kiln::kind(dtype) == kiln::Kind::complex) {
        CHECK(int32s_of(target.fetch(whole).astype(DType::int32).reshape({24})) == wanted);
        continue;
      }
      CHECK(list_of(target.fetch(whole)) == as_dtype(wanted));
      CHECK(list_of(target.fetch(p)) == as_dtype(firsts));
    }
    std::vector<std::uint8_t> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * i >> 3);
    std::vector<std::int32_t> wanted(8);
    for (const std::uint8_t value : values) ++wanted[value % 8];
    const Array bins = target.place(Array::zeros({16}, DType::int32));
    count(launch_there(target, {.size = 1000}), target.place(Array::from(values))[{kBackwards}],
          bins[{Slice{.start = 14, .step = -2}}]);
    const std::vector<std::int32_t> got = int32s_of(target.fetch(bins));
    for (std::size_t i = 0; i < 8; ++i) CHECK(got[14 - 2 * i] == wanted[i]);
  });
}

TEST_CASE("kernel views: host arrays with gaps travel and come back, and two that overlap only if they are the same") {
  static const RawKernel add =
      kiln::kernel({.name = "add", .signature = "void(const int32[:] x, int32[:] y)", .body = "y[item] += 10 * x[item];"});
  on_every_device(
      [&](const Target& target) {
        const Array whole = counted_up({10});
        const Array even = whole[{Slice{.step = 2}}];
        add(launch_there(target, {.size = 5}), even, even);
        target.wait();
        CHECK(int32s_of(whole) == std::vector<std::int32_t>{0, 1, 22, 3, 44, 5, 66, 7, 88, 9});
        if (target.device().is_cpu()) return;
        CHECK(message_of<kiln::ShapeError>([&] { add(launch_there(target, {.size = 5}), whole[{Slice{.stop = 5}}], even); }) ==
              "add: argument 0 (x) and argument 1 (y) share memory of the host, which they would not on " +
                  to_string(target.device()) + "; bring them there with to_device() first");
        // Elements that are not distinct would fall apart.
        static const RawKernel fill =
            kiln::kernel({.name = "fill", .signature = "void(int32[:,:] A)", .body = "A(item, 1) = 5;"});
        std::vector<std::int32_t> host{0, 1, 2, 3};
        const Array windows =
            Array::view(static_cast<void*>(host.data()), kiln::Shape{3, 2}, DType::int32, {.strides = kiln::Strides{4, 4}});
        CHECK(message_of<kiln::ShapeError>([&] { fill(launch_there(target, {.size = 3}), windows); }) ==
              "fill: elements of argument 0 (A) share memory with one another, which they would not on " +
                  to_string(target.device()) + "; give an array whose elements are distinct");
        // The same bytes, in another order.
        CHECK(message_of<kiln::ShapeError>([&] {
                add(launch_there(target, {.size = 5}), even, even[{kBackwards}]);
              }).find(" share memory of the host") != std::string::npos);
      },
      {Mode::host});
}

TEST_CASE("kernels: grid() and gridsize() in each form") {
  static const RawKernel strides = kiln::kernel({.name = "strides", .signature = "void(int32[:] y, int64[:] size)", .body = R"(
    for (index i = grid(1); i < y.size(); i += gridsize(1)) y[i] += int32(i);
    if (grid(1) == 0) size[0] = gridsize(1);)"});
  static const RawKernel places = kiln::kernel({.name = "places", .signature = "void(int64[:,:,:] y)", .body = R"(
    const auto [i, j, k] = grid(3);
    const auto [m, n, p] = gridsize(3);
    const auto [x, unused] = grid(2);
    if (i < y.shape(0) && j < y.shape(1) && k < y.shape(2)) {
      y(i, j, k) += 1 + x + 10 * grid(2).y + 100 * grid(3).z + 1000 * gridsize(2).y + 10000 * (m + n + p);
    })"});
  static const RawKernel doubled = kiln::kernel({.name = "doubled", .signature = "void(int32[:] y)", .body = R"(
    const auto [i, j] = grid(2);
    y[i] = 2 * y[grid(1)] + int32(j + gridsize(2).y + (item == grid(1) ? 0 : 1000));)"});
  on_every_device([&](const Target& target) {
    const Array y = target.place(Array::zeros({1000}, DType::int32));
    const Array size = target.place(Array::zeros({1}, DType::int64));
    std::vector<std::int32_t> wanted(1000);
    std::iota(wanted.begin(), wanted.end(), 0);
    const auto check = [&](const LaunchOptions& launch, std::int64_t threads) {
      y.fill(0);
      strides(launch_there(target, launch), y, size);
      CHECK(int32s_of(target.fetch(y)) == wanted);
      CHECK(target.fetch(size).to_vector<std::int64_t>()[0] == threads);
    };
    check({.grid = {3}, .block = {32}}, 96);
    check({.grid = {40}}, 40);
    check({.grid = {50}, .block = {50}}, 2500);
    check({.size = 64}, 64);
    check({.size = 1500}, 1500);
    const Array cube = target.place(Array::zeros({3, 4, 5}, DType::int64));
    places(launch_there(target, {.grid = {2, 2, 3}, .block = {2, 3, 2}}), cube);
    const std::vector<std::int64_t> seen = target.fetch(cube).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < 60; ++i) {
      CHECK(seen[static_cast<std::size_t>(i)] == 1 + i / 20 + 10 * (i / 5 % 4) + 100 * (i % 5) + 6000 + 160'000);
    }
    const Array items = target.place(counted_up({7}));
    doubled(launch_there(target, {.size = 7}), items);
    CHECK(int32s_of(target.fetch(items)) == std::vector<std::int32_t>{1, 3, 5, 7, 9, 11, 13});
  });
}

TEST_CASE("kernels: a name grid of the user's own hides kiln's") {
  static const RawKernel own = kiln::kernel({.name = "own",
                                             .signature = "void(int32[:,:] grid, int32[:] y)",
                                             .body = "y[item] = grid(item, 1) + gridsize(2);",
                                             .compile = {.functions = "inline int32 gridsize(int32 x) { return 10 * x; }"}});
  static const RawKernel local = kiln::kernel({.name = "local",
                                               .signature = "void(int32[:] y)",
                                               .body = "const auto grid = [](int32 i) { return i + 1; };\ny[item] = grid(5);"});
  on_every_device(
      [&](const Target& target) {
        const Array y = target.place(Array::zeros({3}, DType::int32));
        own(launch_there(target, {.size = 3}), target.place(counted_up({3, 2})), y);
        CHECK(int32s_of(target.fetch(y)) == std::vector<std::int32_t>{21, 23, 25});
        local(launch_there(target, {.size = 3}), y);
        CHECK(int32s_of(target.fetch(y)) == std::vector<std::int32_t>{6, 6, 6});
      },
      {Mode::device});
}

TEST_CASE("kernels: configured launches") {
  static const RawKernel number = kiln::kernel({.name = "number", .signature = "void(int32[:,:] y)", .body = R"(
    const auto [j, i] = grid(2);
    if (i < y.shape(0) && j < y.shape(1)) y(i, j) += int32(10 * block_size.x + grid_size.y);)"});
  static const RawKernel add =
      kiln::kernel({.name = "add", .signature = "void(int32[:] y, int32 by)", .body = "y[item] += by;"});
  static const RawKernel reverse = kiln::kernel({.name = "reverse", .signature = "void(int32[:] y)", .body = R"(
    int32* const s = KILN_DYNAMIC_SHARED(int32);
    for (index i = thread.x; i < y.size(); i += block_size.x) s[i] = y[i];
    barrier();
    for (index i = thread.x; i < y.size(); i += block_size.x) y[i] = s[y.size() - 1 - i];)"});
  on_every_device([&](const Target& target) {
    const kiln::Stream stream = target.options().stream;
    const Array y = target.place(Array::zeros({3, 9}, DType::int32));
    const kiln::ConfiguredKernel configured = number.configure({3, 2}, {4, 2}, stream);
    configured(y);
    configured(y);
    CHECK(int32s_of(target.fetch(y)) == std::vector<std::int32_t>(27, 84));
    CHECK(configured.options().grid == kiln::Extent3{3, 2});
    CHECK(configured.options().block == kiln::Extent3{4, 2});
    CHECK(configured.kernel().name() == "number");
    number.configure({9, 3}, {}, stream)(y);
    CHECK(int32s_of(target.fetch(y)) == std::vector<std::int32_t>(27, 97));
    const Array row = target.place(counted_up({5}));
    add.forall(5, stream)(row, 100);
    add.forall(0, stream)(row, 100);
    CHECK(int32s_of(target.fetch(row)) == std::vector<std::int32_t>{100, 101, 102, 103, 104});
    reverse.configure(1, target.device().is_cpu() ? 1 : 32, stream, 5 * 4)(row);
    CHECK(int32s_of(target.fetch(row)) == std::vector<std::int32_t>{104, 103, 102, 101, 100});
  });
  CHECK(message_of<kiln::ShapeError>([] { add.configure(0)(counted_up({5}), 1); }) ==
        "add: .grid is (0, 1, 1); every extent is from 1 to 2147483647");
  CHECK(message_of<kiln::ShapeError>([] { add.forall(-1)(counted_up({5}), 1); }) ==
        "add: .size is -1; it is the number of items");
  CHECK(message_of<kiln::TypeError>([] { add.forall(5)(counted_up({5})); }) ==
        "add takes 2 arguments, 1 given; its signature is void(int32[:] y, int32 by)");
  CHECK(message_of<kiln::TypeError>([] { RawKernel().forall(5)(); }) == "this RawKernel is empty; make one with kernel()");
}

TEST_CASE("kernel views: a view as a pointer, and a place in no dimension, are told") {
  const std::string text =
      "x is a view of 1 dimension, and no number or pointer; write x(i), for the address of an element &x(i), or declare a "
      "pointer in the signature: float32* x";
  const std::string of_others =
      "a view is no pointer or number: write x(i), .data(), or in the signature of a raw kernel float32* x";
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::zeros({4}, DType::float32));
        const auto found = [&](const std::string& body) {
          const RawKernel k =
              kiln::kernel({.name = "k",
                            .signature = "void(float32[:] x)",
                            .body = body,
                            .compile = {.functions = "inline float32 sum(const float32* p) { return p[0] + p[1]; }"}});
          return message_of<kiln::CompileError>([&] { k(launch_there(target, {.size = 1}), x); });
        };
        CHECK(found("x[0] = sum(x);").starts_with("k:1:12: error: " + text));
        CHECK(found("float32* p = x;\np[0] = 1;").starts_with("k:1:14: error: " + text));
        CHECK(found("auto& y = x;\ny[0] = *(y + 1);").find(of_others) != std::string::npos);
        CHECK(found("x[grid(4)] = 1;").find("a grid has 1, 2 or 3 dimensions: grid(1), grid(2), grid(3)") != std::string::npos);
      },
      {Mode::device});
}
