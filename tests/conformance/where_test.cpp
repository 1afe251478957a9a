// `where`: elements that a mask leaves out keep their value, or are zero in a fresh result; nothing is computed for them.
#include <algorithm>
#include <cmath>

#include "../unit/base/sanitizer.hpp"
#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

/// The same with a branch around the body: its text has a loop.
const Ufunc& combine_carefully() {
  static const Ufunc ufunc = kiln::vectorize({.name = "combine_carefully",
                                              .signatures = {"T(T a, T b)"},
                                              .body = "T sum = b; for (int i = 0; i < 3; ++i) sum += a; return sum;"});
  return ufunc;
}

/// The same, with a division of integers.
const Ufunc& combine_and_divide() {
  static const Ufunc ufunc = kiln::vectorize({.name = "combine_and_divide",
                                              .signatures = {"T(T a, T b)"},
                                              .body = "const int64 one = 3 / int64(3); return T(3) * a + b * T(one);"});
  return ufunc;
}

struct MaskedDtypes {
  DType a, b, result, out;
};
constexpr MaskedDtypes kMaskedDtypes[] = {{DType::int32, DType::int32, DType::int32, DType::int32},
                                          {DType::int32, DType::int32, DType::int32, DType::int16},
                                          {DType::int8, DType::int8, DType::int8, DType::int8},
                                          {DType::float64, DType::float64, DType::float64, DType::float64},
                                          {DType::int16, DType::float32, DType::float32, DType::complex64},
                                          {DType::float16, DType::float16, DType::float16, DType::float16},
                                          {DType::complex128, DType::complex128, DType::complex128, DType::complex128}};

void check_combine(const Target& target, const Ufunc& ufunc, const Extents& loop, const MaskedDtypes& dtypes,
                   std::mt19937_64& source) {
  const bool with_out = source() % 3 != 0;
  Extents shapes[] = {random_shape_into(loop, source), random_shape_into(loop, source), random_shape_into(loop, source)};
  // Without out, an argument or the mask itself must have the whole shape.
  if (!with_out) shapes[source() % 3] = loop;
  const Operand a = random_operand(target, {.shape = shapes[0], .dtype = dtypes.a}, source);
  const Operand b = random_operand(target, {.shape = shapes[1], .dtype = dtypes.b}, source);
  const Operand mask = random_operand(target, {.shape = shapes[2], .dtype = DType::bool_}, source);
  const std::string what = ufunc.name() + " of " + text_of(shapes[0]) + " strides " + to_string(a.view.strides()) + " and " +
                           text_of(shapes[1]) + " strides " + to_string(b.view.strides()) + " where " + text_of(shapes[2]) +
                           " strides " + to_string(mask.view.strides()) + " over " + text_of(loop) + ", " +
                           std::string(kiln::name(dtypes.a)) + (with_out ? ", out" : "") + ", seed " + std::to_string(seed());
  INFO(what);
  const auto expected = [&](const Extents& index, DType to) {
    return rounded(to, rounded(dtypes.result, 3.0L * a.model.at(index) + b.model.at(index)));
  };
  const auto wanted = [&](const Extents& index) { return mask.model.at(index) != Exact(0); };
  if (with_out) {
    const Operand out = random_operand(target, {.shape = loop, .dtype = dtypes.out, .input = false}, source);
    target.call(ufunc, {a.view, b.view}, {.out = out.view, .where = mask.view});
    for_each_index(loop, [&](const Extents& index) {
      if (wanted(index)) out.model.at(index) = expected(index, dtypes.out);
    });
    CHECK(difference(read(target.fetch(out.base)), *out.model.memory) == "");
    return;
  }
  const Array result = target.call(ufunc, {a.view, b.view}, {.where = mask.view});
  CHECK(result.dtype() == dtypes.result);
  REQUIRE(result.shape() == shape_of(loop));
  std::vector<Exact> values;
  for_each_index(loop,
                 [&](const Extents& index) { values.push_back(wanted(index) ? expected(index, dtypes.result) : Exact(0)); });
  CHECK(difference(read(target.fetch(result)), values) == "");
}

