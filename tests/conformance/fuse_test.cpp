// kiln::fuse against what it stands for: the same function on arrays, one ufunc after the other. Bit for bit, errors included.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Arg;
using kiln::Array;
using kiln::DType;
using kiln::Expr;
using kiln::Ufunc;
namespace math = kiln::math;

namespace {

/// Both sides of every comparison are written once, over kiln::math: on Exprs it is what is fused, on arrays and scalars it is
/// the composition.
constexpr auto kDiscriminant = [](const auto& a, const auto& b, const auto& c) {
  return math::sqrt(math::subtract(math::multiply(b, b), math::multiply(math::multiply(4, a), c)));
};
constexpr auto kPolynomial = [](const auto& a, const auto& b) {
  return math::add(math::multiply(math::add(a, 2), b), math::multiply(a, a));
};
/// Results of several dtypes go on as inputs.
constexpr auto kMixed = [](const auto& a, const auto& b) {
  return math::multiply(math::maximum(a, b), math::add(math::less(a, b), math::divide(b, 3)));
};

bool same(long double a, long double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Empty where dtype, shape and every bit are the same (NaNs count as equal).
std::string bits_differ(const Array& got, const Array& expected) {
  if (got.dtype() != expected.dtype()) {
    return "dtype " + std::string(name(got.dtype())) + ", expected " + std::string(name(expected.dtype()));
  }
  if (!(got.shape() == expected.shape()))
    return "shape " + to_string(got.shape()) + ", expected " + to_string(expected.shape());
  const std::vector<Exact> a = read(got);
  const std::vector<Exact> b = read(expected);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same(a[i].real(), b[i].real()) && same(a[i].imag(), b[i].imag())) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a[i].real()) + ", expected " + std::to_string(b[i].real());
  }
  return {};
}

std::vector<Exact> values_for(DType dtype, std::uint64_t stream) {
  auto random = random_source(stream);
  std::vector<Exact> values;
  for (int i = 0; i < 70; ++i) {
    const auto bits = static_cast<std::int64_t>(random());
    const long double small = static_cast<long double>(bits % 2000) / (i % 2 == 0 ? 1 : 64);
    switch (kind(dtype)) {
      case kiln::Kind::boolean:
        values.emplace_back(bits & 1);
        break;
      case kiln::Kind::integer:
        values.emplace_back(i % 3 == 0 ? bits : bits % 100);
        break;
      case kiln::Kind::floating:
        values.emplace_back(small);
        break;
      case kiln::Kind::complex:
        values.emplace_back(small, static_cast<long double>(bits >> 40) / 4096);
        break;
    }
  }
  if (kind(dtype) >= kiln::Kind::floating) {
    for (const long double special : {0.0L, -0.0L, static_cast<long double>(INFINITY), -static_cast<long double>(INFINITY),
                                      static_cast<long double>(NAN), 65504.0L, 1e-7L}) {
      values.emplace_back(special);
    }
  } else {
    values.resize(77);
  }
  return values;
}

struct Outcome {
  std::optional<Array> array;
  std::string error;
};
template <class Call>
Outcome outcome(Call call) {
  try {
    return {call(), ""};
  } catch (const kiln::TypeError& error) {
    return {std::nullopt, error.what()};
  }
}

/// What the composition says, after the name of the fused function.
void compare(const Outcome& fused, const Outcome& composed) {
  REQUIRE_MESSAGE(fused.array.has_value() == composed.array.has_value(), "fused: ", fused.error,
                  "; composed: ", composed.error);
  if (fused.array) {
    CHECK(bits_differ(*fused.array, *composed.array) == "");
  } else if (fused.error.find("does not fit") == std::string::npos) {
    CHECK(fused.error == "in fused \"f\": " + composed.error);
  }
}

}  // namespace

