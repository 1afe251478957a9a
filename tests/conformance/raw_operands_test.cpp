// Raw operands of ufuncs: arrays that are not broadcast, which each element reaches whole; and the place of an element.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "devices.hpp"
#include "kiln/chunked.hpp"
#include "kiln/fuse.hpp"
#include "kiln/graph.hpp"
#include "kiln/math.hpp"
#include "kiln/random.hpp"
#include "kiln/reduction.hpp"

using namespace conformance;
using kiln::Array;
using kiln::CallOptions;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;
using kiln::vectorize;

namespace {

std::vector<float> ramp(std::int64_t count, float step = 1) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = step * static_cast<float>(i);
  return values;
}

/// Views of the same 6 × 5 values, 0 to 29, that lie otherwise.
std::vector<std::pair<const char*, Array>> layouts_of_30() {
  const Array whole = Array::from(ramp(30), {6, 5});
  std::vector<float> columns(30);
  for (std::size_t i = 0; i < 30; ++i) columns[i % 5 * 6 + i / 5] = static_cast<float>(i);
  const Array transposed = Array::from(columns, {5, 6}).transpose();
  std::vector<float> backwards(30);
  for (std::size_t i = 0; i < 30; ++i) backwards[29 - i] = static_cast<float>(i);
  const Array reversed = Array::from(backwards, {6, 5})[{Slice{.step = -1}, Slice{.step = -1}}];
  std::vector<float> wide(12 * 10);
  for (std::size_t i = 0; i < 30; ++i) wide[(i / 5 * 2) * 10 + i % 5 * 2] = static_cast<float>(i);
  const Array stepped = Array::from(wide, {12, 10})[{Slice{.step = 2}, Slice{.step = 2}}];
  return {{"packed", whole}, {"transposed", transposed}, {"reversed", reversed}, {"stepped", stepped}};
}

}  // namespace

TEST_CASE("raw: an input is reached whole, in C order whatever its strides are") {
  const Ufunc gather = vectorize("float32(int32 k, raw float32 table)", "return table[k] + 0.5f;");
  const std::vector<int> indices = {29, 0, 7, 7, 13, 5, 28, 1};
  on_every_device([&](const Target& target) {
    for (const auto& [name, table] : layouts_of_30()) {
      CAPTURE(name);
      const Array result = target.call(gather, {target.place(Array::from(indices, {8})), target.place(table)});
      const std::vector<float> values = values_of<float>(target, result);
      REQUIRE(result.shape() == kiln::Shape{8});
      for (std::size_t i = 0; i < indices.size(); ++i) CHECK(values[i] == static_cast<float>(indices[i]) + 0.5F);
    }
  });
}

TEST_CASE("raw: elements by an index for each axis, shapes, strides, sizes") {
  const Ufunc ask = vectorize(
      "(float32 a, float32 b, float32 c, int64 n, int64 rows, int64 columns, int32 dimensions)"
      "(int32 i, int32 j, raw float32 t)",
      "a = t(i, j); b = t[{i, j}]; const int at[2] = {i, j}; c = t[at]; n = t.size();"
      "rows = t.shape(0); columns = t.shape()[1]; dimensions = t.ndim;");
  const Ufunc stride = vectorize("int64(int32 axis, raw float32 t)", "return t.strides()[axis] - t.stride(axis);");
  on_every_device([&](const Target& target) {
    for (const auto& [name, table] : layouts_of_30()) {
      CAPTURE(name);
      const Array i = target.place(Array::from(std::vector<int>{5, 0, 3}, {3}));
      const Array j = target.place(Array::from(std::vector<int>{4, 1, 2}, {3}));
      const Array placed = target.place(table);
      const std::vector<Array> results = target.outputs(ask, {i, j, placed});
      const std::vector<float> wanted = {29, 1, 17};
      for (std::size_t k = 0; k < 3; ++k) CHECK(values_of<float>(target, results[k]) == wanted);
      CHECK(values_of<std::int64_t>(target, results[3]) == std::vector<std::int64_t>(3, 30));
      CHECK(values_of<std::int64_t>(target, results[4]) == std::vector<std::int64_t>(3, 6));
      CHECK(values_of<std::int64_t>(target, results[5]) == std::vector<std::int64_t>(3, 5));
      CHECK(values_of<int>(target, results[6]) == std::vector<int>(3, 2));
      const Array zero = target.call(stride, {target.place(Array::from(std::vector<int>{0, 1}, {2})), placed});
      CHECK(values_of<std::int64_t>(target, zero) == std::vector<std::int64_t>(2, 0));
    }
  });
}

