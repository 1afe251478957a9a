// Division of integers in bodies: what C++ leaves undefined is defined, alike on every device and in every text.
#include <algorithm>
#include <array>
#include <limits>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

/// What kiln says of a / b and a % b; all else is C++'s.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0U - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T rest(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)) ? T(0) : static_cast<T>(a % b);
}

/// Every pair of the dtype's extremes and numbers around zero.
template <class T>
struct Pairs {
  std::vector<T> a, b, quotients, rests;

  Pairs() {
    using Limits = std::numeric_limits<T>;
    const std::array<T, 11> numbers = {T(0),   T(1),          static_cast<T>(-1),   T(2),          static_cast<T>(-3),  T(7),
                                       T(100), Limits::min(), T(Limits::min() + 1), Limits::max(), T(Limits::max() - 1)};
    for (const T x : numbers) {
      for (const T y : numbers) {
        a.push_back(x);
        b.push_back(y);
        quotients.push_back(quotient(x, y));
        rests.push_back(rest(x, y));
      }
    }
  }
};

template <class Body>
void for_each_integer(Body body) {
  const auto run = [&](auto value) {
    CAPTURE(kiln::name(kiln::dtype_of<decltype(value)>));
    body(value);
  };
  run(std::int8_t{});
  run(std::int16_t{});
  run(std::int32_t{});
  run(std::int64_t{});
  run(std::uint8_t{});
  run(std::uint16_t{});
  run(std::uint32_t{});
  run(std::uint64_t{});
}

}  // namespace

TEST_CASE("division: divmod of every pair of integers, by operators and by assignment") {
  static const kiln::Ufunc divmod =
      kiln::vectorize("(T q, T r, T p, T s)(T a, T b)", "q = a / b; r = a % b; p = a; p /= b; s = a; s %= b;");
  on_every_device([&](const Target& target) {
    for_each_integer([&](auto value) {
      using T = decltype(value);
      const Pairs<T> pairs;
      const std::vector<Array> found =
          target.outputs(divmod, {target.place(Array::from(pairs.a)), target.place(Array::from(pairs.b))});
      CHECK(values_of<T>(target, found[0]) == pairs.quotients);
      CHECK(values_of<T>(target, found[1]) == pairs.rests);
      CHECK(values_of<T>(target, found[2]) == pairs.quotients);
      CHECK(values_of<T>(target, found[3]) == pairs.rests);
    });
  });
}

TEST_CASE("division: of narrow integers every pair, and with fast mathematics") {
  on_every_device(
      [&](const Target& target) {
        for (const bool fast : {false, true}) {
          const kiln::Ufunc divmod = kiln::vectorize(
              {.signatures = {"(T q, T r)(T a, T b)"}, .body = "q = a / b; r = a % b;", .compile = {.fast_math = fast}});
          const auto check = [&](auto value, int step) {
            using T = decltype(value);
            CAPTURE(kiln::name(kiln::dtype_of<T>));
            std::vector<T> a, b, quotients, rests;
            for (int x = std::numeric_limits<T>::min(); x <= std::numeric_limits<T>::max(); x += step) {
              for (int y = std::numeric_limits<T>::min(); y <= std::numeric_limits<T>::max(); y += step) {
                a.push_back(static_cast<T>(x));
                b.push_back(static_cast<T>(y));
                quotients.push_back(quotient(a.back(), b.back()));
                rests.push_back(rest(a.back(), b.back()));
              }
            }
            const std::vector<Array> found =
                target.outputs(divmod, {target.place(Array::from(a)), target.place(Array::from(b))});
            CHECK(values_of<T>(target, found[0]) == quotients);
            CHECK(values_of<T>(target, found[1]) == rests);
            // Whose reciprocals are no floats.
            for (const T scalar : {T(41), T(47), T(49), T(55), T(61), T(0)}) {
              std::vector<T> by;
              for (const T each : a) by.push_back(quotient(each, scalar));
              CHECK(values_of<T>(target, target.outputs(divmod, {target.place(Array::from(a)), scalar})[0]) == by);
            }
          };
          check(std::int8_t{}, 1);
          check(std::uint8_t{}, 1);
          check(std::int16_t{}, 127);
          check(std::uint16_t{}, 129);
        }
      },
      {Mode::device});
}

