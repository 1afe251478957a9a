// `out`: where results go, what they may overlap, and that a call equals the call on private copies.
#include <algorithm>
#include <cstring>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "model.hpp"
#include "reductions.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

std::vector<Exact> counting(std::int64_t count) {
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(static_cast<long double>(i % 1000));
  return values;
}

/// A random rectangle of a square matrix, stepped, reversed and transposed.
struct Window {
  Array view;
  Model model;
};
Window random_window(const Array& matrix, const std::shared_ptr<std::vector<Exact>>& memory, const Extents& shape,
                     std::mt19937_64& source) {
  const std::int64_t side = matrix.shape()[0];
  const bool transposed = source() % 3 == 0;
  Window window{matrix, {memory, 0, shape, {}}};
  std::vector<kiln::Index> slices;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extent = shape[transposed ? 1 - i : i];
    const std::int64_t most = extent == 1 ? 1 : (side - 1) / (extent - 1);
    const std::int64_t step =
        1 + static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(std::min<std::int64_t>(most, 3)));
    const std::int64_t room = side - (extent - 1) * step;
    const std::int64_t first = static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(room));
    const std::int64_t last = first + (extent - 1) * step;
    const std::int64_t pitch = i == 0 ? side : 1;
    if (source() % 3 == 0) {
      slices.emplace_back(Slice{.start = last, .stop = first == 0 ? std::optional<std::int64_t>() : first - 1, .step = -step});
      window.model.offset += last * pitch;
      window.model.strides.push_back(-step * pitch);
    } else {
      slices.emplace_back(Slice{.start = first, .stop = last + 1, .step = step});
      window.model.offset += first * pitch;
      window.model.strides.push_back(step * pitch);
    }
  }
  window.view = matrix.slice(slices);
  if (transposed) {
    window.view = window.view.transpose();
    std::swap(window.model.strides[0], window.model.strides[1]);
  }
  return window;
}

}  // namespace

TEST_CASE("out: random overlaps give the result on private copies") {
  std::uint64_t stream = 300;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int cases = target.device().is_cpu() ? 200 : 60;
    for (int i = 0; i < cases; ++i) {
      constexpr std::int64_t kSide = 14;
      const Extents shape = {static_cast<std::int64_t>(1 + source() % 7), static_cast<std::int64_t>(1 + source() % 14)};
      const auto memory = std::make_shared<std::vector<Exact>>(counting(kSide * kSide));
      const Array matrix = target.place(make(DType::int32, *memory, kiln::Shape{kSide, kSide}));
      const Window a = random_window(matrix, memory, shape, source);
      const Window b = random_window(matrix, memory, shape, source);
      const Window out = random_window(matrix, memory, shape, source);
      const std::string what = "over " + text_of(shape) + ": a " + std::to_string(a.model.offset) + text_of(a.model.strides) +
                               ", b " + std::to_string(b.model.offset) + text_of(b.model.strides) + ", out " +
                               std::to_string(out.model.offset) + text_of(out.model.strides) + ", seed " +
                               std::to_string(seed());
      INFO(what);
      std::vector<Exact> results;
      for_each_index(shape, [&](const Extents& index) { results.push_back(3.0L * a.model.at(index) + b.model.at(index)); });
      std::size_t next = 0;
      for_each_index(shape, [&](const Extents& index) { out.model.at(index) = results[next++]; });
      target.call(combine(), {a.view, b.view}, {.out = out.view});
      CHECK(difference(read(target.fetch(matrix)), *memory) == "");
    }
  });
}