Array mask_of(const Target& target, const std::vector<Exact>& values) {
  return target.place(make(DType::bool_, values));
}

}  // namespace

TEST_CASE("where: random operands and masks agree with index arithmetic") {
  std::uint64_t stream = 900;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int cases = kiln::test::rounds(target.device().is_cpu() ? 120 : 60);
    for (int i = 0; i < cases; ++i) {
      const int ndim = static_cast<int>(source() % 6);
      const MaskedDtypes& dtypes = kMaskedDtypes[source() % std::size(kMaskedDtypes)];
      const bool careful = source() % 3 == 0 && dtypes.a != DType::float16;  // whose sum rounds otherwise
      const Ufunc& other = i % 2 == 0 ? combine() : combine_and_divide();
      check_combine(target, careful ? combine_carefully() : other, random_loop_shape(ndim, 1500, source), dtypes, source);
    }
  });
}

TEST_CASE("where: nothing is computed where the mask is false") {
  // A loop without end would hang.
  const Ufunc divide = kiln::vectorize({.name = "divide", .signatures = {"int32(int32 a, int32 b)"}, .body = "return a / b;"});
  const Ufunc halve =
      kiln::vectorize({.name = "steps",
                       .signatures = {"int32(int32 a)"},
                       .body = "int32 n = 0; while (a != 1) { a = a % 2 ? 3 * a + 1 : a / 2; ++n; } return n;"});
  on_every_device([&](const Target& target) {
    const std::int64_t count = 1000;
    std::vector<Exact> a, b, mask, quotients, kept;
    for (std::int64_t i = 0; i < count; ++i) {
      a.emplace_back(static_cast<long double>(i));
      b.emplace_back(static_cast<long double>(i % 3));
      mask.emplace_back(i % 3 == 0 ? 0.0L : 1.0L);
      quotients.emplace_back(i % 3 == 0 ? 0.0L : static_cast<long double>(i / (i % 3)));
      kept.emplace_back(i % 3 == 0 ? -7.0L : static_cast<long double>(i / (i % 3)));
    }
    const Array x = target.place(make(DType::int32, a));
    const Array y = target.place(make(DType::int32, b));
    const Array where = mask_of(target, mask);
    CHECK(difference(read(target.fetch(target.call(divide, {x, y}, {.where = where}))), quotients) == "");
    const Array out = target.place(make(DType::int32, std::vector<Exact>(static_cast<std::size_t>(count), -7.0L)));
    target.call(divide, {x, y}, {.out = out, .where = where});
    CHECK(difference(read(target.fetch(out)), kept) == "");
    // Rows of which whole ones are left out, a first element that counts far behind, none at all.
    for (const std::int64_t columns : {5, 37, 600}) {
      for (const std::int64_t first : {0, 25, 40}) {
        CAPTURE(columns);
        CAPTURE(first);
        std::vector<Exact> rows, divisors, counts, results;
        for (std::int64_t i = 0; i < 40; ++i) {
          const bool counted = i >= first && i % 3 != 0;
          divisors.emplace_back(counted ? static_cast<long double>(i % 3) : 0.0L);
          counts.emplace_back(counted ? 1.0L : 0.0L);
          for (std::int64_t j = 0; j < columns; ++j) {
            rows.emplace_back(static_cast<long double>(i * columns + j));
            results.emplace_back(counted ? static_cast<long double>((i * columns + j) / (i % 3)) : -7.0L);
          }
        }
        const Array numerators = target.place(make(DType::int32, rows, kiln::Shape{40, columns}));
        const Array denominators = target.place(make(DType::int32, divisors, kiln::Shape{40, 1}));
        const Array some = target.place(make(DType::bool_, counts, kiln::Shape{40, 1}));
        const Array sevens = target.place(Array::full({40, columns}, -7).astype(DType::int32));
        target.call(divide, {numerators, denominators}, {.out = sevens, .where = some});
        CHECK(difference(read(target.fetch(sevens)), results) == "");
        // Every element's own divisor and mask, in the order of the transpose.
        const auto turned = [&](const Array& array) {
          return target.place(target.fetch(array).broadcast_to({40, columns}).copy().transpose());
        };
        const Array back =
            target.fetch(target.call(divide, {turned(numerators), turned(denominators)}, {.where = turned(some)}));
        for (Exact& result : results) result = result == Exact(-7) ? Exact(0) : result;
        CHECK(difference(read(back.transpose().copy()), results) == "");
      }
    }
    const Array starts = target.place(make(DType::int32, {0, 1, 6, 0, 27}));
    CHECK(difference(read(target.fetch(target.call(halve, {starts}, {.where = mask_of(target, {0, 1, 1, 0, 1})}))),
                     {0, 0, 8, 0, 111}) == "");
  });
}