TEST_CASE("raw: an array of one axis is read with one index in every notation") {
  for (const bool debug : {false, true}) {
    const Ufunc ask =
        vectorize({.name = "ask",
                   .signatures = {"(float32 a, float32 b, float32 c, float32 d)(K k, raw float32 t)"
                                  " where K: int8, int32, int64"},
                   .body = "enum which { second = 1 }; a = t(k); b = t[{k}]; const index at[1] = {index(k)}; c = t[at]; d = "
                           "any(t, k) + t[second] - t[1];",
                   .compile = {.functions = "float32 any(raw_array<const float32> t, index k) { return t(k) + t[k]; }",
                               .debug = {.on = debug}}});
    const Ufunc write = vectorize({.name = "write",
                                   .signatures = {"(raw float32 y)(int32 k)"},
                                   .body = "y(k) = 2 * k; y[{k}] += 1;",
                                   .compile = {.debug = {.on = debug}}});
    on_every_device([&](const Target& target) {
      const Array whole = Array::from(std::vector<float>{0, 10, 20, 30, 40, 50}, {6});
      const std::vector<Array> tables = {whole, whole[{kiln::Slice{.step = 2}}], whole[{kiln::Slice{.step = -1}}]};
      for (std::size_t which = 0; which < tables.size(); ++which) {
        CAPTURE(which);
        const std::vector<float> held = tables[which].to_vector<float>();
        for (const DType dtype : {DType::int8, DType::int32, DType::int64}) {
          const Array k = target.place(Array::from(std::vector<int>{2, 0, 1}, {3}).astype(dtype));
          const std::vector<Array> results = target.outputs(ask, {k, target.place(tables[which])});
          const std::vector<float> wanted = {held[2], held[0], held[1]};
          for (std::size_t r = 0; r < 3; ++r) CHECK(values_of<float>(target, results[r]) == wanted);
          CHECK(values_of<float>(target, results[3]) == std::vector<float>{2 * held[2], 2 * held[0], 2 * held[1]});
        }
      }
      const Array y = target.place(Array::zeros({3}, DType::float32));
      target.call(write, {target.place(Array::from(std::vector<int>{2, 0, 1}, {3}))}, {.out = y});
      CHECK(values_of<float>(target, y) == std::vector<float>{1, 3, 5});
    });
  }
}

TEST_CASE("raw: random gathers over random layouts of the other operands") {
  const Ufunc gather = vectorize("(float64 y)(int32 k, raw float64 table, float32 x)", "y = table[k] * 2 + x;");
  std::uint64_t stream = 4800;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    for (int round = 0; round < (target.device().is_cpu() ? 60 : 12); ++round) {
      const std::int64_t rows = 1 + static_cast<std::int64_t>(source() % 40);
      const std::int64_t columns = 1 + static_cast<std::int64_t>(source() % 90);
      const std::int64_t entries = 1 + static_cast<std::int64_t>(source() % 500);
      std::vector<double> table(static_cast<std::size_t>(entries));
      for (double& value : table) value = static_cast<double>(source() % 1000);
      std::vector<int> indices(static_cast<std::size_t>(rows * columns));
      for (int& index : indices) index = static_cast<int>(source() % static_cast<std::uint64_t>(entries));
      const bool transposed = source() % 2 == 0;
      const bool broadcast = source() % 2 == 0;
      const Array k = target.place(Array::from(indices, transposed ? kiln::Shape{columns, rows} : kiln::Shape{rows, columns}));
      const Array x = target.place(Array::from(ramp(broadcast ? columns : rows * columns, 0.25F),
                                               broadcast ? kiln::Shape{columns} : kiln::Shape{rows, columns}));
      const Array result =
          target.call(gather, {transposed ? k.transpose() : k, target.place(Array::from(table, {entries})), x});
      const std::vector<double> values = values_of<double>(target, result);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const int index = indices[static_cast<std::size_t>(transposed ? c * rows + r : r * columns + c)];
          const double other = 0.25 * static_cast<double>(broadcast ? c : r * columns + c);
          REQUIRE(values[static_cast<std::size_t>(r * columns + c)] == table[static_cast<std::size_t>(index)] * 2 + other);
        }
      }
    }
  });
}

TEST_CASE("raw: outputs are written anywhere, and read") {
  const Ufunc scatter = vectorize("(raw float32 y)(int32 k, float32 x)", "y[k] = y[k] * 10 + x;");
  on_every_device([&](const Target& target) {
    // A permutation of 0 to 996, so that no two elements write the same.
    std::vector<int> places(997);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i * 5 % 997);
    const Array y = target.place(Array::from(std::vector<float>(997, 2), {997}));
    target.call(scatter, {target.place(Array::from(places, {997})), target.place(Array::from(ramp(997), {997}))}, {.out = y});
    const std::vector<float> values = values_of<float>(target, y);
    for (std::size_t i = 0; i < places.size(); ++i)
      CHECK(values[static_cast<std::size_t>(places[i])] == 20 + static_cast<float>(i));
  });
}

