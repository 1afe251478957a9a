// Shapes and strides: random ones against index arithmetic, chosen ones at the edges, and NumPy's order of fresh results.
#include <algorithm>
#include <cmath>

#include "../unit/base/sanitizer.hpp"
#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

namespace {

struct Dtypes {
  DType a, b, result, out;
};
constexpr Dtypes kDtypes[] = {{DType::int32, DType::int32, DType::int32, DType::int32},
                              {DType::int32, DType::int32, DType::int32, DType::int16},
                              {DType::int8, DType::int8, DType::int8, DType::int8},
                              {DType::float64, DType::float64, DType::float64, DType::float64},
                              {DType::int16, DType::float32, DType::float32, DType::float32},
                              {DType::complex128, DType::complex128, DType::complex128, DType::complex128}};

/// Calls combine() on random operands that broadcast to `loop`, with and without out, and compares everything, what must
/// stay untouched between the elements of out included.
void check_combine(const Target& target, const Extents& loop, const Dtypes& dtypes, std::mt19937_64& source) {
  Extents shape_a = random_shape_into(loop, source);
  Extents shape_b = loop;
  const bool with_out = source() % 2 == 0;
  if (with_out && source() % 4 == 0) shape_b = random_shape_into(loop, source);  // out enlarges the loop
  if (source() % 2 == 0) std::swap(shape_a, shape_b);
  const Operand a = random_operand(target, {.shape = shape_a, .dtype = dtypes.a}, source);
  const Operand b = random_operand(target, {.shape = shape_b, .dtype = dtypes.b}, source);
  const std::string what = "combine of " + text_of(shape_a) + " strides " + to_string(a.view.strides()) + " and " +
                           text_of(shape_b) + " strides " + to_string(b.view.strides()) + " over " + text_of(loop) + ", seed " +
                           std::to_string(seed());
  INFO(what);
  const auto expected = [&](const Extents& index, DType to) {
    return rounded(to, rounded(dtypes.result, 3.0L * a.model.at(index) + b.model.at(index)));
  };
  if (with_out) {
    const Operand out = random_operand(target, {.shape = loop, .dtype = dtypes.out, .input = false}, source);
    const Array result = target.call(combine(), {a.view, b.view}, {.out = out.view});
    CHECK(result.data() == out.view.data());
    for_each_index(loop, [&](const Extents& index) { out.model.at(index) = expected(index, dtypes.out); });
    CHECK(difference(read(target.fetch(out.base)), *out.model.memory) == "");
    return;
  }
  const Array result = target.call(combine(), {a.view, b.view});
  CHECK(result.dtype() == dtypes.result);
  CHECK(result.shape() == shape_of(loop));
  std::vector<Exact> values;
  for_each_index(loop, [&](const Extents& index) { values.push_back(expected(index, dtypes.result)); });
  CHECK(difference(read(target.fetch(result)), values) == "");
}

/// Combines one-dimensional arrays of one length, reached in different ways.
void check_lengths(const Target& target, std::int64_t length, DType dtype) {
  const auto n = static_cast<std::size_t>(length);
  std::vector<Exact> memory;
  for (std::size_t i = 0; i < 2 * n + 3; ++i) memory.push_back(rounded(dtype, static_cast<long double>((i * 7) % 30)));
  const Array base = target.place(make(dtype, memory));
  struct Way {
    const char* name;
    std::int64_t start, step;
  };
  const auto view = [&](const Way& way) {
    if (length == 0) return base[{kiln::Slice{.start = 0, .stop = 0}}];
    std::optional<std::int64_t> stop = way.start + way.step * length;
    if (*stop < 0) stop.reset();
    return base[{kiln::Slice{.start = way.start, .stop = stop, .step = way.step}}];
  };
  const Way ways[] = {
      {"packed", 0, 1}, {"shifted", 1, 1}, {"shifted by 3", 3, 1}, {"every second", 1, 2}, {"reversed", length - 1, -1}};
  for (const Way& first : ways) {
    for (const Way& second : {ways[0], ways[1], ways[4]}) {
      const std::string what = std::string(first.name) + " and " + second.name + ", " + std::to_string(length) + " elements";
      INFO(what);
      std::vector<Exact> expected;
      for (std::int64_t i = 0; i < length; ++i) {
        expected.push_back(rounded(dtype, 3.0L * memory[static_cast<std::size_t>(first.start + first.step * i)] +
                                              memory[static_cast<std::size_t>(second.start + second.step * i)]));
      }
      CHECK(difference(read(target.fetch(target.call(combine(), {view(first), view(second)}))), expected) == "");
    }
  }
  const Array one = target.place(make(dtype, {7}, kiln::Shape{1}));
  std::vector<Exact> expected;
  for (std::size_t i = 0; i < n; ++i) expected.push_back(rounded(dtype, 21.0L + memory[i]));
  CHECK(difference(read(target.fetch(target.call(combine(), {one, view(ways[0])}))), expected) == "");
  CHECK(difference(read(target.fetch(target.call(combine(), {7, view(ways[0])}))), expected) == "");
}

}  // namespace