TEST_CASE("where: nothing is computed where the mask is false, wherever a text has what may not be") {
  // A function of its own that does not end, a read far beyond a table, a division that is left to C++ by an #include.
  const Ufunc steps =
      kiln::vectorize({.name = "steps",
                       .signatures = {"int32(int32 a)"},
                       .body = "return steps_of(a);",
                       .compile = {.functions = "__attribute__((noinline)) int32 steps_of(int32 a) {\n  int32 n = 0;\n"
                                                "  while (a != 1) { a = a % 2 ? 3 * a + 1 : a / 2; ++n; }\n  return n;\n}"}});
  const Ufunc look_up = kiln::vectorize(
      {.name = "look_up", .signatures = {"int32(int32 a)"}, .body = "const int32 table[] = {7, 5, 3, 2};\nreturn table[a];"});
  const Ufunc ratio = kiln::vectorize({.name = "ratio",
                                       .signatures = {"int32(int32 a)"},
                                       .body = "return RATIO(12, a);",
                                       .compile = {.preamble = "#include <cstdint>\n#define RATIO(x, y) ((x) / (y))"}});
  on_every_device([&](const Target& target) {
    const auto masked = [&](const Ufunc& ufunc, std::vector<Exact> numbers, const std::vector<Exact>& mask) {
      return read(target.fetch(
          target.call(ufunc, {target.place(make(DType::int32, std::move(numbers)))}, {.where = mask_of(target, mask)})));
    };
    CHECK(difference(masked(steps, {0, 1, 6, 0, 27}, {0, 1, 1, 0, 1}), {0, 0, 8, 0, 111}) == "");
    CHECK(difference(masked(look_up, {3, 1000000000, 0, -1000000000, 1}, {1, 0, 1, 0, 1}), {2, 0, 7, 0, 5}) == "");
    CHECK(difference(masked(ratio, {3, 0, -4, 0, 5}, {1, 0, 1, 0, 1}), {4, 0, -3, 0, 2}) == "");
  });
}