TEST_CASE("raw: strided outputs, beside one of each element") {
  const Ufunc both =
      vectorize("(float32 twice, raw float32 back)(float32 x)", "twice = 2 * x; back[size() - 1 - index()] = x;");
  on_every_device([&](const Target& target) {
    const Array memory = target.place(Array::from(std::vector<float>(80, -1), {8, 10}));
    const Array back = memory[{Slice{}, Slice{.step = 2}}];
    const Array twice = target.place(Array::zeros({40}, DType::float32));
    target.outputs(both, {target.place(Array::from(ramp(40), {40}))}, {.out = {twice, back}});
    const std::vector<float> all = values_of<float>(target, memory);
    const std::vector<float> doubled = values_of<float>(target, twice);
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(doubled[i] == 2 * static_cast<float>(i));
      CHECK(all[i / 5 * 10 + i % 5 * 2] == static_cast<float>(39 - i));
      CHECK(all[i / 5 * 10 + i % 5 * 2 + 1] == -1);
    }
  });
}

TEST_CASE("raw: atomics on outputs count every element") {
  const Ufunc histogram = vectorize("(raw int32 counts)(float32 x)", "atomic_add(&counts[int32(x)], 1);");
  on_every_device([&](const Target& target) {
    std::vector<float> values(5000);
    std::vector<int> wanted(10, 0);
    auto source = random_source(77);
    for (float& value : values) {
      value = static_cast<float>(source() % 1000) / 100;
      ++wanted[static_cast<std::size_t>(value)];
    }
    const Array counts = target.place(Array::zeros({10}, DType::int32));
    target.call(histogram, {target.place(Array::from(values, {5000}))}, {.out = counts});
    CHECK(values_of<int>(target, counts) == wanted);
  });
}

TEST_CASE("raw: .size says how many elements there are where no array does") {
  const Ufunc copy = vectorize("(float32 y)(raw float32 x)", "y = x[size() - 1 - index()];");
  const Ufunc fill = vectorize("(raw int64 y)(int64 first)", "y[index()] = first + size();");
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(ramp(100), {100}));
    const Array y = target.call(copy, {x}, {.size = 70});
    CHECK(y.shape() == kiln::Shape{70});
    const std::vector<float> values = values_of<float>(target, y);
    for (std::size_t i = 0; i < 70; ++i) CHECK(values[i] == static_cast<float>(69 - i));
    CHECK(target.call(copy, {x}, {.size = 0}).shape() == kiln::Shape{0});
    const Array filled = target.place(Array::zeros({9}, DType::int64));
    target.call(fill, {5}, {.out = filled, .size = 9});
    CHECK(values_of<std::int64_t>(target, filled) == std::vector<std::int64_t>(9, 14));
  });
}

TEST_CASE("index() counts in C order, whatever order the arrays lie in") {
  const Ufunc number = vectorize("int64(float32 x)", "index offset = index(0.5f); return index() + offset;");
  const Ufunc made_up = vectorize("(float32 y)()", "y = index() * 2 + size();");
  on_every_device([&](const Target& target) {
    for (const auto& [name, array] : layouts_of_30()) {
      CAPTURE(name);
      const std::vector<std::int64_t> values = values_of<std::int64_t>(target, target.call(number, {target.place(array)}));
      for (std::size_t i = 0; i < 30; ++i) CHECK(values[i] == static_cast<std::int64_t>(i));
    }
    const Array y = target.place(Array::zeros({5, 7, 3}, DType::float32));
    target.call(made_up, {}, {.out = y.transpose({2, 0, 1})});
    const std::vector<float> values = values_of<float>(target, target.place(target.fetch(y).transpose({2, 0, 1}).copy()));
    for (std::size_t i = 0; i < 105; ++i) CHECK(values[i] == static_cast<float>(2 * i + 105));
    CHECK(values_of<float>(target, target.call(made_up, {}, {.size = 4})) == std::vector<float>{4, 6, 8, 10});
    // More dimensions that do not merge than a kernel has.
    const Array deep = target.place(Array::zeros({2, 4, 2, 4, 2, 4, 2, 4, 2, 4}, DType::float32));
    std::vector<kiln::Index> steps(10, Slice{.step = 2});
    for (std::size_t i = 0; i < 10; i += 2) steps[i] = Slice{};
    const std::vector<std::int64_t> numbers = values_of<std::int64_t>(target, target.call(number, {deep.slice(steps)}));
    for (std::size_t i = 0; i < numbers.size(); ++i) REQUIRE(numbers[i] == static_cast<std::int64_t>(i));
  });
}