TEST_CASE("fuse: pairs of dtypes give what the ufuncs give one after the other") {
  const Ufunc polynomial = kiln::fuse("f", [](Expr a, Expr b) { return kPolynomial(a, b); });
  const Ufunc mixed = kiln::fuse("f", [](Expr a, Expr b) { return kMixed(a, b); });
  count_case();
  std::size_t ran = 0;
  // Every second pair at most, by the seed.
  const std::size_t step = std::max<std::size_t>(one_in(), 2);
  std::size_t pair = random_source(0)() % step;
  for (const kiln::Device& device : devices()) {
    const Target target(device, Mode::device);
    INFO("on ", target.name());
    for (const DType first : kEveryDType) {
      const Array a = target.place(make(first, values_for(first, 1)));
      for (const DType second : kEveryDType) {
        if (pair++ % step != 0) continue;
        INFO(std::string(name(first)), ", ", std::string(name(second)));
        const Array b = target.place(make(second, values_for(second, 2)));
        const Outcome fused = outcome([&] { return polynomial(a, b); });
        compare(fused, outcome([&] { return kPolynomial(a, b); }));
        ran += std::size_t{fused.array.has_value()};
        if ((static_cast<int>(first) + static_cast<int>(second)) % 3 == 0) {
          compare(outcome([&] { return mixed(a, b); }), outcome([&] { return kMixed(a, b); }));
        }
      }
    }
  }
  CHECK(ran >= 200 / step);
}

TEST_CASE("fuse: C++ scalars are weak in every use") {
  // The scalar stands beside two dtypes: it takes each one's.
  constexpr auto two_uses = [](const auto& a, const auto& b, const auto& s) {
    return math::add(math::multiply(a, s), math::multiply(b, s));
  };
  constexpr auto alone = [](const auto& a, const auto& s) { return math::multiply(math::multiply(s, 3), a); };
  const Ufunc both = kiln::fuse("f", [=](Expr a, Expr b, Expr s) { return two_uses(a, b, s); });
  const Ufunc own = kiln::fuse("f", [=](Expr a, Expr s) { return alone(a, s); });
  on_every_device(
      [&](const Target& target) {
        for (const DType first :
             {DType::int8, DType::uint64, DType::float16, DType::bfloat16, DType::float32, DType::complex64}) {
          const Array a = target.place(make(first, values_for(first, 3)));
          for (const DType second : {DType::bool_, DType::int16, DType::float32, DType::float64}) {
            INFO(std::string(name(first)), ", ", std::string(name(second)));
            const Array b = target.place(make(second, values_for(second, 4)));
            const auto with = [&](const auto& scalar) {
              compare(outcome([&] { return both(a, b, scalar); }), outcome([&] { return two_uses(a, b, scalar); }));
            };
            with(true);
            with(7);
            with(300);  // does not fit in int8
            with(std::int64_t{-1});
            with(0.1);
            with(std::numeric_limits<double>::quiet_NaN());
          }
          const auto with = [&](const auto& scalar) {
            compare(outcome([&] { return own(a, scalar); }), outcome([&] { return alone(a, scalar); }));
          };
          with(5);
          with(std::int64_t{1} << 40);
          with(0.1F);
          with(std::complex<double>(0.1, -2));
        }
        CHECK(bits_differ(target.fetch(both(2, 3, 0.5)), two_uses(2, 3, 0.5)) == "");
      },
      {Mode::device});
}

TEST_CASE("fuse: an integer that does not fit is refused where it is used") {
  const Ufunc scaled =
      kiln::fuse({.name = "scaled", .parameters = {"x", "y", "s"}}, [](Expr x, Expr y, Expr s) { return x * s + y * s; });
  const Array small = Array::zeros({3}, DType::int8);
  const Array large = Array::zeros({3}, DType::int32);
  CHECK(
      message_of<kiln::TypeError>([&] { scaled(small, small, 300); }) ==
      "scaled: the integer 300 given as input 2 (s) does not fit in int8, the dtype of the loop int8(int8 x, int8 y, int8 s)");
  CHECK(message_of<kiln::TypeError>([&] { scaled(small, large, 300); }) ==
        "scaled: the integer 300 given as input 2 (s) does not fit in int8, the dtype of the loop int32(int8 x, int32 y, int32 "
        "s)");
  CHECK(bits_differ(scaled(small, large, 100), large) == "");
  // Beside an int8 and a float64: it stays int64 until it is used.
  const Ufunc twice = kiln::fuse("twice", [](Expr a, Expr b) { return (a + b) * (a * 1.5 + b > 0.0); });
  const Array first = Array::zeros({1}, DType::int64);
  CHECK(message_of<kiln::TypeError>([&] {
          twice.at(small, first, 300);
        }).starts_with("twice.at: the integer 300 given as the second operand does not fit in int8, the dtype of the loop "));
  twice.at(small, first, 100);
  CHECK(small.to_vector<std::int8_t>() == std::vector<std::int8_t>{100, 0, 0});
}