TEST_CASE("where: what is computed has the bits of a call without a mask, into an out, too") {
  // libm's functions of one number and of a vector differ in the last bits.
  const Ufunc ufuncs[] = {kiln::vectorize("T(T x, int32 n) where T: float32, float64", "return exp(x) * (n / 2);"),
                          kiln::vectorize("T(T x, int32 n) where T: float32, float64",
                                          "T sum = 0; for (int i = 0; i < 2; ++i) sum += cos(x) * n; return sum;"),
                          kiln::vectorize("T(T x, int32 n) where T: float32, float64", "return pow(fabs(x), T(0.3)) * n;")};
  on_every_device([&](const Target& target) {
    auto source = random_source(31);
    std::vector<Exact> x, n, mask;
    for (int i = 0; i < 1500; ++i) {
      x.emplace_back(0.001L * static_cast<long double>(source() % 6000) - 3);
      n.emplace_back(static_cast<long double>(source() % 100));
      mask.emplace_back(source() % 5 == 0 ? 0.0L : 1.0L);
    }
    for (const DType dtype : {DType::float32, DType::float64}) {
      std::vector<Exact> rounded_x;
      for (const Exact& value : x) rounded_x.push_back(rounded(dtype, value));
      const Array a = target.place(make(dtype, rounded_x));
      const Array b = target.place(make(DType::int32, n));
      const Array where = mask_of(target, mask);
      for (const Ufunc& ufunc : ufuncs) {
        CAPTURE(ufunc.name());
        std::vector<Exact> fresh = read(target.fetch(target.call(ufunc, {a, b})));
        std::vector<Exact> kept = fresh;
        for (std::size_t i = 0; i < mask.size(); ++i) {
          if (mask[i].real() != 0) continue;
          fresh[i] = 0;
          kept[i] = -7;
        }
        CHECK(difference(read(target.fetch(target.call(ufunc, {a, b}, {.where = where}))), fresh) == "");
        const Array out = target.place(make(dtype, std::vector<Exact>(x.size(), -7.0L)));
        target.call(ufunc, {a, b}, {.out = out, .where = where});
        CHECK(difference(read(target.fetch(out)), kept) == "");
      }
    }
  });
}

TEST_CASE(
    "where: divisions of integers that are defined alone are left out where the mask is false; what calls itself is not "
    "computed") {
  const std::vector<kiln::UfuncDefinition> shares{
      {.signatures = {"float32(float32 x)"}, .body = "return 12 / ((x > 0) + (x > 1));"},
      {.signatures = {"float32(float32 x)"}, .body = "auto k = 0; if (x > 0) ++k; if (x > 1) ++k; return 12 / k;"},
      {.signatures = {"float32(float32 x)"},
       .body = "return 12 / parts(x);",
       .compile = {.functions = "auto parts(float32 x) { return x > 1 ? 2 : x > 0 ? 1 : 0; }"}},
      {.signatures = {"float32(float32 x)"},
       .body = "return 6 * factorial(3 - x) / 1.0f;",
       .compile = {.functions = "float32 factorial(float32 n) { return n == 0 || n == 1 ? 1 : n == 3 ? factorial(n) : n * "
                                "factorial(n - 1); }"}}};
  on_every_device([&](const Target& target) {
    std::vector<Exact> x, mask, expected;
    for (int i = 0; i < 300; ++i) {
      x.emplace_back(i % 3);
      mask.emplace_back(i % 3 == 0 ? 0 : 1);
      expected.emplace_back(i % 3 == 0 ? 0 : i % 3 == 1 ? 12 : 6);
    }
    for (const kiln::UfuncDefinition& definition : shares) {
      CAPTURE(definition.body);
      const Ufunc ufunc = kiln::vectorize(definition);
      CHECK(difference(read(target.fetch(
                           target.call(ufunc, {target.place(make(DType::float32, x))}, {.where = mask_of(target, mask)}))),
                       expected) == "");
    }
  });
}

TEST_CASE("where: what is computed has the bits of a call without a mask") {
  const Ufunc slow = kiln::vectorize({.name = "slow",
                                      .signatures = {"float32(float32 x)", "float64(float64)"},
                                      .body = "return exp(x) * sin(x) + pow(x, 3);"});
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      std::vector<Exact> values, mask;
      for (std::size_t i = 0; i < 10007; ++i) {
        values.emplace_back(static_cast<long double>(i) / 1000);
        mask.emplace_back(i % 7 < 4 ? 1.0L : 0.0L);
      }
      const Array x = target.place(make(dtype, values));
      std::vector<Exact> expected = read(target.fetch(target.call(slow, {x})));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = mask[i] == Exact(0) ? Exact(0) : expected[i];
      CHECK(difference(read(target.fetch(target.call(slow, {x}, {.where = mask_of(target, mask)}))), expected) == "");
    }
  });
}