TEST_CASE("division: by a scalar, of a scalar, by a literal, and under a mask") {
  static const kiln::Ufunc divide = kiln::vectorize("T(T a, T b)", "return a / b;");
  static const kiln::Ufunc by_zero = kiln::vectorize({.signatures = {"T(T a)"}, .expression = "a / 0 + a % (1 - 1)"});
  static const kiln::Ufunc negated = kiln::vectorize("T(T a)", "return a / -1;");
  on_every_device([&](const Target& target) {
    for_each_integer([&](auto value) {
      using T = decltype(value);
      const Pairs<T> pairs;
      const Array a = target.place(Array::from(pairs.a));
      for (const T scalar : {T(0), static_cast<T>(-1), T(3)}) {
        std::vector<T> by;
        std::vector<T> of;
        for (const T x : pairs.a) by.push_back(quotient(x, scalar));
        for (const T x : pairs.a) of.push_back(quotient(scalar, x));
        CHECK(values_of<T>(target, target.call(divide, {a, scalar})) == by);
        CHECK(values_of<T>(target, target.call(divide, {scalar, a})) == of);
      }
      CHECK(values_of<T>(target, target.call(by_zero, {a})) == std::vector<T>(pairs.a.size()));
      if (std::is_signed_v<T>) {
        std::vector<T> opposite;
        for (const T x : pairs.a) opposite.push_back(quotient(x, static_cast<T>(-1)));
        CHECK(values_of<T>(target, target.call(negated, {a})) == opposite);
      }
      std::vector<T> masked = pairs.quotients;
      std::vector<std::uint8_t> counts(masked.size());
      for (std::size_t i = 0; i < masked.size(); ++i) {
        counts[i] = i % 3 != 0 ? 1 : 0;
        if (i % 3 == 0) masked[i] = 0;
      }
      const Array where = target.place(Array::from(counts).astype(DType::bool_));
      CHECK(values_of<T>(target, target.call(divide, {a, target.place(Array::from(pairs.b))}, {.where = where})) == masked);
    });
  });
}

TEST_CASE("division: the types are C++'s") {
  static const kiln::Ufunc narrow =
      kiln::vectorize("int32(int8 a, int8 b)", "static_assert(same<decltype(a / b), int>); return a / b;");
  static const kiln::Ufunc mixed =
      kiln::vectorize("uint32(int32 a, uint32 b)", "static_assert(same<decltype(a % b), unsigned>); return a / b;");
  static const kiln::Ufunc others = kiln::vectorize({.signatures = {"float64(int32 a, float64 b)"}, .body = R"(
    enum letter { x = 6 };
    const bool yes = a > 0;
    const complex128 z = complex128(b) / a;
    return a / b + yes / 1 + x / a + (z.re - b / a) + (3 / (complex128(1) * b)).re;)"});
  on_every_device([&](const Target& target) {
    const std::vector<std::int8_t> least = {-128};
    const std::vector<std::int8_t> divisor = {-1};
    CHECK(values_of<std::int32_t>(
              target, target.call(narrow, {target.place(Array::from(least)), target.place(Array::from(divisor))})) ==
          std::vector<std::int32_t>{128});
    CHECK(target
              .fetch(target.call(mixed, {target.place(Array::from(std::vector<std::int32_t>{-6})),
                                         target.place(Array::from(std::vector<std::uint32_t>{4}))}))
              .to_vector<std::uint32_t>() == std::vector<std::uint32_t>{1073741822});
    CHECK(target
              .fetch(target.call(others, {target.place(Array::from(std::vector<std::int32_t>{2})),
                                          target.place(Array::from(std::vector<double>{0.5}))}))
              .to_vector<double>() == std::vector<double>{4 + 1 + 3 + 0 + 6});
  });
}

TEST_CASE("division: in functions, the preamble, macros, defines and constants") {
  static const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "texts",
                       .signatures = {"int64(int64 a, int64 b)"},
                       .body = R"(
    int64 bins[WIDTH / kParts] = {a / b, a % b, RATIO(a, b), divided(a, b)};
    switch (int(a)) {
      case 9 / kParts: bins[3] += 1000;
    }
    return bins[0] + 10 * bins[1] + 100 * bins[2] + 1000 * bins[3] + 10000 * fraction<3>::of(b) + by_class(a, b);)",
                       .compile = {.preamble = "#define RATIO(x, y) ((x) / (y))\nconstexpr int kParts = 6 / (1 + 1);\n",
                                   .functions = R"(
    template <class T> T divided(T a, T b) { return a / b; }
    template <int N> struct fraction { static int64 of(int64 b) { return N / b; } };
    struct number {
      int64 value;
      friend number operator/(const number& a, const number& b) { return {a.value * b.value}; }
      template <class S> number& operator/=(const S& b) { value += b; return *this; }
    };
    int64 by_class(int64 a, int64 b) {
      number n = number{a} / number{b};
      n /= 5;
      n /= b;
      return n.value;
    })",
                                   .defines = {"WIDTH=(36 / kParts)"}}});
  on_every_device([&](const Target& target) {
    const std::vector<std::int64_t> a = {8, 3, 7};
    const std::vector<std::int64_t> b = {3, 0, -1};
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::int64_t q = quotient(a[i], b[i]);
      const std::int64_t last = q + (a[i] == 3 ? 1000 : 0);
      expected.push_back(q + 10 * rest(a[i], b[i]) + 100 * q + 1000 * last + 10000 * quotient<std::int64_t>(3, b[i]) +
                         a[i] * b[i] + 5 + b[i]);
    }
    CHECK(values_of<std::int64_t>(target, target.call(ufunc, {target.place(Array::from(a)), target.place(Array::from(b))})) ==
          expected);
  });
}