TEST_CASE("fuse: constants are what they are as arguments") {
  on_every_device(
      [&](const Target& target) {
        const auto check = [&](DType dtype, const auto& constant) {
          INFO(std::string(name(dtype)), " with ", std::string(name(kiln::Arg(constant).dtype())));
          const Array x = target.place(make(dtype, values_for(dtype, 5)));
          const Ufunc fused = kiln::fuse("f", [&](Expr e) { return math::add(e, constant); });
          compare(outcome([&] { return fused(x); }), outcome([&] { return math::add(x, constant); }));
        };
        for (const DType dtype : kEveryDType) {
          check(dtype, true);
          check(dtype, -3);
          check(dtype, 0.1);
          check(dtype, -std::numeric_limits<double>::infinity());
          check(dtype, std::numeric_limits<float>::quiet_NaN());
          check(dtype, std::complex<float>(0.1F, -1e-40F));
        }
        check(DType::int64, std::numeric_limits<std::int64_t>::min());
        check(DType::uint64, std::numeric_limits<std::uint64_t>::max());
        check(DType::float64, 5e-324);
        check(DType::float32, -0.0);
        check(DType::float16, 65519.0);
        check(DType::bfloat16, 1.00390625);
        check(DType::int8, 128);
      },
      {Mode::device});
}

TEST_CASE("fuse: halves are rounded after every ufunc") {
  const Ufunc fused = kiln::fuse("f", [](Expr a, Expr b) { return (a + b) - a; });
  on_every_device([&](const Target& target) {
    for (const DType half : {DType::float16, DType::bfloat16}) {
      const Array a = target.place(make(half, {2048, 1, 65504}));
      const Array b = target.place(make(half, {1, 1e-4L, 65504}));
      // 2049 and 1.0001 are between two halves; of bfloat16 65504 is, too.
      const long double largest = half == DType::float16 ? static_cast<long double>(INFINITY) : 65536;
      CHECK(difference(read(target.fetch(target.call(fused, {a, b}))), {0, 0, largest}) == "");
    }
  });
}

TEST_CASE("fuse: several outputs, parameters as outputs, and ufuncs of several outputs") {
  const Ufunc polar = kiln::fuse("polar", [](Expr x, Expr y) { return std::array{math::hypot(x, y), math::arctan2(y, x)}; });
  const Ufunc split = kiln::fuse("split", [](Expr x) {
    const auto [mantissa, exponent] = math::frexp.outputs<2>(x);
    return std::vector<Expr>{exponent, x, math::ldexp(mantissa, exponent) == x};
  });
  on_every_device([&](const Target& target) {
    const Array x = target.place(make(DType::float32, {3, -1, 0.5L}));
    const Array y = target.place(make(DType::float32, {4, 1, -0.0L}));
    const std::vector<Array> both = target.outputs(polar, {x, y});
    CHECK(bits_differ(target.fetch(both[0]), target.fetch(math::hypot(x, y))) == "");
    CHECK(bits_differ(target.fetch(both[1]), target.fetch(math::arctan2(y, x))) == "");
    const std::vector<Array> parts = target.outputs(split, {x});
    CHECK(difference(read(target.fetch(parts[0])), {2, 1, 0}) == "");
    CHECK(bits_differ(target.fetch(parts[1]), target.fetch(x)) == "");
    CHECK(parts[2].dtype() == DType::bool_);
    CHECK(difference(read(target.fetch(parts[2])), {1, 1, 1}) == "");
  });
  const std::string several = message_of<kiln::TypeError>([&] { polar(1.0, 2.0); });
  CHECK(several == "polar has 2 outputs: call outputs<2>() instead of operator()");
}