TEST_CASE("out: long arrays in place, shifted and reversed") {
  on_every_device([&](const Target& target) {
    constexpr std::int64_t kCount = 50000;
    const std::vector<Exact> start = counting(kCount);
    const auto at = [&](std::int64_t i) { return start[static_cast<std::size_t>(i)]; };
    const auto place = [&] { return target.place(make(DType::float64, start)); };
    std::vector<Exact> expected = start;
    const auto check = [&](const Array& array, const char* what) {
      INFO(what);
      CHECK(difference(read(target.fetch(array)), expected) == "");
    };

    Array x = place();
    target.call(combine(), {x, x}, {.out = x});
    for (std::int64_t i = 0; i < kCount; ++i) expected[static_cast<std::size_t>(i)] = 4.0L * at(i);
    check(x, "in place");

    x = place();
    target.call(combine(), {x[{Slice{.stop = kCount - 1}}], 1.0}, {.out = x[{Slice{.start = 1}}]});
    expected = start;
    for (std::int64_t i = 1; i < kCount; ++i) expected[static_cast<std::size_t>(i)] = 3.0L * at(i - 1) + 1.0L;
    check(x, "shifted up");

    x = place();
    target.call(combine(), {x[{Slice{.start = 1}}], 1.0}, {.out = x[{Slice{.stop = kCount - 1}}]});
    expected = start;
    for (std::int64_t i = 1; i < kCount; ++i) expected[static_cast<std::size_t>(i - 1)] = 3.0L * at(i) + 1.0L;
    check(x, "shifted down");

    x = place();
    target.call(combine(), {x[{Slice{.step = -1}}], x}, {.out = x});
    for (std::int64_t i = 0; i < kCount; ++i) expected[static_cast<std::size_t>(i)] = 3.0L * at(kCount - 1 - i) + at(i);
    check(x, "reversed");
  });
}

TEST_CASE("out: a square matrix and its transpose") {
  on_every_device([&](const Target& target) {
    constexpr std::int64_t kSide = 130;
    const std::vector<Exact> start = counting(kSide * kSide);
    const Array m = target.place(make(DType::int64, start, kiln::Shape{kSide, kSide}));
    target.call(combine(), {m, m.transpose()}, {.out = m});
    std::vector<Exact> expected;
    for (std::int64_t i = 0; i < kSide; ++i) {
      for (std::int64_t j = 0; j < kSide; ++j) {
        expected.push_back(3.0L * start[static_cast<std::size_t>(i * kSide + j)] +
                           start[static_cast<std::size_t>(j * kSide + i)]);
      }
    }
    CHECK(difference(read(target.fetch(m)), expected) == "");
  });
}

TEST_CASE("out: windows of other dtypes over the same memory") {
  on_every_device(
      [&](const Target& target) {
        if (!target.device().is_cpu()) return;  // memory is seen as another dtype through host pointers
        std::vector<double> memory(1000);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
        const Array in = target.place(Array::view(memory.data(), {1000}));
        const Array out = target.place(Array::view(static_cast<void*>(memory.data()), {1000}, DType::float32, {}));
        target.call(combine(), {in, 0.5}, {.out = out});
        target.wait();
        const auto* results = static_cast<const float*>(out.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < 1000; ++i) {
          float result = 0;
          std::memcpy(&result, results + i, sizeof result);
          wrong += result == 3.0F * static_cast<float>(i) + 0.5F ? 0U : 1U;
        }
        CHECK(wrong == 0);
      },
      {Mode::host, Mode::device});
}

TEST_CASE("out: a copy is made only for a real overlap") {
  const Array x = Array::zeros({100}, DType::float32);
  const auto copies = [](const Array& a, const Array& out) { return combine().resolve({a, 1.0F}, {.out = out}).copies; };
  const auto cpu = [](const Array& a) { return kiln::to_device(a, kiln::Device::cpu()); };
  const Array d = cpu(x);
  CHECK(copies(d, d).empty());
  CHECK(copies(d[{Slice{.start = 0, .step = 2}}], d[{Slice{.start = 1, .step = 2}}]).empty());
  CHECK(copies(d[{Slice{.stop = 50}}], d[{Slice{.start = 50}}]).empty());
  const auto shifted = copies(d[{Slice{.stop = 99}}], d[{Slice{.start = 1}}]);
  REQUIRE(shifted.size() == 1);
  CHECK(shifted[0] == "input 0 (a) overlaps output 0 and is copied first");
}