TEST_CASE("index() is a counter of random numbers") {
  const Ufunc noisy = vectorize("float32(float32 x, uint64 seed)", "return x + normal<float32>(seed, index());");
  on_every_device([&](const Target& target) {
    const Array zeros = target.place(Array::zeros({40, 5}, DType::float32));
    const std::vector<float> values = values_of<float>(target, target.call(noisy, {zeros, 7}));
    const Array wanted = kiln::random::normal({200}, {.seed = 7, .dtype = DType::float32});
    for (std::size_t i = 0; i < 200; ++i) CHECK(values[i] == wanted.as<float>()[i]);
  });
}

TEST_CASE("index() stays a conversion, and names of the user's stay theirs") {
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{1.75F, -2.5F}, {2}));
    CHECK(values_of<std::int64_t>(target, target.call(vectorize("int64(float32 x)", "return index(x);"), {x})) ==
          std::vector<std::int64_t>{1, -2});
    const Ufunc named = vectorize("float32(float32 size)", "for (index i = 0; i < 2; ++i) size += 1; return size;");
    CHECK(values_of<float>(target, target.call(named, {x})) == std::vector<float>{3.75F, -0.5F});
  });
}

TEST_CASE("raw: masks leave elements out, and what they would write") {
  const Ufunc scatter = vectorize("(raw float32 y, float32 z)(int32 k, float32 x)", "y[k] = x; z = x + 1;");
  on_every_device([&](const Target& target) {
    std::vector<int> places(300);
    std::iota(places.begin(), places.end(), 0);
    Array mask = Array::zeros({300}, DType::bool_);
    for (std::int64_t i = 0; i < 300; i += 3) mask.as<bool>()[i] = true;
    const Array y = target.place(Array::from(std::vector<float>(300, -1), {300}));
    const Array z = target.place(Array::from(std::vector<float>(300, -2), {300}));
    target.outputs(scatter, {target.place(Array::from(places, {300})), target.place(Array::from(ramp(300), {300}))},
                   {.out = {y, z}, .where = target.place(mask)});
    const std::vector<float> ys = values_of<float>(target, y);
    const std::vector<float> zs = values_of<float>(target, z);
    for (std::size_t i = 0; i < 300; ++i) {
      CHECK(ys[i] == (i % 3 == 0 ? static_cast<float>(i) : -1));
      CHECK(zs[i] == (i % 3 == 0 ? static_cast<float>(i) + 1 : -2));
    }
  });
}

TEST_CASE("raw: an input that an output overlaps keeps its values until the end") {
  const Ufunc reverse = vectorize("(float32 y)(raw float32 x)", "y = x[x.size() - 1 - index()];");
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::from(ramp(4000), {4000}));
        target.call(reverse, {x}, {.out = x});
        const std::vector<float> values = values_of<float>(target, x);
        for (std::size_t i = 0; i < 4000; ++i) REQUIRE(values[i] == static_cast<float>(3999 - i));
      },
      {Mode::host, Mode::device});
}

TEST_CASE("raw: functions of the definition's take the array by its type") {
  kiln::UfuncDefinition definition{
      .name = "smooth", .signatures = {"T(raw T x) where T: float32, float64"}, .body = "return around(x, index());"};
  definition.compile.functions =
      "template <class A> auto around(const A& x, int64 i) {\n"
      "  const int64 last = x.size() - 1;\n"
      "  return (x[i > 0 ? i - 1 : 0] + x[i] + x[i < last ? i + 1 : last]) / 3;\n}";
  const Ufunc smooth = vectorize(definition);
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{0, 3, 6, 0, 9}, {5}));
    CHECK(values_of<float>(target, target.call(smooth, {x}, {.size = 5})) == std::vector<float>{1, 3, 3, 5, 6});
  });
}

TEST_CASE("raw: every dtype") {
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : {DType::bool_, DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32,
                                  DType::uint32, DType::int64, DType::uint64, DType::float16, DType::bfloat16, DType::float32,
                                  DType::float64, DType::complex64, DType::complex128}) {
          CAPTURE(dtype);
          const Ufunc copy = vectorize("(raw T y)(raw T x)", "y[size() - 1 - index()] = x[index()];");
          const Array values = Array::from(std::vector<float>{0, 1, 0, 1, 1}, {5}).astype(dtype);
          const Array y = target.place(Array::zeros({5}, dtype));
          target.call(copy, {target.place(values)}, {.out = y, .size = 5});
          CHECK(values_of<float>(target, target.fetch(y).astype(DType::float32)) == std::vector<float>{1, 1, 0, 1, 0});
        }
      },
      {Mode::host});
}

