// Ufunc::accumulate: against a slow interpreter over random layouts, NumPy's values and dtypes, long lines, overlap, errors.
#include <cmath>
#include <cstring>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::AccumulateOptions;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

/// Neither commutative nor associative: one element after the other.
const Ufunc& fold() {
  static const Ufunc ufunc = kiln::vectorize({.name = "fold", .signatures = {"T(T a, T b)"}, .body = "return T(2) * b - a;"});
  return ufunc;
}

/// Composition of x -> re x + im: associative, and not commutative.
const Ufunc& composition() {
  static const Ufunc ufunc =
      kiln::vectorize({.name = "composition",
                       .signatures = {"complex64(complex64 a, complex64 b)", "complex128(complex128 a, complex128 b)"},
                       .body = "return {a.real() * b.real(), a.imag() * b.real() + b.imag()};",
                       .reorderable = true});
  return ufunc;
}

/// A sum whose text does not show that it is short.
const Ufunc& called_sum() {
  static const Ufunc ufunc =
      kiln::vectorize({.name = "called_sum",
                       .signatures = {"T(T a, T b)"},
                       .body = "return added(a, b);",
                       .reorderable = true,
                       .compile = {.functions = "template <class T> T added(T a, T b) { return a + b; }"}});
  return ufunc;
}

Exact composed(const Exact& a, const Exact& b) {
  return {a.real() * b.real(), a.imag() * b.real() + b.imag()};
}

/// The index with another number along the axis.
Extents moved(Extents index, std::size_t axis, std::int64_t to) {
  index[axis] = to;
  return index;
}

struct Types {
  DType array, loop, out;
};

/// One random call with an out, and what it must leave in all of the memory that the out lies in.
void check(const Target& target, const Ufunc& ufunc, const Types& types, std::mt19937_64& source) {
  const int ndim = 1 + static_cast<int>(source() % 4);
  Extents shape = random_loop_shape(ndim, 3000, source);
  const std::size_t axis = source() % static_cast<std::uint64_t>(ndim);
  if (source() % 3 == 0) {
    shape.assign(shape.size(), 1);
    shape[axis] = static_cast<std::int64_t>(1 + source() % 6000);
    if (ndim > 1) shape[(axis + 1) % shape.size()] = static_cast<std::int64_t>(1 + source() % 3);
  }
  const Operand array = random_operand(target, {.shape = shape, .dtype = types.array}, source);
  const Operand out = random_operand(target, {.shape = shape, .dtype = types.out, .input = false}, source);
  const std::string what = ufunc.name() + ".accumulate of " + text_of(shape) + " strides " + to_string(array.view.strides()) +
                           " " + std::string(name(types.array)) + " along axis " + std::to_string(axis) + " in " +
                           std::string(name(types.loop)) + " to strides " + to_string(out.view.strides()) + " " +
                           std::string(name(types.out)) + ", seed " + std::to_string(seed());
  INFO(what);
  Extents firsts = shape;
  firsts[axis] = shape[axis] == 0 ? 0 : 1;
  for_each_index(firsts, [&](const Extents& first) {
    Exact running = 0;
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      const Extents index = moved(first, axis, i);
      const Exact x = rounded(types.loop, array.model.at(index));
      running = i == 0 ? x : rounded(types.loop, ufunc.reorderable() ? running + x : 2.0L * x - running);
      out.model.at(index) = rounded(types.out, running);
    }
  });
  const auto signed_axis = static_cast<int>(axis) - (source() % 2 == 0 ? ndim : 0);
  const Array result =
      ufunc.accumulate(array.view, accumulate_on(target, {.axis = signed_axis, .dtype = types.loop, .out = out.view}));
  CHECK(result.data() == out.view.data());
  CHECK(difference(read(target.fetch(out.base)), *out.model.memory) == "");
}

}  // namespace

