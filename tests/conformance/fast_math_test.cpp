// What .fast_math leaves exact: integers, the conversions of halves, remainders and products with powers of 2. Their own texts
// divide and compare floating numbers, which the user's text lets a compiler approximate. And how far NVIDIA's approximate
// instructions are off, by NVRTC or Clang.
#include <kiln/fuse.hpp>
#include <kiln/math.hpp>

#include <cmath>
#include <string>

#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

namespace {

Ufunc fast(const std::string& signature, const std::string& body) {
  return kiln::vectorize({.name = "fast", .signatures = {signature}, .body = body, .compile = {.fast_math = true}});
}

constexpr const char* kSignature = "T(T a, T b) where T: int8, uint8, int16, uint16, int32, uint32, int64";

/// Multiples of divisors, and the numbers before and behind them.
struct Quotients {
  std::vector<Exact> a, b, quotient, remainder;
};
Quotients quotients(long largest) {
  Quotients all;
  for (long b = 1; b <= 127; ++b) {
    for (const long k : {1L, 2L, 3L, 7L, largest / b}) {
      for (long a = k * b - 1; a <= k * b + 1; ++a) {
        if (a < 0 || a > largest) continue;
        all.a.emplace_back(a);
        all.b.emplace_back(b);
        all.quotient.emplace_back(a / b);
        all.remainder.emplace_back(a % b);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("fast math: quotients of integers are exact") {
  const Ufunc quotient = fast(kSignature, "return floor_divide(a, b);");
  const Ufunc remainder = fast(kSignature, "return truncated_remainder(a, b);");
  const Ufunc fused = kiln::fuse({.name = "fused", .compile = {.fast_math = true}},
                                 [](kiln::Expr x, kiln::Expr y) { return kiln::math::remainder(x, y); });
  on_every_device(
      [&](const Target& target) {
        for (const auto& [dtype, largest] : {std::pair{DType::int8, 127L},
                                             {DType::uint8, 255L},
                                             {DType::int16, 32767L},
                                             {DType::uint16, 65535L},
                                             {DType::int32, 2147483647L},
                                             {DType::uint32, 4294967295L},
                                             {DType::int64, 1L << 60}}) {
          CAPTURE(std::string(kiln::name(dtype)));
          const Quotients all = quotients(largest);
          const Array a = target.place(make(dtype, all.a));
          const Array b = target.place(make(dtype, all.b));
          CHECK(difference(read(target.fetch(target.call(quotient, {a, b}))), all.quotient) == "");
          CHECK(difference(read(target.fetch(target.call(remainder, {a, b}))), all.remainder) == "");
          CHECK(difference(read(target.fetch(target.call(fused, {a, b}))), all.remainder) == "");
        }
        // One divisor for all: a product with its inverse would do, if that were exact.
        for (const int divisor : {41, 47, 49, 98, 103, 107}) {
          const long double b = divisor;
          CAPTURE(b);
          const Array a = target.place(make(DType::int32, {0, b - 1, b, b + 1, 2 * b, 3 * b, 1000 * b - 1, 1000 * b}));
          CHECK(difference(read(target.fetch(target.call(quotient, {a, divisor}))), {0, 0, 1, 1, 2, 3, 999, 1000}) == "");
          CHECK(difference(read(target.fetch(target.call(remainder, {a, divisor}))), {0, b - 1, 0, 1, 0, 0, b - 1, 0}) == "");
        }
      },
      {Mode::device});
}

TEST_CASE("fast math: remainders of floating numbers are exact") {
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
          CAPTURE(std::string(kiln::name(dtype)));
          const Ufunc remainder = kiln::fuse({.name = "fused", .compile = {.fast_math = true}},
                                             [](kiln::Expr x, kiln::Expr y) { return kiln::math::fmod(x, y); });
          const Array a = target.place(make(dtype, {48, 49, 50, 98, 147, 206, 205, 83, 166}));
          const Array b = target.place(make(dtype, {49, 49, 49, 49, 49, 103, 103, 83, 83}));
          CHECK(difference(read(target.fetch(target.call(remainder, {a, b}))), {48, 0, 1, 0, 0, 0, 102, 0, 0}) == "");
        }
      },
      {Mode::device});
}

TEST_CASE("fast math: halves are made of float64, too") {
  const Ufunc product = fast("float16(float16 a, float64 b)", "return float(a * b);");
  const Ufunc length = fast("float16(float16 a, float16 b)", "return hypot(a, b);");
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(make(DType::float16, {3, 5, 8, 20}));
        const Array b = target.place(make(DType::float16, {4, 12, 15, 21}));
        const Array half = target.place(make(DType::float64, {0.5, 0.5, 0.5, 0.5}));
        CHECK(difference(read(target.fetch(target.call(product, {a, half}))), {1.5, 2.5, 4, 10}) == "");
        CHECK(difference(read(target.fetch(target.call(length, {a, b}))), {5, 13, 17, 29}, 0.02L) == "");
      },
      {Mode::device});
}