TEST_CASE("division: in generalized ufuncs, of elements that are converted, too") {
  static const kiln::Gufunc divide = kiln::guvectorize("(n),(n)->(n),(n),(n)", "void(T[:] a, T[:] b, T[:] q, T[:] r, T[:] p)",
                                                       R"(
    for (index i = 0; i < n; ++i) {
      q(i) = a(i);
      q(i) /= b(i);
      r(i) = a(i) % b(i);
      p(i) = a(i);
      p(i) = p(i) / b(i) + i / (n - n);
    })");
  on_every_device([&](const Target& target) {
    for_each_integer([&](auto value) {
      using T = decltype(value);
      const Pairs<T> pairs;
      const auto size = static_cast<std::int64_t>(pairs.a.size());
      const Array a = target.place(Array::from(pairs.a));
      const Array b = target.place(Array::from(pairs.b));
      for (const DType stored : {kiln::dtype_of<T>, DType::float64}) {
        if (sizeof(T) == 8 && stored == DType::float64) continue;
        std::vector<Array> out;
        for (int k = 0; k < 3; ++k) out.push_back(target.place(Array::zeros({size}, stored)));
        kiln::GufuncOptions options{.out = {out[0], out[1], out[2]}};
        options.stream = target.options().stream;
        (void)divide.outputs<3>({a, b}, options);
        CHECK(target.fetch(out[0]).astype(kiln::dtype_of<T>).template to_vector<T>() == pairs.quotients);
        CHECK(target.fetch(out[1]).astype(kiln::dtype_of<T>).template to_vector<T>() == pairs.rests);
        CHECK(target.fetch(out[2]).astype(kiln::dtype_of<T>).template to_vector<T>() == pairs.quotients);
      }
    });
  });
}

TEST_CASE("division: in raw kernels") {
  static const kiln::RawKernel divide = kiln::kernel({.name = "divide",
                                                      .signature = "void(const T[:] a, T[:] b, T[:] r)",
                                                      .body = "r[item] = a[item] % b[item];\nb[item] = a[item] / b[item];"});
  on_every_device([&](const Target& target) {
    for_each_integer([&](auto value) {
      using T = decltype(value);
      const Pairs<T> pairs;
      const Array b = target.place(Array::from(pairs.b));
      const Array r = target.place(Array::zeros({static_cast<std::int64_t>(pairs.a.size())}, kiln::dtype_of<T>));
      kiln::LaunchOptions options{.size = static_cast<std::int64_t>(pairs.a.size())};
      options.stream = target.options().stream;
      divide(options, target.place(Array::from(pairs.a)), b, r);
      CHECK(values_of<T>(target, b) == pairs.quotients);
      CHECK(values_of<T>(target, r) == pairs.rests);
    });
  });
}