TEST_CASE("layouts: random operands agree with index arithmetic") {
  // A GPU compiles a kernel for each rank and width: fewer cases there keep the suite short.
  std::uint64_t stream = 100;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int cases = kiln::test::rounds(target.device().is_cpu() ? 250 : 60);
    for (int i = 0; i < cases; ++i) {
      const int ndim = static_cast<int>(source() % 7);
      check_combine(target, random_loop_shape(ndim, 1500, source), kDtypes[source() % std::size(kDtypes)], source);
    }
  });
}

TEST_CASE("layouts: many dimensions") {
  std::uint64_t stream = 200;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    for (int ndim = 7; ndim <= 10; ++ndim) {
      for (int i = 0; i < 3; ++i) check_combine(target, random_loop_shape(ndim, 2000, source), kDtypes[0], source);
    }
    Extents twenty(20, 1);
    for (std::size_t axis = 0; axis < 20; axis += 2) twenty[axis] = 2;
    for (int i = 0; i < 3; ++i) check_combine(target, twenty, kDtypes[0], source);
    // Nothing of this merges: eleven dimensions are more than one launch takes.
    Extents deep(11, 2);
    for (int i = 0; i < 4; ++i) check_combine(target, deep, kDtypes[0], source);
  });
}

TEST_CASE("layouts: lengths around the blocks of the kernels") {
  on_every_device([&](const Target& target) {
    for (const std::int64_t length : {0, 1, 2, 3, 63, 64, 65, 127, 1000}) {
      check_lengths(target, length, DType::int32);
      check_lengths(target, length, DType::int8);
    }
    if (target.mode() == Mode::device) check_lengths(target, 100003, DType::int32);
    if (target.mode() == Mode::device) check_lengths(target, 100003, DType::float64);
  });
}

TEST_CASE("layouts: short rows") {
  on_every_device([&](const Target& target) {
    for (const std::int64_t inner : {1, 2, 3, 5}) {
      std::vector<Exact> memory;
      for (std::int64_t i = 0; i < 50 * (inner + 1); ++i) memory.emplace_back(static_cast<long double>(i % 97));
      const Array padded = target.place(make(DType::int32, memory, kiln::Shape{50, inner + 1}));
      const Array view = padded[{kiln::all, kiln::Slice{.start = 1}}];
      const Array column = padded[{kiln::all, kiln::Slice{.start = 0, .stop = 1}}];
      std::vector<Exact> expected;
      for (std::int64_t i = 0; i < 50; ++i) {
        for (std::int64_t j = 0; j < inner; ++j) {
          expected.push_back(3.0L * memory[static_cast<std::size_t>(i * (inner + 1) + 1 + j)] +
                             memory[static_cast<std::size_t>(i * (inner + 1))]);
        }
      }
      CHECK(difference(read(target.fetch(target.call(combine(), {view, column}))), expected) == "");
    }
  });
}

TEST_CASE("layouts: a value for each row beside a row that all have, in rows of a few more elements than 32") {
  const Ufunc sum = kiln::vectorize("T(T a, T b, T c)", "return T(3) * a + b - c;");
  const auto counted = [](const kiln::Shape& shape, std::int64_t from, DType dtype) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    std::vector<double> values;
    for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<double>((i * 13 + from) % 29));
    return Array::from(values).astype(dtype).reshape(shape);
  };
  constexpr std::int64_t kRows = 150;
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::complex128, DType::float64, DType::float32}) {
      for (const std::int64_t columns : {31, 32, 33, 34, 35, 36, 47, 64, 65, 70}) {
        CAPTURE(kiln::name(dtype));
        CAPTURE(columns);
        const Array of_rows = counted({kRows, 1}, 5, dtype), of_columns = counted({1, columns}, 7, dtype);
        const Array whole = counted({kRows, columns}, 11, dtype);
        const Array got = target.call(sum, {target.place(of_rows), target.place(of_columns), target.place(whole)});
        const std::vector<Exact> a = read(of_rows), b = read(of_columns), c = read(whole);
        std::vector<Exact> expected;
        for (std::size_t i = 0; i < c.size(); ++i) {
          const auto n = static_cast<std::size_t>(columns);
          expected.push_back(3.0L * a[i / n] + b[i % n] - c[i]);
        }
        CHECK(difference(read(target.fetch(got)), expected) == "");
        // With gaps behind the rows of the result.
        const Array room = target.place(Array::zeros({kRows, columns + 3}, dtype));
        const Array part = room[{kiln::all, kiln::Slice{.stop = columns}}];
        target.call(sum, {target.place(of_rows), target.place(of_columns), target.place(whole)}, {.out = part});
        CHECK(difference(read(target.fetch(part)), expected) == "");
      }
    }
  });
}