TEST_CASE("fuse: it is called as any ufunc is: broadcasting, views, out, overlap, casts") {
  const Ufunc disc = kiln::fuse({.name = "disc", .parameters = {"a", "b", "c"}},
                                [](Expr a, Expr b, Expr c) { return math::sqrt(b * b - 4 * a * c); });
  CHECK(disc.name() == "disc");
  CHECK(disc.nin() == 3);
  CHECK(disc.nout() == 1);
  on_every_device([&](const Target& target) {
    const auto numbers = [](int count, int first) {
      std::vector<Exact> values;
      for (int i = 0; i < count; ++i) values.emplace_back(first + i);
      return values;
    };
    const Array a = target.place(make(DType::float32, numbers(300, 1), kiln::Shape{20, 15}));
    const Array row = target.place(make(DType::float32, numbers(15, 100)));
    const Array wide = target.place(make(DType::float64, numbers(40, 50)));
    const Array column = wide[{kiln::Slice{0, 40, 2}}].reshape({20, 1});
    const Array expected = target.fetch(kDiscriminant(a, row, column));
    CHECK(expected.dtype() == DType::float64);
    CHECK(bits_differ(target.fetch(target.call(disc, {a, row, column})), expected) == "");
    CHECK(bits_differ(target.fetch(target.call(disc, {a.transpose(), 7, 0.5F})),
                      target.fetch(kDiscriminant(a.transpose(), 7, 0.5F))) == "");
    // In place, shifted by one, and into other dtypes: integer scalars alone make b*b int32, and the difference float64.
    const Array same = target.place(make(DType::float32, numbers(300, 1)));
    const Array in_place = target.fetch(kDiscriminant(same, 50, same)).astype(DType::float32);
    target.call(disc, {same, 50, same}, {.out = same});
    CHECK(bits_differ(target.fetch(same), in_place) == "");
    const Array line = target.place(make(DType::float32, numbers(301, 1)));
    const Array shifted = target.fetch(kDiscriminant(line[{kiln::Slice{0, 300}}], 2, 1)).astype(DType::float32);
    target.call(disc, {line[{kiln::Slice{0, 300}}], 2, 1}, {.out = line[{kiln::Slice{1, 301}}]});
    CHECK(bits_differ(target.fetch(line[{kiln::Slice{1, 301}}]), shifted) == "");
    const Array half = target.place(Array::zeros({20, 15}, DType::float16));
    target.call(disc, {a, row, 1}, {.out = half});
    CHECK(bits_differ(target.fetch(half), target.fetch(kDiscriminant(a, row, 1).astype(DType::float16))) == "");
  });
  // Masked elements keep what they had.
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::float32, {1, 2, 3, 4}));
    const Array mask = target.place(make(DType::bool_, {1, 0, 0, 1}));
    const Array out = target.place(make(DType::float64, {-1, -2, -3, -4}));
    target.call(disc, {a, 8, a}, {.out = out, .where = mask});
    const std::vector<Exact> all = read(target.fetch(kDiscriminant(a, 8, a)));
    CHECK(difference(read(target.fetch(out)), {all[0], -2, -3, all[3]}) == "");
  });
  const kiln::Resolution resolved = disc.resolve({Array::zeros({3}, DType::float32), 2, 0.5});
  CHECK(resolved.loop == "float64(float32 a, int32 b, float32 c)");
  CHECK(resolved.dtypes.back() == DType::float64);
}

TEST_CASE("fuse: operators stand for NumPy's ufuncs") {
  const auto check = [](const auto& symbolic, const auto& plain, DType dtype) {
    const Array x = make(dtype, {-7, 0, 5, 3});
    const Array y = make(dtype, {2, 3, -5, 3});
    const Ufunc fused = kiln::fuse("f", [&](Expr a, Expr b) { return symbolic(a, b); });
    CHECK(bits_differ(fused(x, y), plain(x, y)) == "");
  };
#define SAME(operation, function)                                                                                        \
  check([](const Expr& a, const Expr& b) { return operation; }, [](const Array& a, const Array& b) { return function; }, \
        DType::int32)
  SAME(a + b, math::add(a, b));
  SAME(a - b, math::subtract(a, b));
  SAME(a * b, math::multiply(a, b));
  SAME(a / b, math::divide(a, b));
  SAME(a % b, math::remainder(a, b));
  SAME(-a + +b, math::add(math::negative(a), math::positive(b)));
  SAME(a == b, math::equal(a, b));
  SAME(a != b, math::not_equal(a, b));
  SAME(a < b, math::less(a, b));
  SAME(a <= b, math::less_equal(a, b));
  SAME(a > b, math::greater(a, b));
  SAME(a >= b, math::greater_equal(a, b));
  SAME(a & b, math::bitwise_and(a, b));
  SAME(a | b, math::bitwise_or(a, b));
  SAME(a ^ b, math::bitwise_xor(a, b));
  SAME(~a << (b & 3), math::left_shift(math::invert(a), math::bitwise_and(b, 3)));
  SAME(a >> (b & 3), math::right_shift(a, math::bitwise_and(b, 3)));
  SAME(a && b, math::logical_and(a, b));
  SAME(!(a || b), math::logical_not(math::logical_or(a, b)));
  SAME(3 - a + b, math::add(math::subtract(3, a), b));
  SAME((3 == b) == a, math::equal(math::equal(3, b), a));
  SAME(2.5 / b - a, math::subtract(math::divide(2.5, b), a));
#undef SAME
  const Ufunc compound = kiln::fuse("f", [](Expr a, Expr b) {
    a += b;
    a *= 3;
    a -= b;
    a /= 2;
    return a;
  });
  CHECK(compound(5, 1).item<double>() == 8.5);
}