TEST_CASE("where: large fresh results, with the outputs stored past the cache") {
  on_every_device([&](const Target& target) {
    if (!target.device().is_cpu()) return;
    constexpr std::int64_t kCount = 9'000'001;
    const Array x = target.place(Array::full(kiln::Shape{kCount}, 2.0F));
    const Array mask = Array::zeros({kCount}, DType::bool_);
    for (std::int64_t i = 0; i < kCount; i += 5) static_cast<bool*>(mask.data())[i] = true;
    const Array result = target.fetch(target.call(combine(), {x, x}, {.where = target.place(mask)}));
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < kCount; ++i)
      wrong += static_cast<const float*>(result.data())[i] == (i % 5 == 0 ? 8.0F : 0.0F) ? 0 : 1;
    CHECK(wrong == 0);
  });
}

TEST_CASE("where: rows of small elements that are read many at a time, beside a row that is the same for all") {
  // Buffers of 1, 2 and 3 bytes an element, and rows that fill whole blocks and parts of one.
  const Ufunc copy = kiln::vectorize({.name = "copy", .signatures = {"T(T a)"}, .body = "return a;"});
  const Ufunc sum = kiln::vectorize({.name = "sum", .signatures = {"T(T a, T b, T c)"}, .body = "return a + b + c;"});
  constexpr std::int64_t kRows = 700;
  on_every_device(
      [&](const Target& target) {
        for (const std::int64_t columns : {33, 64, 91, 99, 103, 105, 128, 300, 513}) {
          CAPTURE(columns);
          const auto numbers = [&](DType dtype, std::int64_t rows, std::int64_t wide) {
            std::vector<Exact> values;
            for (std::int64_t i = 0; i < rows * wide; ++i) values.emplace_back(static_cast<long double>(i * 7 % 31));
            return make(dtype, values, kiln::Shape{rows, wide});
          };
          const auto window = [&](const Array& wide) { return target.place(wide)[{kiln::all, Slice{.stop = columns}}]; };
          const Array row = numbers(DType::int8, 1, columns);
          const Array mask_row = kiln::math::greater(row, 12);
          const Array mask_window = kiln::math::greater(numbers(DType::int8, kRows, columns + 10), 12);
          for (const DType dtype : {DType::int8, DType::int16}) {
            CAPTURE(std::string(kiln::name(dtype)));
            const Array wide = numbers(dtype, kRows, columns + 10);
            const Array plain = wide[{kiln::all, Slice{.stop = columns}}].copy();
            const std::vector<Exact> a = read(plain);
            const std::vector<Exact> b = read(row);
            for (const bool same_rows : {false, true}) {
              CAPTURE(same_rows);
              const Array out = target.place(numbers(dtype, kRows, columns));
              const std::vector<Exact> before = read(target.fetch(out));
              const Array mask = same_rows ? target.place(mask_row) : window(mask_window);
              target.call(copy, {window(wide)}, {.out = out, .where = mask});
              const std::vector<Exact> counts =
                  read(same_rows ? mask_row : mask_window[{kiln::all, Slice{.stop = columns}}].copy());
              std::vector<Exact> expected = before;
              for (std::size_t i = 0; i < expected.size(); ++i) {
                if (counts[i % counts.size()] != Exact(0)) expected[i] = a[i];
              }
              CHECK(difference(read(target.fetch(out)), expected) == "");
            }
            const Array result = target.place(numbers(dtype, kRows, columns));
            target.call(sum, {window(wide), target.place(row.astype(dtype)), window(wide)}, {.out = result});
            std::vector<Exact> expected = a;
            for (std::size_t i = 0; i < a.size(); ++i) expected[i] = a[i] + a[i] + b[i % b.size()];
            CHECK(difference(read(target.fetch(result)), expected) == "");
          }
        }
      },
      {Mode::device});
}