TEST_CASE("fast math: ldexp reaches from the smallest to the largest numbers") {
  const Ufunc scaled = fast("float64(float64 a, int32 n)", "return ldexp(a, n);");
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(make(DType::float64, {0x1p-1000L, 0x1p1000L, 0x1.8p-500L, 3}));
        const Array n = target.place(make(DType::int32, {1500, -1500, 1300, -2}));
        CHECK(difference(read(target.fetch(target.call(scaled, {a, n}))), {0x1p500L, 0x1p-500L, 0x1.8p800L, 0.75L}) == "");
      },
      {Mode::device});
}

// CUDA C++ Programming Guide, "Intrinsic Functions": the bounds of -use_fast_math.
TEST_CASE("fast math: on NVIDIA's GPUs functions are within the bounds of CUDA's intrinsic ones") {
  struct Function {
    const char* body;
    long double (*reference)(long double a, long double b);
    long double (*ulp)(long double a);  ///< relative to the result, where no absolute bound holds
    long double (*absolute)(long double a);
  };
  static constexpr auto kNone = [](long double) { return 0.0L; };
  static constexpr auto kNear1 = [](long double a, long double bound) { return a >= 0.5L && a <= 2 ? bound : 0.0L; };
  const Function functions[] = {
      {"return a / b;", [](long double a, long double b) { return a / b; }, [](long double) { return 2.0L; }, kNone},
      {"return 1 / a;", [](long double a, long double) { return 1 / a; }, [](long double) { return 1.0L; }, kNone},
      {"return sqrt(a);", [](long double a, long double) { return std::sqrt(a); }, [](long double) { return 1.0L; }, kNone},
      {"return rsqrt(a);", [](long double a, long double) { return 1 / std::sqrt(a); }, [](long double) { return 2.0L; },
       kNone},
      {"return exp(b);", [](long double, long double b) { return std::exp(b); }, [](long double) { return 2 + 3.0L; }, kNone},
      {"return exp2(b);", [](long double, long double b) { return std::exp2(b); }, [](long double) { return 2.0L; }, kNone},
      {"return log(a);", [](long double a, long double) { return std::log(a); }, [](long double) { return 3.0L; },
       [](long double a) { return kNear1(a, std::exp2(-21.41L)); }},
      {"return log2(a);", [](long double a, long double) { return std::log2(a); }, [](long double) { return 2.0L; },
       [](long double a) { return kNear1(a, std::exp2(-22.0L)); }},
      {"return log10(a);", [](long double a, long double) { return std::log10(a); }, [](long double) { return 3.0L; },
       [](long double a) { return kNear1(a, std::exp2(-24.0L)); }},
      {"return sin(b);", [](long double, long double b) { return std::sin(b); }, kNone,
       [](long double) { return std::exp2(-21.41L); }},
      {"return cos(b);", [](long double, long double b) { return std::cos(b); }, kNone,
       [](long double) { return std::exp2(-21.19L); }},
  };
  on_every_device(
      [&](const Target& target) {
        if (target.device().kind() != kiln::DeviceKind::cuda) return;
        std::vector<Exact> a;
        std::vector<Exact> b;
        auto random = random_source(71);
        std::uniform_real_distribution<float> within(-3.14F, 3.14F);
        for (int i = 0; i < 1000; ++i) {
          a.emplace_back(std::exp2(6 * within(random)));
          b.emplace_back(within(random));
        }
        a = read(make(DType::float32, a));
        b = read(make(DType::float32, b));
        const Array x = target.place(make(DType::float32, a));
        const Array y = target.place(make(DType::float32, b));
        for (const Function& function : functions) {
          CAPTURE(std::string(function.body));
          const std::vector<Exact> got =
              read(target.fetch(target.call(fast("float32(float32 a, float32 b)", function.body), {x, y})));
          int wrong = 0;
          for (std::size_t i = 0; i < a.size(); ++i) {
            const long double want = function.reference(a[i].real(), b[i].real());
            const long double bound =
                std::max(function.absolute(a[i].real()),
                         function.ulp(a[i].real()) * std::exp2(std::floor(std::log2(std::abs(want))) - 23));
            if (!(std::abs(got[i].real() - want) <= bound + std::abs(want) * 0x1p-24L)) ++wrong;
          }
          CHECK(wrong == 0);
        }
        // tan and pow are made of the others.
        const Array tangent = target.call(fast("float32(float32 a, float32 b)", "return tan(b / 4);"), {x, y});
        const Array power = target.call(fast("float32(float32 a, float32 b)", "return pow(a, b);"), {x, y});
        std::vector<Exact> tangents;
        std::vector<Exact> powers;
        for (std::size_t i = 0; i < a.size(); ++i) {
          tangents.emplace_back(std::tan(b[i].real() / 4));
          powers.emplace_back(std::pow(a[i].real(), b[i].real()));
        }
        CHECK(difference(read(target.fetch(tangent)), tangents, 1e-6L, 1e-6L) == "");
        CHECK(difference(read(target.fetch(power)), powers, 1e-4L) == "");
        // Subnormal numbers count as 0.
        const Array tiny = target.place(make(DType::float32, {0x1p-130L, 0x1p-126L}));
        CHECK(difference(read(target.fetch(target.call(fast("float32(float32 a)", "return a * 2;"), {tiny}))),
                         {0, 0x1p-125L}) == "");
      },
      {Mode::device});
}