TEST_CASE("fuse: users' ufuncs keep their texts to themselves") {
  // The same names mean other things in each of them.
  const Ufunc twice = kiln::vectorize({.name = "twice",
                                       .signatures = {"T(T x) where T: int32, float64"},
                                       .body = "return scale(x) + OFFSET;",
                                       .compile = {.preamble = "#define OFFSET T(10)\nconst int factor = 2;",
                                                   .functions = "T scale(T x) { return factor * x; }",
                                                   .defines = {"UNUSED=x"}}});
  const Ufunc thrice = kiln::vectorize({.name = "thrice",
                                        .signatures = {"float64(float64 OFFSET)"},
                                        .expression = "scale(OFFSET)",
                                        .compile = {.preamble = "const int factor = 3;",
                                                    .functions = "float64 scale(float64 UNUSED) { return FACTOR * UNUSED; }",
                                                    .defines = {"FACTOR=factor"}}});
  const Ufunc halves = kiln::vectorize(
      {.name = "halves", .signatures = {"(int32 q, int32 r)(int32 x)"}, .body = "q = x / 2; r = x % 2; // remainder"});
  const Ufunc fused = kiln::fuse("f", [&](Expr x) {
    const auto [q, r] = halves.outputs<2>(x);
    return twice(q) + thrice(twice(0.5 * r));
  });
  on_every_device([&](const Target& target) {
    const Array x = target.place(make(DType::int32, {7, 8}));
    // 2*3 + 10 + 3*(2*0.5 + 10), 2*4 + 10 + 3*10
    CHECK(difference(read(target.fetch(target.call(fused, {x}))), {49, 48}) == "");
  });
}

TEST_CASE("fuse: headers are read once and serve all that include them") {
  const std::map<std::string, std::string> headers = {
      {"shared.hpp", "#pragma once\ninline float64 shift(float64 x) { return x + BY; }\n"}};
  const Ufunc up =
      kiln::vectorize({.name = "up",
                       .signatures = {"float64(float64 x)"},
                       .body = "return shift(x);",
                       .compile = {.preamble = "#include \"shared.hpp\"", .headers = headers, .defines = {"BY=5"}}});
  const Ufunc down =
      kiln::vectorize({.name = "down",
                       .signatures = {"float64(float64 x)"},
                       .body = "return -shift(-x);",
                       .compile = {.preamble = "#include \"shared.hpp\"\n", .headers = headers, .defines = {"BY=5"}}});
  const Ufunc fused = kiln::fuse("f", [&](Expr x) { return std::array{up(x), down(x), up(up(x))}; });
  on_every_device([&](const Target& target) {
    const std::vector<Array> results = target.outputs(fused, {target.place(make(DType::float64, {1}))});
    CHECK(difference(read(target.fetch(results[0])), {6}) == "");
    CHECK(difference(read(target.fetch(results[1])), {-4}) == "");
    CHECK(difference(read(target.fetch(results[2])), {11}) == "");
  });
}