TEST_CASE("accumulate: random layouts and dtypes against a slow interpreter") {
  std::uint64_t stream = 900;
  // Values are small whole numbers: sums are exact in any grouping but of halves, which are only folded.
  const Types both[] = {
      {DType::int32, DType::int32, DType::int32},          {DType::int8, DType::int8, DType::int8},
      {DType::float64, DType::float64, DType::float64},    {DType::float32, DType::float32, DType::float32},
      {DType::int16, DType::float32, DType::float32},      {DType::uint8, DType::uint64, DType::uint64},
      {DType::int32, DType::int32, DType::float64},        {DType::float64, DType::float32, DType::int64},
      {DType::uint16, DType::uint16, DType::uint16},       {DType::complex64, DType::complex64, DType::complex64},
      {DType::int16, DType::complex128, DType::complex128}};
  const Types folded[] = {{DType::float16, DType::float16, DType::float16},
                          {DType::bfloat16, DType::bfloat16, DType::bfloat16}};
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int rounds = target.device().is_cpu() ? 10 : 4;
    for (int i = 0; i < rounds; ++i) {
      for (const Types& types : both) {
        check(target, sum(), types, source);
        check(target, fold(), types, source);
      }
      for (const Types& types : folded) check(target, fold(), types, source);
    }
  });
}

TEST_CASE("accumulate: NumPy's values and dtypes") {
  on_every_device([](const Target& target) {
    for (const Golden& line : golden("accumulate.txt", target)) {
      INFO(line.text);
      const auto values = [&](std::size_t field) {
        std::vector<Exact> list;
        if (line.fields[field] == "-") return list;
        std::istringstream words(line.fields[field]);
        for (std::string word; std::getline(words, word, ',');) {
          const std::size_t colon = word.find(':');
          list.emplace_back(std::stold(word), colon == std::string::npos ? 0.0L : std::stold(word.substr(colon + 1)));
        }
        return list;
      };
      const Ufunc* ufunc = kiln::math::find(line.fields[0]);
      REQUIRE(ufunc != nullptr);
      const std::vector<std::int64_t> extents = line.numbers(2);
      const Array array = target.place(make(dtype_named(line.fields[1]), values(6), kiln::Shape(extents)));
      AccumulateOptions options = accumulate_on(target, {.axis = static_cast<int>(line.numbers(3)[0])});
      if (line.fields[4] != "-") options.dtype = dtype_named(line.fields[4]);
      const Array result = ufunc->accumulate(array, options);
      CHECK(result.dtype() == dtype_named(line.fields[5]));
      CHECK(result.shape() == array.shape());
      const bool exact = kind(result.dtype()) < kiln::Kind::floating;
      const bool half = result.dtype() == DType::float16;
      CHECK(difference(read(target.fetch(result)), values(7), exact ? 0 : half ? 2e-3L : 1e-6L) == "");
    }
  });
}