TEST_CASE("raw: an open type is decided by the array of an output") {
  const Ufunc fill = vectorize("(T y)(float32 x)", "y = T(x) + T(1);");
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(ramp(3), {3}));
    const Array y = target.place(Array::zeros({3}, DType::float64));
    target.call(fill, {x}, {.out = y});
    CHECK(values_of<double>(target, y) == std::vector<double>{1, 2, 3});
    CHECK(message_of([&] { target.call(fill, {x}); }) ==
          "kernel: nothing decides the type variable \"T\", which stands in no input; give the array of its output with "
          ".out, or .dtype");
    CHECK(target.call(fill, {x}, {.dtype = DType::int16}).dtype() == DType::int16);
  });
}

TEST_CASE("inout: an output begins as what its array holds") {
  const Ufunc add = vectorize("(inout float32 sum, int32 n)(float32 x)", "if (x > 2) sum += x; n = sum > 4;");
  std::uint64_t stream = 4900;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    for (int round = 0; round < (target.device().is_cpu() ? 24 : 6); ++round) {
      const std::int64_t rows = 1 + static_cast<std::int64_t>(source() % 30);
      const std::int64_t columns = 1 + static_cast<std::int64_t>(source() % 70);
      const bool strided = source() % 2 == 0;
      const bool doubles = source() % 2 == 0;
      const bool masked = source() % 2 == 0;
      const Array x = Array::from(ramp(columns, 0.5F), {columns});
      Array memory = Array::from(std::vector<float>(static_cast<std::size_t>(2 * rows * columns), 1), {rows, 2 * columns});
      if (doubles) memory = memory.astype(DType::float64);
      memory = target.place(memory);
      const Array sum = strided ? memory[{Slice{}, Slice{.step = 2}}] : memory[{Slice{}, Slice{.stop = columns}}];
      const Array n = target.place(Array::zeros({rows, columns}, DType::int32));
      Array mask = Array::zeros({columns}, DType::bool_);
      for (std::int64_t c = 0; c < columns; ++c) mask.as<bool>()[c] = c % 3 != 0;
      CallOptions options{.out = {sum, n}};
      if (masked) options.where = target.place(mask);
      target.outputs(add, {target.place(x)}, options);
      const std::vector<float> sums = values_of<float>(target, target.fetch(memory).astype(DType::float32));
      const std::vector<int> counts = values_of<int>(target, n);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const float added = 0.5F * static_cast<float>(c);
          const bool counts_here = !masked || c % 3 != 0;
          const float wanted = counts_here && added > 2 ? 1 + added : 1;
          REQUIRE(sums[static_cast<std::size_t>(r * 2 * columns + (strided ? 2 * c : c))] == wanted);
          REQUIRE(counts[static_cast<std::size_t>(r * columns + c)] == (counts_here && wanted > 4 ? 1 : 0));
        }
      }
    }
  });
  CHECK(message_of([&] { (void)add.outputs<2>(1.0F); }) ==
        "kernel: output 0 (sum) is inout; give the array that is read and written with .out");
  const Ufunc grows = vectorize("(inout float32 y)(float32 x, float32 z)", "y += x;");
  CHECK(message_of([&] { (void)grows.reduce(Array::zeros({3}, DType::float32)); }) ==
        "kernel.reduce: output 0 (y) is inout, and only calls read outputs");
}

TEST_CASE("raw: what a call lacks is said") {
  const Ufunc gather = vectorize("(float32 y)(int32 k, raw float32 table)", "y = table[k];");
  const Array k = Array::zeros({3}, DType::int32);
  const Array table = Array::zeros({3, 4}, DType::float32);
  const auto message = [](auto call) { return message_of(call); };
  CHECK(message([&] { (void)gather(k, 2.0F); }) == "kernel: input 1 (table) is raw; give an array");
  CHECK(message([&] { (void)gather(k, table.astype(DType::int8)); }) ==
        "kernel: input 1 (table) is raw and has dtype int8, but the loop (float32 y)(int32 k, raw float32 table) takes "
        "float32; convert it with astype()");
  CHECK(message([&] { (void)gather(k, table.reshape({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4})); }) ==
        "kernel: input 1 (table) is raw and has 16 dimensions; at most 15 are possible");
  CHECK(message([&] { (void)gather(k, table, {.size = 3}); }) ==
        "kernel: .size is for calls whose shape no array decides, and here one of shape (3,) does; leave .size out");
  const Ufunc scatter = vectorize("(raw float32 y)(raw float32 x)", "y[index()] = x[index()];");
  CHECK(message([&] { (void)scatter(table, {.size = 3}); }) ==
        "kernel: output 0 (y) is raw; give the array that it writes with .out");
  CHECK(message([&] { (void)scatter(table, {.out = table.copy(), .size = -1}); }) ==
        "kernel: .size is -1, which is no number of elements");
  CHECK(message([&] { (void)scatter(table, {.out = table.copy()}); }) ==
        "kernel: no array decides how many elements there are, as raw ones are not broadcast; give .size");
  const Ufunc two = vectorize("(raw float32 y, float32 z)(float32 x)", "z = x; y[0] = 1;");
  const Array shared = Array::zeros({4}, DType::float32);
  CHECK(message([&] { (void)two.outputs<2>(shared.copy(), {.out = {shared, shared}}); }).find("share memory") !=
        std::string::npos);
}