TEST_CASE("fuse: a fused ufunc inside another is part of it") {
  const Ufunc norm = kiln::fuse("norm", [](Expr x, Expr y) { return math::sqrt(x * x + y * y); });
  const Ufunc sum_and_norm = kiln::fuse("sum_and_norm", [&](Expr x, Expr y) { return std::array{x + y, norm(x, y), Expr(x)}; });
  const Ufunc outer = kiln::fuse("outer", [&](Expr a, Expr b) {
    const auto [sum, length, first] = sum_and_norm.outputs<3>(a, 2 * b);
    return sum / length + norm(first, 1);
  });
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::int16, DType::float16, DType::float64}) {
      const Array a = target.place(make(dtype, {3, -1}));
      const Array b = target.place(make(dtype, {2, 1}));
      const auto length = [](const auto& x, const auto& y) {
        return math::sqrt(math::add(math::multiply(x, x), math::multiply(y, y)));
      };
      const Array doubled = math::multiply(2, b);
      const Array expected = math::add(math::divide(math::add(a, doubled), length(a, doubled)), length(a, 1));
      CHECK(bits_differ(target.fetch(target.call(outer, {a, b})), target.fetch(expected)) == "");
    }
  });
}

TEST_CASE("fuse: a fused ufunc of two inputs reduces") {
  const Ufunc longest = kiln::fuse({.name = "longest", .parameters = {"a", "b"}},
                                   [](Expr a, Expr b) { return math::maximum(math::absolute(a), math::absolute(b)); });
  const Array x = make(DType::float32, {3, -7, 2, 1, -4, -9}, kiln::Shape{2, 3});
  CHECK(difference(read(longest.reduce(x)), {3, 7, 9}) == "");
  CHECK(difference(read(longest.reduce(x, {.axis = 1, .dtype = DType::float64})), {7, 9}) == "");
  const Ufunc compares = kiln::fuse("compares", [](Expr a, Expr b) { return a < b; });
  CHECK(message_of<kiln::TypeError>([&] { compares.reduce(x); })
            .starts_with(
                "compares.reduce: the loop bool(float32 x0, float32 x1) that runs for float32 does not give what it takes"));
}

TEST_CASE("fuse: a fused ufunc of two inputs has every method, with the identity and order that are given") {
  on_every_device([](const Target& target) {
    const Ufunc joined = kiln::fuse({.name = "joined", .parameters = {"a", "b"}, .identity = "0", .reorderable = true},
                                    [](Expr a, Expr b) { return a + b + a * b; });
    CHECK(joined.identity() == "0");
    CHECK(joined.reorderable());
    const kiln::Stream stream = target.options().stream;
    // 1 + joined is the product of what is 1 larger.
    const Array x = target.place(make(DType::int32, {1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    CHECK(difference(read(target.fetch(joined.reduce(x, {.axis = kiln::all_axes, .stream = stream}))), {5039}) == "");
    CHECK(difference(read(target.fetch(joined.reduce(x, {.axis = 1, .initial = 1, .stream = stream}))), {47, 419}) == "");
    CHECK(difference(
              read(target.fetch(joined.reduce(target.place(make(DType::int32, {}, kiln::Shape{0, 2})), {.stream = stream}))),
              {0, 0}) == "");
    CHECK(difference(read(target.fetch(joined.accumulate(x, {.axis = 1, .stream = stream}))), {1, 5, 23, 4, 29, 209}) == "");
    CHECK(difference(read(target.fetch(
                         joined.reduceat(x, make(DType::int64, {0, 2, 1}, kiln::Shape{3}), {.axis = 1, .stream = stream}))),
                     {5, 3, 11, 29, 6, 41}) == "");
    CHECK(difference(
              read(target.fetch(joined.outer(target.place(make(DType::int32, {1, 2}, kiln::Shape{2})),
                                             target.place(make(DType::int32, {3, 4, 5}, kiln::Shape{3})), {.stream = stream}))),
              {7, 9, 11, 11, 14, 17}) == "");
    const Array counts = target.place(make(DType::int32, {0, 0, 0}, kiln::Shape{3}));
    joined.at(counts, make(DType::int64, {2, 0, 2, -1}, kiln::Shape{4}),
              target.place(make(DType::int32, {1, 2, 3, 4}, kiln::Shape{4})), {.stream = stream});
    CHECK(difference(read(target.fetch(counts)), {2, 0, 39}) == "");
  });
  CHECK(message_of<kiln::TypeError>([] { (void)kiln::fuse({.name = "f", .identity = "0"}, [](Expr a) { return a + 1; }); }) ==
        "fused \"f\" cannot have an identity: only a ufunc of two inputs and one output has one");
  CHECK(message_of<kiln::CompileError>([] {
          (void)kiln::fuse({.name = "f", .identity = "(0"}, [](Expr a, Expr b) { return a + b; });
        }).starts_with("f.identity:1:1: error"));
}