TEST_CASE("division: in every stage of a reduction") {
  static const kiln::Reduction sum = kiln::reduction({.name = "sum_of_quotients",
                                                      .signatures = {"int64(T a, T b)"},
                                                      .accumulator = "int64 sum = 1 / (1 - 1);",
                                                      .map = "return {int64(a / b) + int64(a % b)};",
                                                      .reduce = "return {a.sum + b.sum + a.sum / (b.sum - b.sum)};",
                                                      .post = "return a.sum / -1 * -1 + one % (a.sum - a.sum);",
                                                      .identity = "{6 / (1 - 1)}",
                                                      .compile = {.functions = "constexpr int64 one = 4 / 3;"}});
  on_every_device([&](const Target& target) {
    for_each_integer([&](auto value) {
      using T = decltype(value);
      const Pairs<T> pairs;
      std::uint64_t all = 0;
      std::uint64_t some = 0;
      std::vector<std::uint8_t> counts(pairs.a.size());
      for (std::size_t i = 0; i < pairs.a.size(); ++i) {
        // As C++ promotes: MIN / -1 of narrow integers is no MIN.
        const bool promoted = sizeof(T) < sizeof(int) && pairs.b[i] != 0;
        const auto q =
            promoted ? static_cast<std::int64_t>(pairs.a[i] / pairs.b[i]) : static_cast<std::int64_t>(pairs.quotients[i]);
        const std::uint64_t term =
            static_cast<std::uint64_t>(q) + static_cast<std::uint64_t>(static_cast<std::int64_t>(pairs.rests[i]));
        counts[i] = i % 2 != 0 ? 1 : 0;
        all += term;
        if (counts[i] != 0) some += term;
      }
      const Array a = target.place(Array::from(pairs.a));
      const Array b = target.place(Array::from(pairs.b));
      CHECK(target.fetch(sum({a, b}, reduction_on(target))).template item<std::int64_t>() == static_cast<std::int64_t>(all));
      const Array where = target.place(Array::from(counts).astype(DType::bool_));
      CHECK(target.fetch(sum({a, b}, reduction_on(target, {.where = where}))).template item<std::int64_t>() ==
            static_cast<std::int64_t>(some));
    });
  });
}

TEST_CASE("division: operators of the user's own on enumerations are the ones that C++ finds") {
  on_every_device([&](const Target& target) {
    const kiln::Ufunc f = kiln::vectorize({.name = "f",
                                           .signatures = {"int32(int32 b)"},
                                           .body = "const E x = one, y = two; int32 z = b; z /= y; return x / y + b / y + z;",
                                           .compile = {.functions = "enum E { one, two }; int operator/(E, E) { return 9; }\n"
                                                                    "int operator/(int, E) { return 30; }\n"
                                                                    "int& operator/=(int& a, E) { return a = 100; }"}});
    CHECK(list_of(target.fetch(target.call(f, {target.place(Array::from<std::int32_t>({7}))}))) == std::vector<double>{139});
  });
}