TEST_CASE("raw: debug mode reports indices out of bounds, with element and place") {
  const auto checked = [](const char* signature, const char* body) {
    return vectorize({.name = "k", .signatures = {signature}, .body = body, .compile = {.debug = {.on = true}}});
  };
  const Ufunc gather = checked("(float32 y)(int32 k, raw float32 table)", "y = table[k];");
  const Ufunc scatter = checked("(raw float32 y)(int32 k)", "\n  y(k, 1) = k;");
  on_every_device([&](const Target& target) {
    const Array k = target.place(Array::from(std::vector<int>{0, 1, 12, 3}, {4}));
    const Array table = target.place(Array::from(ramp(12), {3, 4}));
    const auto first_line = [](const std::string& message) { return message.substr(0, message.find('\n')); };
    const std::string gathered = first_line(message_of([&] { target.call(gather, {k, table}), target.wait(); }));
    CAPTURE(gathered);
    CHECK(gathered.find(" at item 2: ") != std::string::npos);
    CHECK(gathered.find("index 12 of table is out of bounds, its shape is (12,)") != std::string::npos);
    CHECK(gathered.find("k:1") != std::string::npos);
    const std::string scattered = first_line(message_of([&] { target.call(scatter, {k}, {.out = table}), target.wait(); }));
    CAPTURE(scattered);
    CHECK(scattered.find(" of y is out of bounds, its shape is (3, 4)") != std::string::npos);
    CHECK(scattered.find("k:2") != std::string::npos);
  });
}

TEST_CASE("raw: a graph keeps the axes of the capture, and takes the values of the launch") {
  const Ufunc gather = vectorize("float32(int32 k, raw float32 table)", "return table[k] + index();");
  on_every_device(
      [&](const Target& target) {
        const Array k = target.place(Array::from<int>({2, 0, 1}));
        const Array table = target.place(Array::from({10.F, 20.F, 30.F, 40.F}, {2, 2}));
        const Array y = target.place(Array::zeros({3}, DType::float32));
        const kiln::Stream stream = target.options().stream;
        const auto call = [&] { target.call(gather, {k, table.transpose()}, {.out = y}); };
        call();
        const kiln::Graph graph = kiln::capture(stream, call);
        kiln::math::add(table, 1.0F, {.out = table, .stream = stream});
        graph.launch();
        stream.synchronize();
        CHECK(values_of<float>(target, y) == std::vector<float>{21, 12, 33});
      },
      {Mode::stream});
}

TEST_CASE("inout: outputs that are read count twice among the operands of a kernel") {
  std::string outputs;
  std::string body;
  std::vector<Array> out;
  for (int k = 0; k < 17; ++k) {
    outputs += (k == 0 ? "inout int8 y" : ", inout int8 y") + std::to_string(k);
    body += "y" + std::to_string(k) + " += 1;";
    out.push_back(Array::zeros({2}, DType::int8));
  }
  const Ufunc many = vectorize("(" + outputs + ")()", body);
  CHECK(message_of([&] { (void)many.outputs(std::vector<kiln::Arg>(), {.out = out}); }) ==
        "kernel: what is read of outputs and raw operands makes more operands than the 32 that a kernel takes; use fewer "
        "operands");
}

TEST_CASE("raw: a mask leaves elements out of outputs with any strides") {
  const Ufunc scatter = vectorize("(raw float32 y, float32 r, raw float32 z)(float32 x)",
                                  "const index i = index(); y(i / 3, i % 3) = x; z[i] = x + y.size(); r = z.size();");
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from<float>({1, 2, 3, 4, 5, 6}));
    const Array mask = target.place(Array::from<bool>({true, false, false, true, true, false}));
    const Array y = target.place(Array::zeros({3, 2}, DType::float32)).transpose();
    const Array z = target.place(Array::zeros({12}, DType::float32))[{kiln::Slice{.step = -2}}];
    const Array r = target.place(Array::zeros({6}, DType::float32));
    target.outputs(scatter, {x}, {.out = {y, r, z}, .where = mask});
    CHECK(values_of<float>(target, y) == std::vector<float>{1, 0, 0, 4, 5, 0});
    CHECK(values_of<float>(target, z) == std::vector<float>{7, 0, 0, 10, 11, 0});
    CHECK(values_of<float>(target, r) == std::vector<float>{6, 0, 0, 6, 6, 0});
  });
}