TEST_CASE("layouts: how an operand is reached changes no bit") {
  // libm's vector functions and its scalar ones differ in the last bits.
  const Ufunc f = kiln::vectorize("T(T a, T b)", "return exp(-a) * sin(b) + log(a) / (1 + b * b);");
  on_every_device([&](const Target& target) {
    auto source = random_source(9);
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const std::int64_t columns : {2, 31, 32, 33, 37, 63, 64, 65, 100, 301, 1000}) {
        const std::int64_t rows = 70;
        std::vector<Exact> memory;
        for (std::int64_t i = 0; i < 2 * rows * columns; ++i) {
          memory.push_back(rounded(dtype, 0.001L * static_cast<long double>(1 + source() % 10000)));
        }
        const Array all = target.place(make(dtype, memory, kiln::Shape{rows, 2 * columns}));
        const Array b = all[{kiln::all, kiln::Slice{.start = columns}}].copy();
        const Array ways[] = {all[{kiln::Slice{.stop = 1}, kiln::Slice{.stop = 1}}],        // one value
                              all[{kiln::all, kiln::Slice{.stop = 1}}],                     // one value in a row
                              all[{kiln::Slice{.stop = 1}, kiln::Slice{.stop = columns}}],  // one row
                              all[{kiln::all, kiln::Slice{.step = 2}}],                     // every other one
                              all.reshape({2 * columns, rows})[{kiln::Slice{.stop = columns}}].transpose()};
        for (const Array& way : ways) {
          INFO(to_string(way.shape()), to_string(way.strides()), columns);
          const Array packed = way.broadcast_to({rows, columns}).copy();
          CHECK(difference(read(target.fetch(target.call(f, {way, b}))), read(target.fetch(target.call(f, {packed, b})))) ==
                "");
        }
      }
    }
  });
}

TEST_CASE("layouts: no dimensions, and no elements") {
  on_every_device([&](const Target& target) {
    const Array three = target.place(Array::scalar(std::int32_t{3}));
    const Array four = target.place(Array::scalar(std::int32_t{4}));
    const Array sum = target.call(combine(), {three, four});
    CHECK(sum.ndim() == 0);
    CHECK(target.fetch(sum).item<std::int32_t>() == 13);
    // Scalars only: their C++ types decide.
    const Array scalars = target.call(combine(), {3, 4});
    CHECK(scalars.shape() == kiln::Shape{});
    CHECK(scalars.dtype() == DType::int32);
    CHECK(target.fetch(scalars).item<std::int32_t>() == 13);

    const Array nothing = target.place(Array::zeros({0}, DType::int32));
    const Array one = target.place(Array::zeros({1}, DType::int32));
    CHECK(target.call(combine(), {nothing, one}).shape() == kiln::Shape{0});
    CHECK(target.call(combine(), {nothing, three}).shape() == kiln::Shape{0});
    const Array table = target.place(Array::zeros({3, 0}, DType::int32));
    const Array column = target.place(Array::zeros({2, 1, 1}, DType::int32));
    CHECK(target.call(combine(), {table, column}).shape() == kiln::Shape{2, 3, 0});
    const Array out = target.place(Array::zeros({2, 3, 0}, DType::int32));
    CHECK(target.call(combine(), {table, column}, {.out = out}).data() == out.data());
    const Array two = target.place(Array::zeros({2}, DType::int32));
    CHECK(message_of<kiln::ShapeError>([&] { target.call(combine(), {nothing, two}); }).find("do not broadcast") !=
          std::string::npos);
  });
}

TEST_CASE("layouts: fresh results lie in memory as NumPy's do") {
  for (const Golden& line : golden("layouts.txt")) {
    const Extents shape = line.numbers(0);
    const Extents expected = line.numbers(3);
    const auto host = [&](const Extents& strides) {
      std::int64_t low = 0;
      std::int64_t high = 0;
      kiln::Strides bytes;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        (strides[i] < 0 ? low : high) += strides[i] * (shape[i] - 1);
        bytes.push_back(4 * strides[i]);
      }
      const auto memory = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(high - low + 1), 1);
      return Array::view(memory->data() - low, shape_of(shape), DType::int32, {.strides = bytes, .owner = memory});
    };
    INFO(line.text);
    on_every_device(
        [&](const Target& target) {
          // A GPU has packed copies of host views: only device memory with these strides would say something there.
          if (!target.device().is_cpu()) return;
          const Array result =
              target.call(combine(), {target.place(host(line.numbers(1))), target.place(host(line.numbers(2)))});
          kiln::Strides strides = result.strides();
          for (std::size_t i = 0; i < strides.size(); ++i) strides[i] = shape[i] == 1 ? 0 : strides[i] / 4;
          CHECK(to_string(strides) == text_of(expected));
          target.wait();
        },
        {Mode::host, Mode::device});
  }
}

TEST_CASE("layouts: results of Fortran inputs are Fortran") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::zeros({5, 7}, DType::float64, kiln::Order::fortran));
    const Array result = target.call(combine(), {a, a});
    CHECK(result.is_f_contiguous());
    CHECK(!result.is_c_contiguous());
    const Array c = target.place(Array::zeros({5, 7}, DType::float64));
    CHECK(target.call(combine(), {c, c}).is_c_contiguous());
    CHECK(target.call(combine(), {c, a}).is_c_contiguous());
    target.wait();
  });
}