TEST_CASE("where: overlaps give the result on private copies") {
  on_every_device([&](const Target& target) {
    const Array x = mask_of(target, {1, 0, 1, 1, 0, 0, 1, 0});
    const Ufunc both = kiln::vectorize({.name = "both", .signatures = {"bool(bool a)"}, .body = "return !a;"});
    // The mask is the input and the output.
    target.call(both, {x}, {.out = x, .where = x});
    CHECK(difference(read(target.fetch(x)), {0, 0, 0, 0, 0, 0, 0, 0}) == "");
    const Array m = mask_of(target, {1, 0, 1, 1, 0, 0, 1, 0});
    // The mask is shifted by one beside the output.
    target.call(both, {m[{Slice{.stop = 7}}]}, {.out = m[{Slice{.start = 1}}], .where = m[{Slice{.stop = 7}}]});
    CHECK(difference(read(target.fetch(m)), {1, 0, 1, 0, 0, 0, 1, 0}) == "");
  });
}

TEST_CASE("where: several outputs, a mask of no axes, empty arrays") {
  const Ufunc divmod = kiln::vectorize(
      {.name = "divmod", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::int32, {17, 23, 40}));
    const Array q = target.place(make(DType::int64, {-1, -2, -3}));
    const Array r = target.place(make(DType::float32, {-4, -5, -6}));
    target.outputs(divmod, {a, 7}, {.out = {q, r}, .where = mask_of(target, {1, 0, 1})});
    CHECK(difference(read(target.fetch(q)), {2, -2, 5}) == "");
    CHECK(difference(read(target.fetch(r)), {3, -5, 5}) == "");
    const Array no = target.place(make(DType::bool_, {0}, kiln::Shape{}));
    const auto results = target.outputs(divmod, {a, 0}, {.where = no});
    CHECK(difference(read(target.fetch(results[0])), {0, 0, 0}) == "");
    const Array empty = target.place(Array::zeros({0, 3}, DType::int32));
    CHECK(target.call(combine(), {empty, a}, {.where = mask_of(target, {1, 0, 1})}).shape() == kiln::Shape{0, 3});
  });
}

TEST_CASE("where: what is wrong is said, and nothing is written") {
  const Array a = make(DType::int32, {1, 2, 3});
  const Array out = make(DType::int32, {7, 8, 9});
  const auto with = [&](const Array& where) {
    return [&combine = combine(), a, out, where] { combine({a, a}, {.out = out, .where = where}); };
  };
  CHECK(message_of<kiln::TypeError>(with(make(DType::int8, {1, 0, 1}))) ==
        "combine: cannot cast .where from int8 to bool; give a bool array, such as the result of a comparison");
  CHECK(
      message_of<kiln::ShapeError>(with(make(DType::bool_, {1, 0}))) ==
      "combine: shapes do not broadcast: input 0 (a) (3,), input 1 (b) (3,), .where (2,); extents must be equal or 1, counted "
      "from the last axis");
  CHECK(message_of<kiln::ShapeError>(with(Array::zeros({2, 3}, DType::bool_))) ==
        "combine: output 0 has shape (3,), the result has shape (2, 3); .out is never broadcast");
  CHECK(difference(read(out), {7, 8, 9}) == "");
  // Without out it enlarges the result.
  CHECK(combine()({a, a}, {.where = Array::zeros({2, 3}, DType::bool_)}).shape() == kiln::Shape{2, 3});
}

TEST_CASE("where: resolve tells casts and shapes") {
  const auto resolved = combine().resolve({make(DType::int32, {1, 2, 3}), make(DType::float64, {1, 2, 3})},
                                          {.out = Array::zeros({3}, DType::float32), .where = make(DType::bool_, {1, 0, 1})});
  CHECK(resolved.casts == std::vector<std::string>{"input 0 (a) from int32 to float64", "output 0 from float64 to float32"});
  CHECK(resolved.dtypes == std::vector<DType>(3, DType::float64));
}