TEST_CASE("raw: the address of an element is that of what follows, or an error") {
  const Ufunc sum =
      vectorize("float32(raw float32 t, int32 k)",
                "const float32* row = &t[5 * k]; float32 s = 0; for (int i = 0; i < 5; ++i) s += row[i]; return s;");
  on_every_device([&](const Target& target) {
    const Array k = target.place(Array::from(std::vector<int>{0, 5}, {2}));
    for (const auto& [name, table] : layouts_of_30()) {
      CAPTURE(name);
      const Array placed = target.place(table);
      if (placed.is_c_contiguous()) {  // as copies on a device are
        CHECK(values_of<float>(target, target.call(sum, {placed, k})) == std::vector<float>{10, 135});
        continue;
      }
      CHECK(message_of([&] { target.call(sum, {placed, k}); }) ==
            "kernel: input 0 (t) is raw and not contiguous in C order, and the body takes the address of an element, after "
            "which the next one has to lie; give its copy()");
    }
  });
}

TEST_CASE("raw: functions take arrays by a type that has a name") {
  const Ufunc apart = vectorize({.name = "apart",
                                 .signatures = {"(float32 y, raw float32 z)(raw float32 x)"},
                                 .body = "const index k = index();\n"
                                         "y = element(x, k) + place(x, k / 5, k % 5) + sum_of_row(x, k / 5);\n"
                                         "write(z, k, float32(axes_of(x)) + extent_of(z));",
                                 .compile = {.functions = R"(
KILN_FN float32 element(raw_array<const float32> x, index k) { return x[k]; }
KILN_FN float32 place(const raw_array<const float32>& x, index i, index j) { return 100 * x(i, j) + x[{i, j}]; }
KILN_FN float32 sum_of_row(raw_array<const float32, 2> x, index i) {
  static_assert(decltype(x)::ndim == 2);
  float32 sum = 0;
  for (index j = 0; j < x.shape(1); ++j) sum += x(i, j);
  return sum;
}
KILN_FN void write(raw_array<float32> z, index k, float32 value) { z[k] = value; }
KILN_FN int32 axes_of(raw_array<const float32> x) { return 10 * x.ndim + int32(x.size() / x.shape()[0]); }
KILN_FN float32 extent_of(raw_array<const float32> z) { return float32(z.size()); })"}});
  std::vector<float> expected;
  for (int k = 0; k < 30; ++k) {
    const int row = k / 5 * 25 + 10;
    expected.push_back(static_cast<float>(102 * k + row));
  }
  on_every_device([&](const Target& target) {
    for (const auto& [name, values] : layouts_of_30()) {
      CAPTURE(name);
      const Array x = target.place(values);
      const Array y = target.place(Array::zeros({30}, DType::float32));
      const Array wide = target.place(Array::zeros({60}, DType::float32));
      const Array z = wide[{Slice{.step = 2}}];
      (void)target.outputs(apart, {x}, {.out = {y, z}});
      CHECK(target.fetch(y).to_vector<float>() == expected);
      CHECK(target.fetch(z).to_vector<float>() == std::vector<float>(30, 20 + 5 + 30));
    }
  });
}

TEST_CASE("raw: debug mode names the array that a function or a reduction takes") {
  const kiln::CompileOptions checked{.functions =
                                         "KILN_FN float32 any(raw_array<const float32> a, index k) { return a[k]; }\n"
                                         "KILN_FN float32 two(raw_array<const float32, 2> a, index k) { return a(k, 0); }",
                                     .debug = {.on = true}};
  const Array x = Array::zeros({2, 2}, DType::float32);
  const auto message = [&](const char* body) {
    const Ufunc f = vectorize({.name = "f", .signatures = {"T(T x, raw T t)"}, .body = body, .compile = checked});
    return message_of([&] { (void)f(x, x); });
  };
  CHECK(message("return any(t, 7);").find("index 7 of t is out of bounds, its shape is (4,)") != std::string::npos);
  CHECK(message("return two(t, 7);").find("index (7, 0) of t is out of bounds, its shape is (2, 2)") != std::string::npos);
  const kiln::Reduction sum = kiln::reduction({.name = "f",
                                               .signatures = {"T(T x, raw T t)"},
                                               .map = "return x;",
                                               .reduce = "return a + b;",
                                               .post = "return t[9];",
                                               .identity = "0",
                                               .compile = {.debug = {.on = true}}});
  const std::string post = message_of([&] { (void)sum({x, x}); });
  CAPTURE(post);
  CHECK(post.find("index 9 of t is out of bounds, its shape is (4,)") != std::string::npos);
  CHECK(post.find(": f.post:1") != std::string::npos);  // NVRTC knows no columns
}

TEST_CASE("raw: reductions see whole arrays in map, post and identity") {
  const kiln::Reduction sum = kiln::reduction({.name = "sum",
                                               .signatures = {"T(T x, raw T t)"},
                                               .map = "return x * t[i % t.size()] + t(0, 1);",
                                               .reduce = "return a + b;",
                                               .post = "return a + t[2];",
                                               .identity = "t[3]"});
  on_every_device([&](const Target& target) {
    const Array weights = Array::from(std::vector<float>{1, 2, 3, 4}, {2, 2});
    const Array apart = target.place(Array::from(std::vector<float>{1, 3, 2, 4}, {2, 2})).transpose();
    for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{6, 50}, {40, 3}, {2, 900}}) {
      const std::int64_t rows = extents[0];
      const std::int64_t columns = extents[1];
      const Array x = target.place(Array::from(ramp(rows * columns), {rows, columns}));
      for (const int axis : {0, 1}) {
        std::vector<float> expected;
        for (std::int64_t kept = 0; kept < (axis == 0 ? columns : rows); ++kept) {
          double all = 0;
          for (std::int64_t i = 0; i < (axis == 0 ? rows : columns); ++i) {
            const std::int64_t k = axis == 0 ? i * columns + kept : kept * columns + i;
            all += static_cast<double>(k * (i % 4 + 1)) + 2;
          }
          expected.push_back(static_cast<float>(all + 3));
        }
        for (const Array& t : {target.place(weights), apart}) {
          CHECK(values_of<float>(target, sum({x, t}, reduction_on(target, {.axis = axis}))) == expected);
        }
      }
    }
    // The identity is what nothing gives.
    const Array none = target.place(Array::zeros({0}, DType::float32));
    CHECK(values_of<float>(target, sum({none, target.place(weights)}, reduction_on(target))) == std::vector<float>{4 + 3});
  });
}