TEST_CASE("out: it may enlarge the loop, takes another dtype, and comes back") {
  on_every_device([&](const Target& target) {
    const Array row = target.place(make(DType::int32, {1, 2, 3}));
    const Array out = target.place(Array::zeros({2, 3}, DType::float64));
    const Array result = target.call(combine(), {row, row}, {.out = out});
    CHECK(result.data() == out.data());
    CHECK(result.shape() == kiln::Shape{2, 3});
    CHECK(difference(read(target.fetch(out)), {4, 8, 12, 4, 8, 12}) == "");
  });
}

TEST_CASE("out: a host out with device inputs is a copy that waits") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(make(DType::float32, counting(5000)));
        const Array out = Array::zeros({5000}, DType::float32);
        const Array result = target.call(combine(), {a, a}, {.out = out});
        CHECK(result.data() == out.data());
        if (target.device().is_cpu()) target.wait();  // host memory is the device's own there
        std::vector<Exact> expected;
        for (const Exact& value : counting(5000)) expected.push_back(4.0L * value);
        CHECK(difference(read(out), expected) == "");
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("out: host inputs and a device out") {
  on_every_device(
      [&](const Target& target) {
        const Array a = make(DType::float32, counting(1000));
        const Array out = target.place(Array::zeros({1000}, DType::float32));
        target.call(combine(), {a, 1.0F}, {.out = out});
        std::vector<Exact> expected;
        for (const Exact& value : counting(1000)) expected.push_back(3.0L * value + 1.0L);
        CHECK(difference(read(target.fetch(out)), expected) == "");
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("out: several") {
  const Ufunc divmod = kiln::vectorize(
      {.name = "divmod", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int32, {17, 23, 40}));
    const Array b = target.place(make(DType::int32, {5, 7, 8}));
    const Array q = target.place(Array::zeros({3}, DType::int64));
    const Array r = target.place(Array::zeros({3}, DType::float32));
    const auto results = divmod.outputs<2>({a, b}, target.options({.out = {q, r}}));
    CHECK(results[0].data() == q.data());
    CHECK(results[1].data() == r.data());
    CHECK(difference(read(target.fetch(q)), {3, 3, 5}) == "");
    CHECK(difference(read(target.fetch(r)), {2, 2, 0}) == "");
    // Both inputs are outputs, crosswise.
    target.outputs(divmod, {a, b}, {.out = {b, a}});
    CHECK(difference(read(target.fetch(b)), {3, 3, 5}) == "");
    CHECK(difference(read(target.fetch(a)), {2, 2, 0}) == "");
  });
}

TEST_CASE("out: some of several, the others fresh") {
  const Ufunc divmod =
      kiln::vectorize({.name = "divmod",
                       .signatures = {"(int32 q, int32 r)(int32 a, int32 b)", "(int64 q, int64 r)(int64 a, int64 b)"},
                       .body = "q = a / b; r = a % b;"});
  const auto gufunc = kiln::guvectorize({.name = "ends",
                                         .layout = "(n)->(),()",
                                         .signatures = {"void(float64[:] x, float64[:] low, float64[:] high)"},
                                         .body = "low(0) = x(0); high(0) = x(n - 1);"});
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int32, {17, 23, 40}));
    const Array b = target.place(make(DType::int32, {5, 7, 8}));
    const auto same = [&](const Array& array, DType dtype, const std::vector<Exact>& expected) {
      CHECK(array.dtype() == dtype);
      CHECK(difference(read(target.fetch(array)), expected) == "");
    };
    for (const bool first : {true, false}) {
      CAPTURE(first);
      const Array given = target.place(make(DType::float32, {7, 7, 7}));
      const kiln::Outputs outs = first ? kiln::Outputs{given, Array()} : kiln::Outputs{Array(), given};
      auto results = target.outputs(divmod, {a, b}, {.out = outs});
      CHECK(results[first ? 0 : 1].data() == given.data());
      same(results[0], first ? DType::float32 : DType::int32, {3, 3, 5});
      same(results[1], first ? DType::int32 : DType::float32, {2, 2, 0});
      // Under a mask the one keeps its values, the other is zero.
      const Array fours = target.place(make(DType::float32, {4, 4, 4}));
      const Array mask = target.place(make(DType::bool_, {0, 1, 1}));
      results =
          target.outputs(divmod, {a, b}, {.out = first ? kiln::Outputs{fours, {}} : kiln::Outputs{{}, fours}, .where = mask});
      same(results[0], first ? DType::float32 : DType::int32, {first ? 4.0L : 0.0L, 3, 5});
      same(results[1], first ? DType::int32 : DType::float32, {first ? 0.0L : 4.0L, 2, 0});
      // Enlarged by the one that is given, for scalars alone, and of no elements.
      const Array square = target.place(Array::zeros({2, 3}, DType::int64));
      results = target.outputs(divmod, {a, 3}, {.out = first ? kiln::Outputs{square, {}} : kiln::Outputs{{}, square}});
      same(results[0], first ? DType::int64 : DType::int32, {5, 7, 13, 5, 7, 13});
      same(results[1], first ? DType::int32 : DType::int64, {2, 2, 1, 2, 2, 1});
      const Array none = target.place(Array::empty({0, 3}, DType::int64));
      results = target.outputs(divmod, {none, 3}, {.out = first ? kiln::Outputs{none, {}} : kiln::Outputs{{}, none}});
      CHECK(results[first ? 1 : 0].shape() == kiln::Shape{0, 3});

      const kiln::Stream stream = target.options().stream;
      const Array x = target.place(make(DType::float64, {1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
      const Array two = target.place(make(DType::float64, {9, 9}));
      const kiln::Outputs pair = first ? kiln::Outputs{two, {}} : kiln::Outputs{{}, two};
      const auto ends = gufunc.outputs<2>({x}, {.out = pair, .stream = stream});
      CHECK(ends[first ? 0 : 1].data() == two.data());
      same(ends[0], DType::float64, {1, 4});
      same(ends[1], DType::float64, {3, 6});
      const auto least =
          minmax.outputs<2>({x}, {.axis = 0,
                                  .out = first ? kiln::Outputs{target.place(make(DType::float64, {9, 9, 9})), {}}
                                               : kiln::Outputs{{}, target.place(make(DType::float32, {9, 9, 9}))},
                                  .stream = stream});
      same(least[0], DType::float64, {1, 2, 3});
      same(least[1], first ? DType::float64 : DType::float32, {4, 5, 6});
    }
    const Array wrong = target.place(Array::zeros({2}, DType::int32));
    CHECK(message_of<kiln::ShapeError>([&] { target.outputs(divmod, {a, b}, {.out = {Array(), wrong}}); }) ==
          "divmod: shapes do not broadcast: input 0 (a) (3,), input 1 (b) (3,), output 1 (r) (2,); extents must be equal or 1, "
          "counted from the last axis");
    const Array narrow = target.place(Array::zeros({3}, DType::int8));
    const kiln::CallOptions safely{.out = {Array(), narrow}, .casting = kiln::Casting::safe};
    CHECK(message_of<kiln::TypeError>([&] { target.outputs(divmod, {a, b}, safely); }) ==
          "divmod: cannot cast output 1 (r) from int32 to the out array's int8 under casting \"safe\" for the loop (int32 q, "
          "int32 r)(int32 a, int32 b); give one of int32");
    CHECK(message_of<kiln::TypeError>([&] { target.outputs(divmod, {a, b}, {.out = {Array(), Array()}}); }) ==
          "divmod: output 0 (q) is an empty Array handle, not an array, and so are the others; leave .out away for fresh "
          "results");
  });
}