TEST_CASE("division: by a number that is zero for some of neighbouring elements, in a loop") {
  constexpr std::uint32_t kBits = 31;
  const kiln::Ufunc f =
      kiln::vectorize({.name = "f",
                       .signatures = {"uint32(int64 b)"},
                       .body = "uint32 r = 0; for (uint32 k = 0; k < 31; k += 2) { const uint32 d = uint32(8) >> (r & 31); "
                               "const uint32 m = min(r, uint32(b)); const uint32 q = d != 0 ? uint32(b) / d : "
                               "uint32(b); r = m != 0 ? q / m : q; } return r;"});
  const auto expected = [](std::int64_t b) {
    const auto number = static_cast<std::uint32_t>(b);
    std::uint32_t r = 0;
    for (std::uint32_t k = 0; k < kBits; k += 2) {
      const std::uint32_t d = 8U >> (r & kBits);
      const std::uint32_t m = std::min(r, number);
      const std::uint32_t q = d != 0 ? number / d : number;
      r = m != 0 ? q / m : q;
    }
    return r;
  };
  std::vector<std::int64_t> numbers;
  std::vector<std::uint32_t> results;
  for (std::int64_t i = 0; i < 1000; ++i) {
    numbers.push_back(i % 3 == 0 ? i * 9'176'741'129 : i % 20 - 8);
    results.push_back(expected(numbers.back()));
  }
  on_every_device([&](const Target& target) {
    CHECK(values_of<std::uint32_t>(target, target.call(f, {target.place(Array::from(numbers))})) == results);
  });
}

TEST_CASE("division: an element at an index of a division, in a loop that changes it now and then") {
  on_every_device([](const Target& target) {
    const kiln::Gufunc gufunc = kiln::guvectorize({.name = "now_and_then",
                                                   .layout = "(n)->(n)",
                                                   .signatures = {"void(uint32[:] x, uint32[:] y)"},
                                                   .body = "for (index i = 0; i < n; ++i) y(i) = changed(x(i)) * 2 + i % 2;",
                                                   .compile = {.functions = R"(
        uint32 changed(uint32 v) {
          uint32 all[4] = {10, 11, 12, 13};
          for (int32 k = 1; k <= 25; ++k) {
            if (k % 2 == 0) all[(~v != 0 ? v % ~v : v) & 3] = v;
          }
          return all[v & 3];
        })"}});
    std::vector<std::uint32_t> x;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t v = 0; v < 66; ++v) {
      x.push_back(v);
      expected.push_back(v * 2 + v % 2);
    }
    const Array result = gufunc({target.place(Array::from(x))});
    CHECK(values_of<std::uint32_t>(target, result) == expected);
  });
}

TEST_CASE("division: of what a loop does not change, in a branch of it, as an index") {
  // The index, and what it is.
  struct Index {
    const char* text;
    std::int64_t (*of)(std::int64_t i, std::int64_t n);
  };
  constexpr Index kIndices[] = {
      {"70 % n", [](std::int64_t, std::int64_t n) { return 70 % n; }},
      {"6790 / n % n", [](std::int64_t, std::int64_t n) { return 6790 / n % n; }},
      {"(i + 70 % n) % n", [](std::int64_t i, std::int64_t n) { return (i + 70 % n) % n; }},
      {"i + index(uint64(k) % uint64(n))", [](std::int64_t i, std::int64_t) { return i; }},
      {"(70 % n) % (n / 2 + 1)", [](std::int64_t, std::int64_t n) { return 70 % n % (n / 2 + 1); }},
      {"i / n * n + i % n", [](std::int64_t i, std::int64_t) { return i; }},
  };
  on_every_device([&](const Target& target) {
    for (const Index& index : kIndices) {
      CAPTURE(std::string(index.text));
      const std::string chosen = "const int32 v = x(i); y(i) = v ? v : x(" + std::string(index.text) + ");";
      const auto gufunc = [&](const char* each, const std::string& body) {
        return kiln::guvectorize({.name = "f",
                                  .layout = "(n),()->(n)",
                                  .signatures = {"void(int32[:] x, int64 k, int32[:] y)"},
                                  .each = each,
                                  .body = body});
      };
      const kiln::Gufunc loop = gufunc("", "for (index i = 0; i < n; ++i) { " + chosen + " }");
      const kiln::Gufunc each = gufunc("i:n", chosen);
      for (const std::int64_t n : {96, 7, 1000}) {
        const std::int64_t items = n == 1000 ? 3 : 100;
        std::vector<std::int32_t> x;
        for (std::int64_t e = 0; e < items * n; ++e)
          x.push_back((e * 7 + e / 13) % 3 != 0 ? static_cast<std::int32_t>(e % 91) + 1 : 0);
        std::vector<std::int32_t> expected;
        for (std::int64_t e = 0; e < items * n; ++e) {
          const auto at = static_cast<std::size_t>(e / n * n + index.of(e % n, n));
          expected.push_back(x[static_cast<std::size_t>(e)] != 0 ? x[static_cast<std::size_t>(e)] : x[at]);
        }
        const Array numbers = target.place(Array::from(x).reshape({items, n}));
        const Array k = target.place(Array::from(std::vector<std::int64_t>{0}).reshape({}));
        CHECK(values_of<std::int32_t>(target, loop({numbers, k})) == expected);
        CHECK(values_of<std::int32_t>(target, each({numbers, k})) == expected);
      }
    }
  });
}

TEST_CASE("division: by the index of .each, where the body asks whether it is zero and only some iterations divide") {
  const kiln::Gufunc divide = kiln::guvectorize(
      {.layout = "(n)->(n)", .signatures = {"void(int32[:] x, int32[:] r)"}, .each = "i:n", .body = R"(int32 seen[16];
for (int32 k = 0; k < 16; ++k) seen[k] = k + 5;
int32 found = 0;
for (int32 k = 0; k < 2; ++k) {
  if (seen[6] != 0) { seen[int32(i) & 15] = 0; continue; }
  found = 100 + (int32(i) != 0 ? 20 % int32(i) : 7);
}
r(i) = found;)"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::zeros({93, 16}, DType::int32));
    const Array r = target.fetch(divide(x, {.stream = target.options().stream, .device = target.options().device}));
    std::int64_t wrong = 0;
    for (std::int64_t k = 0; k < r.size(); ++k) wrong += r.as<std::int32_t>()[k] != (k % 16 == 6 ? 102 : 0) ? 1 : 0;
    CHECK(wrong == 0);
  });
}

TEST_CASE("division: as an index to store at, in a branch of a loop") {
  on_every_device([](const Target& target) {
    const kiln::Gufunc last = kiln::guvectorize({.name = "last",
                                                 .layout = "(n)->(n)",
                                                 .signatures = {"void(int32[:] x, int32[:] y)"},
                                                 .body = "for (index i = 0; i < n; ++i) y(i) = 0; "
                                                         "for (index i = 0; i < n; ++i) if (x(i)) y(70 % n) = x(i);"});
    constexpr std::int64_t kN = 99;
    std::vector<std::int32_t> x(kN, 0);
    x[5] = 3;
    x[41] = 7;
    x[60] = 9;
    std::vector<std::int32_t> expected(kN, 0);
    expected[70] = 9;
    CHECK(values_of<std::int32_t>(target, last({target.place(Array::from(x))})) == expected);
  });
}

TEST_CASE("division: of what is made an int8 of a wider integer's lower bits") {
  const auto defined = [](const std::string& type, const std::string& op) {
    return kiln::vectorize({.name = "narrowed",
                            .signatures = {"int64(int16 v)"},
                            .body = "const " + type + " d = 6; return " + type + "(" + type + "(uint32(4) - uint32(" + type +
                                    "(v))) " + op + " d);"});
  };
  std::vector<std::int16_t> numbers;
  for (int i = 0; i < 500; ++i) numbers.push_back(static_cast<std::int16_t>(i * 467 % 6000 - 3000));
  const auto check = [&](const Target& target, auto of, const std::string& type) {
    using T = decltype(of);
    CAPTURE(type);
    std::vector<std::int64_t> quotients;
    std::vector<std::int64_t> rests;
    for (const std::int16_t v : numbers) {
      const T narrow = static_cast<T>(4U - static_cast<unsigned>(static_cast<T>(v)));
      quotients.push_back(static_cast<T>(narrow / 6));
      rests.push_back(static_cast<T>(narrow % 6));
    }
    const Array in = target.place(Array::from(numbers));
    CHECK(values_of<std::int64_t>(target, target.call(defined(type, "/"), {in})) == quotients);
    CHECK(values_of<std::int64_t>(target, target.call(defined(type, "%"), {in})) == rests);
  };
  on_every_device([&](const Target& target) {
    check(target, std::int8_t{}, "int8");
    check(target, std::uint8_t{}, "uint8");
  });
}