TEST_CASE("raw: what reductions refuse") {
  const auto message = [](const char* signature) {
    return message_of([&] {
      (void)kiln::reduction(
          {.name = "f", .signatures = {signature}, .map = "return x;", .reduce = "return a;", .post = "y = a;"});
    });
  };
  CHECK(message("(raw T y)(T x)") ==
        "f: an output of a reduction has one element for each result; leave \"raw\" out\n(raw T y)(T x)\n       ^");
  CHECK(message("(inout T y)(T x)") ==
        "f: outputs of a reduction are not read; leave \"inout\" out\n(inout T y)(T x)\n         ^");
  CHECK(message("(T y)(raw T x)") ==
        "f: no input has elements that are reduced: each of them is raw, and seen whole; leave \"raw\" out of one\n"
        "(T y)(raw T x)\n            ^");
  const kiln::Reduction f = kiln::reduction(
      {.name = "f", .signatures = {"T(T x, raw T t)"}, .map = "return x * t[0];", .reduce = "return a + b;", .identity = "0"});
  const Array x = Array::zeros({3}, DType::float32);
  CHECK(message_of([&] { (void)f({x, 1.0F}); }) == "f: input 1 (t) is raw; give an array");
  CHECK(message_of([&] { (void)f({x, x.astype(DType::float64)}); }).find("f: input 0 (x)") == std::string::npos);
  CHECK(message_of([&] {
          (void)kiln::chunked(f)({x, x});
        }).starts_with("f, in chunks: its texts see more than elements (raw inputs, places, what outputs hold, or "));
}

TEST_CASE("raw: only calls take raw operands") {
  const Ufunc f = vectorize("float32(float32 x, raw float32 t)", "return x + t[0];");
  const Array x = Array::zeros({3}, DType::float32);
  const auto refused = [](const char* method) {
    return std::string("kernel") + method + ": input 1 (t) is raw, and only calls take raw operands";
  };
  CHECK(message_of([&] { (void)f.reduce(x); }) == refused(".reduce"));
  CHECK(message_of([&] { (void)f.accumulate(x); }) == refused(".accumulate"));
  CHECK(message_of([&] { (void)f.outer(x, x); }) == refused(".outer"));
  CHECK(message_of([&] { f.at(x, Array::zeros({1}, DType::int32), 1.0F); }) == refused(".at"));
  CHECK(message_of([&] { (void)f.reduceat(x, Array::zeros({1}, DType::int32)); }) == refused(".reduceat"));
  CHECK(message_of([&] { (void)f.device_code("native"); }) == refused(".device_code"));
  CHECK(message_of([&] { (void)kiln::chunked(f)(x, x); }) == refused(", in chunks"));
  CHECK(message_of([&] { (void)kiln::fuse("g", [&](kiln::Expr a, kiln::Expr b) { return f(a, b); }); }) ==
        refused(", in kiln::fuse()"));
  const Ufunc g = vectorize("float32(float32 x, float32 y)", "return x + y + index();");
  CHECK(message_of([&] { (void)g.reduce(x); }) == "kernel.reduce: the body asks for index(), which only calls have");
}