TEST_CASE("accumulate: long lines, along every axis, and across the ends of chunks") {
  on_every_device([](const Target& target) {
    for (const std::int64_t count : {511, 512, 4095, 4096, 4097, 32768, 32769, 200'000}) {
      const std::string what = std::to_string(count);
      INFO(what);
      std::vector<Exact> values;
      std::vector<Exact> sums;
      std::vector<Exact> folds;
      for (std::int64_t i = 0; i < count; ++i) {
        values.emplace_back(static_cast<long double>(i * 7 % 23 - 11));
        sums.push_back(i == 0 ? values.back() : sums.back() + values.back());
        folds.push_back(i == 0 ? values.back() : 2.0L * values.back() - folds.back());
      }
      for (const DType dtype : {DType::int32, DType::float64}) {
        const Array x = target.place(make(dtype, values));
        CHECK(difference(read(target.fetch(sum().accumulate(x, accumulate_on(target, {})))), sums) == "");
        CHECK(difference(read(target.fetch(fold().accumulate(x, accumulate_on(target, {})))), folds) == "");
      }
      // Every other element, backwards, in place.
      std::vector<Exact> padded;
      for (std::int64_t i = count; i-- > 0;) {
        padded.push_back(values[static_cast<std::size_t>(i)]);
        padded.emplace_back(5);
      }
      const Array all = target.place(make(DType::int64, padded));
      const Array view = all[{Slice{.start = 2 * count - 2, .step = -2}}];
      sum().accumulate(view, accumulate_on(target, {.out = view}));
      for (std::int64_t i = 0; i < count; ++i)
        padded[static_cast<std::size_t>(2 * (count - 1 - i))] = sums[static_cast<std::size_t>(i)];
      CHECK(difference(read(target.fetch(all)), padded) == "");
    }
  });
}

// Teams of all sizes, lines beside each other and in chunks, whole tiles and what is left of them.
TEST_CASE("accumulate: lines of every length, many and few, along each axis, in their order") {
  const std::vector<std::pair<Extents, std::size_t>> calls = {
      {{9}, 0},        {{1000, 7}, 1}, {{300, 63}, 1},   {{65, 127}, 1},   {{37, 543}, 1},       {{3, 9001}, 1},
      {{2, 17000}, 1}, {{20001}, 0},   {{9, 200}, 0},    {{4200, 3}, 0},   {{9000, 2}, 0},       {{600, 33}, 0},
      {{130, 300}, 0}, {{2500, 8}, 0}, {{3, 700, 5}, 1}, {{5, 3, 600}, 0}, {{2, 2100, 2, 3}, 1}, {{300, 20, 2}, 1}};
  on_every_device([&](const Target& target) {
    auto source = random_source(960);
    for (const auto& [shape, axis] : calls) {
      const std::string what = text_of(shape) + " along axis " + std::to_string(axis);
      INFO(what);
      Extents padded = shape;
      padded[axis] += 1;
      std::vector<Exact> numbers, maps;
      for (std::int64_t i = 0; i < size_of(padded); ++i) {
        numbers.emplace_back(static_cast<long double>(source() % 15) - 7);
        maps.emplace_back(source() % 8 == 0 ? -1 : 1, static_cast<long double>(source() % 5) - 2);
      }
      // All but the first along the axis, whose packs are not aligned, and all but the last.
      for (const bool first : {true, false}) {
        std::vector<Exact> sums, products, folds;
        std::vector<kiln::Index> where(shape.size(), kiln::all);
        where[axis] = first ? Slice{.stop = -1} : Slice{.start = 1};
        std::int64_t below = 1;
        for (std::size_t d = axis + 1; d < shape.size(); ++d) below *= shape[d];
        for_each_index(shape, [&](const Extents& index) {
          Extents from = index;
          if (!first) from[axis] += 1;
          std::int64_t at = 0;
          for (std::size_t d = 0; d < padded.size(); ++d) at = at * padded[d] + from[d];
          const Exact x = numbers[static_cast<std::size_t>(at)], m = maps[static_cast<std::size_t>(at)];
          const bool begins = index[axis] == 0;
          const auto before = [&](const std::vector<Exact>& results) {
            return results[results.size() - static_cast<std::size_t>(below)];
          };
          sums.push_back(begins ? x : before(sums) + x);
          folds.push_back(begins ? x : 2.0L * x - before(folds));
          products.push_back(begins ? m : composed(before(products), m));
        });
        const AccumulateOptions options = accumulate_on(target, {.axis = static_cast<int>(axis)});
        const auto placed = [&](DType dtype, const std::vector<Exact>& values) {
          return target.place(make(dtype, values, shape_of(padded))).slice(where);
        };
        for (const DType dtype : {DType::int32, DType::int16}) {
          CHECK(difference(read(target.fetch(sum().accumulate(placed(dtype, numbers), options))), sums) == "");
        }
        CHECK(difference(read(target.fetch(called_sum().accumulate(placed(DType::float32, numbers), options))), sums) == "");
        AccumulateOptions wide = options;
        wide.dtype = DType::int64;
        CHECK(difference(read(target.fetch(kiln::math::add.accumulate(placed(DType::int8, numbers), wide))), sums) == "");
        CHECK(difference(read(target.fetch(composition().accumulate(placed(DType::complex64, maps), options))), products) ==
              "");
        CHECK(difference(read(target.fetch(fold().accumulate(placed(DType::float32, numbers), options))), folds) == "");
      }
    }
  });
}

TEST_CASE("accumulate: a few long lines, of every size of element") {
  struct Case {
    const kiln::math::Function* ufunc;
    DType array, loop, out;
    std::int64_t (*apply)(std::int64_t, std::int64_t);
  };
  const Case cases[] = {
      {&kiln::math::bitwise_xor, DType::bool_, DType::bool_, DType::bool_,
       [](std::int64_t a, std::int64_t b) { return a ^ b; }},
      {&kiln::math::multiply, DType::int8, DType::int8, DType::int16,
       [](std::int64_t a, std::int64_t b) { return std::int64_t{static_cast<std::int8_t>(a * b)}; }},
      {&kiln::math::maximum, DType::uint16, DType::uint16, DType::float64,
       [](std::int64_t a, std::int64_t b) { return std::max(a, b); }},
      {&kiln::math::add, DType::uint8, DType::int32, DType::int32, [](std::int64_t a, std::int64_t b) { return a + b; }},
      {&kiln::math::add, DType::int64, DType::int64, DType::int64, [](std::int64_t a, std::int64_t b) { return a + b; }},
      {&kiln::math::add, DType::float32, DType::float32, DType::float32, [](std::int64_t a, std::int64_t b) { return a + b; }},
      {&kiln::math::maximum, DType::float16, DType::float16, DType::float16,
       [](std::int64_t a, std::int64_t b) { return std::max(a, b); }},
      {&kiln::math::add, DType::float64, DType::float64, DType::float64, [](std::int64_t a, std::int64_t b) { return a + b; }},
      {&kiln::math::add, DType::int32, DType::complex128, DType::complex128,
       [](std::int64_t a, std::int64_t b) { return a + b; }}};
  // Tiles of 2048 or 4096 elements: whole ones, and a part of one at the end; in front of the line an element, or none.
  const std::vector<std::pair<std::int64_t, std::int64_t>> lines = {{1, 40'960}, {1, 150'001}, {3, 33'000}};
  on_every_device([&](const Target& target) {
    auto source = random_source(980);
    for (const Case& each : cases) {
      for (const auto& [count, extent] : lines) {
        const std::int64_t before = count == 1 ? 0 : 1;
        const bool flags = each.array == DType::bool_;
        std::vector<Exact> values, expected;
        for (std::int64_t line = 0; line < count; ++line) {
          std::int64_t running = 0;
          for (std::int64_t i = -before; i < extent; ++i) {
            const auto x = static_cast<std::int64_t>(source() % (flags ? 2 : 100)) + (each.array == DType::int8 ? 1 : 0);
            values.emplace_back(static_cast<long double>(x));
            if (i < 0) continue;
            running = i == 0 ? x : each.apply(running, x);
            expected.emplace_back(static_cast<long double>(running));
          }
        }
        INFO(each.ufunc->name() << " of " << name(each.array) << ", " << count << " x " << extent);
        const Array x =
            target.place(make(each.array, values, kiln::Shape{count, extent + before}))[{kiln::all, Slice{.start = before}}];
        const Array out = target.place(Array::zeros({count, extent}, each.out));
        each.ufunc->accumulate(x, accumulate_on(target, {.axis = 1, .dtype = each.loop, .out = out}));
        CHECK(difference(read(target.fetch(out)), expected) == "");
      }
    }
  });
}

TEST_CASE("accumulate: a line of more chunks than a group of groups has") {
  on_every_device([](const Target& target) {
    constexpr std::int64_t kCount = 4'400'000;
    std::vector<std::int32_t> values, expected;
    auto source = random_source(985);
    for (std::int64_t i = 0; i < kCount; ++i) {
      values.push_back(static_cast<std::int32_t>(source() % 100) - 50);
      expected.push_back(i == 0 ? values.back() : expected.back() + values.back());
    }
    const Array x = target.place(Array::from(values));
    CHECK(target.fetch(sum().accumulate(x, accumulate_on(target, {}))).to_vector<std::int32_t>() == expected);
  });
}

TEST_CASE("accumulate: the address changes no bit of floating sums") {
  on_every_device([](const Target& target) {
    auto source = random_source(970);
    for (const std::int64_t count : {100, 3000, 50'001}) {
      std::vector<Exact> values;
      for (std::int64_t i = 0; i < count; ++i) values.emplace_back(static_cast<long double>(source() % 1'000'000) / 999'983.0L);
      const Array aligned = target.place(make(DType::float32, values));
      values.insert(values.begin(), Exact(1));
      const Array shifted = target.place(make(DType::float32, values))[{Slice{.start = 1}}];
      const auto sums = [&](const Array& x) {
        return target.fetch(sum().accumulate(x, accumulate_on(target, {}))).to_vector<float>();
      };
      const std::vector<float> one = sums(aligned), other = sums(shifted);
      CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
    }
  });
}

TEST_CASE("accumulate: any number of threads gives the same bits, and the error is no worse than one after the other") {
  if (!has_cpu()) return;
  count_case();
  auto source = random_source(920);
  constexpr std::int64_t kCount = 1'500'000;
  std::vector<float> values;
  for (std::int64_t i = 0; i < kCount; ++i) values.push_back(static_cast<float>(source() % 1'000'000) / 999'983.0F);
  const Array flat = Array::from(values);
  for (const kiln::Shape& shape :
       {kiln::Shape{kCount}, kiln::Shape{3, kCount / 3}, kiln::Shape{300, 5000}, kiln::Shape{5000, 300}}) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      const std::string what = to_string(shape) + " axis " + std::to_string(axis);
      INFO(what);
      std::vector<float> first;
      for (const int threads : {1, 2, 3}) {
        const kiln::Device cpu = kiln::Device::cpu({.threads = threads});
        const std::vector<float> got =
            kiln::math::add.accumulate(kiln::to_device(flat.reshape(shape), cpu), {.axis = axis}).to_vector<float>();
        if (first.empty()) first = got;
        CHECK(std::memcmp(got.data(), first.data(), got.size() * sizeof(float)) == 0);
      }
      if (shape.size() > 1) continue;
      double exact = 0;
      float plain = 0;
      double worst = 0;
      double worst_plain = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        exact += static_cast<double>(values[i]);
        plain += values[i];
        worst = std::max(worst, std::fabs(static_cast<double>(first[i]) - exact) / exact);
        worst_plain = std::max(worst_plain, std::fabs(static_cast<double>(plain) - exact) / exact);
      }
      CHECK(worst <= worst_plain);
    }
  }
}

TEST_CASE("accumulate: the result equals the result on private copies") {
  on_every_device([](const Target& target) {
    std::vector<Exact> values;
    for (int i = 0; i < 900; ++i) values.emplace_back(static_cast<long double>(i % 13));
    const auto place = [&] { return target.place(make(DType::int32, values, kiln::Shape{30, 30})); };
    const auto at = [&](std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(30 * i + j)]; };
    std::vector<Exact> expected(900);
    Array x = place();
    sum().accumulate(x, accumulate_on(target, {.axis = 1, .out = x}));
    for (std::int64_t i = 0; i < 30; ++i) {
      for (std::int64_t j = 0; j < 30; ++j) {
        const auto k = static_cast<std::size_t>(30 * i + j);
        expected[k] = at(i, j) + (j == 0 ? Exact(0) : expected[k - 1]);
      }
    }
    CHECK(difference(read(target.fetch(x)), expected) == "");
    x = place();
    sum().accumulate(x.transpose(), accumulate_on(target, {.axis = 0, .out = x}));
    // The result at (i, j) is the sum of row j of the old array, up to column i.
    std::vector<Exact> turned(900);
    for (std::int64_t i = 0; i < 30; ++i) {
      for (std::int64_t j = 0; j < 30; ++j)
        turned[static_cast<std::size_t>(30 * i + j)] = expected[static_cast<std::size_t>(30 * j + i)];
    }
    CHECK(difference(read(target.fetch(x)), turned) == "");
    x = place();
    const Array shifted = x[{Slice{.start = 1}}];
    sum().accumulate(x[{Slice{.stop = 29}}], accumulate_on(target, {.out = shifted}));
    expected = values;
    for (std::int64_t i = 1; i < 30; ++i) {
      for (std::int64_t j = 0; j < 30; ++j) {
        expected[static_cast<std::size_t>(30 * i + j)] =
            at(i - 1, j) + (i == 1 ? Exact(0) : expected[static_cast<std::size_t>(30 * (i - 1) + j)]);
      }
    }
    CHECK(difference(read(target.fetch(x)), expected) == "");
  });
}

TEST_CASE("accumulate: dtypes as NumPy's, empty arrays, layouts of fresh results") {
  on_every_device([](const Target& target) {
    using kiln::math::add;
    const auto dtype_of_sum = [&](DType dtype) {
      return add.accumulate(target.place(Array::zeros({3}, dtype)), accumulate_on(target, {})).dtype();
    };
    CHECK(dtype_of_sum(DType::bool_) == DType::int64);
    CHECK(dtype_of_sum(DType::int8) == DType::int64);
    CHECK(dtype_of_sum(DType::uint16) == DType::uint64);
    CHECK(dtype_of_sum(DType::float16) == DType::float16);
    const Array small = target.place(make(DType::int8, {100, 100, 100}));
    // A given result decides: nothing is widened.
    const Array out8 = target.place(Array::zeros({3}, DType::int8));
    add.accumulate(small, accumulate_on(target, {.out = out8}));
    CHECK(difference(read(target.fetch(out8)), {100, -56, 44}) == "");
    const Array out32 = target.place(Array::zeros({3}, DType::float32));
    add.accumulate(small, accumulate_on(target, {.out = out32}));
    CHECK(difference(read(target.fetch(out32)), {100, 200, 300}) == "");
    add.accumulate(small, accumulate_on(target, {.dtype = DType::int8, .out = out32}));
    CHECK(difference(read(target.fetch(out32)), {100, -56, 44}) == "");
    // Casts are NumPy's "unsafe".
    const Array cut =
        add.accumulate(target.place(make(DType::float64, {0.5L, 1.5L, 2.5L})), accumulate_on(target, {.dtype = DType::int32}));
    CHECK(difference(read(target.fetch(cut)), {0, 1, 3}) == "");

    const Array none = add.accumulate(target.place(Array::zeros({0, 3}, DType::int8)), accumulate_on(target, {}));
    CHECK(none.shape() == kiln::Shape{0, 3});
    CHECK(none.dtype() == DType::int64);
    CHECK(add.accumulate(target.place(Array::zeros({3, 0}, DType::float32)), accumulate_on(target, {})).shape() ==
          kiln::Shape{3, 0});
    const Array columns = target.place(Array::zeros({4, 5}, DType::float32)).transpose();
    CHECK(add.accumulate(columns, accumulate_on(target, {.axis = 1})).is_f_contiguous());
    const Array ones = add.accumulate(target.place(Array::full({4, 1}, 1.0F)), accumulate_on(target, {.axis = -1}));
    CHECK(difference(read(target.fetch(ones)), {1, 1, 1, 1}) == "");
  });
}

TEST_CASE("accumulate: what cannot be, and nothing is written") {
  on_every_device([](const Target& target) {
    using kiln::math::add;
    const Array x = target.place(make(DType::int32, {1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    const auto shape_error = [&](auto call) { return message_of<kiln::ShapeError>(call); };
    const auto type_error = [&](auto call) { return message_of<kiln::TypeError>(call); };
    CHECK(shape_error([&] { add.accumulate(x, accumulate_on(target, {.axis = 2})); }) ==
          "add.accumulate: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error([&] { add.accumulate(x, accumulate_on(target, {.axis = -3})); }) ==
          "add.accumulate: axis -3 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error([&] { add.accumulate(target.place(Array::scalar(1.0)), accumulate_on(target, {})); }) ==
          "add.accumulate: a 0-d array has no axis to accumulate along");
    CHECK(shape_error([&] { add.accumulate(x, accumulate_on(target, {.out = x[{0}]})); }) ==
          "add.accumulate: the out array has shape (3,), the result has shape (2, 3); .out is never broadcast");
    CHECK(type_error([&] { add.accumulate(x, accumulate_on(target, {.out = x.as_read_only()})); }) ==
          "add.accumulate: the out array is read-only; give a writable array as .out");
    CHECK(type_error([&] { add.accumulate(Array(), accumulate_on(target, {})); }) ==
          "add.accumulate: the array is an empty Array handle, not an array");
    CHECK(type_error([&] { kiln::math::negative.accumulate(x, accumulate_on(target, {})); }) ==
          "negative.accumulate wants a ufunc of two inputs and one output, and negative has 1 and 1");
    CHECK(type_error([&] {
            kiln::math::less.accumulate(x, accumulate_on(target, {}));
          }).starts_with("less.accumulate: the loop "));
    CHECK(type_error([&] {
            kiln::math::bitwise_and.accumulate(target.place(Array::zeros({2}, DType::float32)), accumulate_on(target, {}));
          }).starts_with("bitwise_and.accumulate: no loop takes (float32, float32) by safe casts"));
    CHECK(difference(read(target.fetch(x)), {1, 2, 3, 4, 5, 6}) == "");
  });
}
