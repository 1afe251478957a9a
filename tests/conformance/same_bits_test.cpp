// .compile.same_bits: functions have the same bits on every device and by every compiler. The digests are of fixed numbers;
// every target of a kernel is held to the same ones.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"
#include "same_bits_digests.hpp"

namespace {
namespace same_bits {  // whose names are those of other files, too

using conformance::message_of;
using conformance::Mode;
using conformance::on_every_device;
using conformance::Target;
using conformance::values_of;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

struct SplitMix {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};

/// What is special, and then half of all bit patterns, half from 2^-12 to 2^8.
template <class T>
std::vector<T> sample_of(std::uint64_t seed, std::size_t count) {
  using limits = std::numeric_limits<T>;
  std::vector<T> all{0,
                     T(-0.0),
                     1,
                     -1,
                     T(0.5),
                     T(-0.5),
                     2,
                     -2,
                     3,
                     -3,
                     limits::infinity(),
                     -limits::infinity(),
                     limits::quiet_NaN(),
                     limits::denorm_min(),
                     -limits::denorm_min(),
                     limits::min(),
                     limits::max(),
                     limits::lowest()};
  if (seed % 2 != 0) std::reverse(all.begin(), all.end());
  SplitMix random{seed};
  while (all.size() < count) {
    const std::uint64_t bits = random(), more = random();
    const bool any = more >> 63 == 0;
    if constexpr (sizeof(T) == 4) {
      const auto narrow = static_cast<std::uint32_t>(bits);
      const auto exponent = 127 - 12 + static_cast<std::uint32_t>(more % 20);
      all.push_back(std::bit_cast<T>(any ? narrow : (narrow & 0x807fffffU) | exponent << 23));
    } else {
      const std::uint64_t exponent = 1023 - 12 + more % 20;
      all.push_back(std::bit_cast<T>(any ? bits : (bits & 0x800fffffffffffffULL) | exponent << 52));
    }
  }
  return all;
}

/// FNV-1a of the numbers, to which every NaN is the same.
template <class T>
std::uint64_t digest_of(const std::vector<T>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T number : numbers) {
    const T known = std::isnan(number) ? std::numeric_limits<T>::quiet_NaN() : number;
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &known, sizeof known);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

template <class T>
const std::string kType = sizeof(T) == 4 ? "float32" : "float64";

template <class T>
Ufunc function_of(const Same& of, bool option = true) {
  const std::string complex = sizeof(T) == 4 ? "complex<float>" : "complex<double>";
  return kiln::vectorize(
      {.name = "same",
       .signatures = {kType<T> + "(" + kType<T> + " x" + (of.arguments == 1 ? ")" : ", " + kType<T> + " y)")},
       .body = (of.arguments < 0 ? "const " + complex + " z(x, y), w(y, x); " : std::string()) + of.body,
       .compile = {.same_bits = option}});
}

template <class T>
std::uint64_t digest_on(const Target& target, const Same& of, std::size_t count = 4099, bool option = true) {
  const Ufunc ufunc = function_of<T>(of, option);
  const Array x = target.place(Array::from(sample_of<T>(2, count)));
  const Array y = target.place(Array::from(sample_of<T>(3, count)));
  return digest_of(values_of<T>(target, of.arguments == 1 ? target.call(ufunc, {x}) : target.call(ufunc, {x, y})));
}

TEST_CASE("same bits: the digests of every function") {
  on_every_device(
      [](const Target& target) {
        for (const Same& of : kSame) {
          const std::uint64_t single = digest_on<float>(target, of), twice = digest_on<double>(target, of);
          CHECK_MESSAGE((single == of.single && twice == of.twice), "{\"", std::string(of.body), "\", ", of.arguments, ", ",
                        single, "ULL, ", twice, "ULL},");
        }
      },
      {Mode::host});
}

// For devices whose interpreters are slow.
TEST_CASE("same bits: a few numbers of every function are the CPU's") {
  if (!conformance::has_cpu()) return;
  const Target cpu(kiln::Device::cpu(), Mode::host);
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu()) return;
        for (const Same& of : kSame) {
          const std::string body = of.body;
          // They take registers of the matrix unit, which the executor of AMD's code does not have.
          if (body.starts_with("return jn") || body.starts_with("return yn")) continue;
          CHECK_MESSAGE(digest_on<float>(target, of, 64) == digest_on<float>(cpu, of, 64), body);
          CHECK_MESSAGE(digest_on<double>(target, of, 64) == digest_on<double>(cpu, of, 64), body);
        }
      },
      {Mode::host});
}

template <class T>
void check_fma(const Target& target) {
  static const Ufunc fused = kiln::vectorize({.name = "fused",
                                              .signatures = {"T(T x, T y, T z) where T: float32, float64"},
                                              .body = "return fma(x, y, z);",
                                              .compile = {.same_bits = true}});
  constexpr std::size_t kCount = 1 << 16;
  constexpr int digits = std::numeric_limits<T>::digits;
  std::vector<T> x = sample_of<T>(2, kCount), y = sample_of<T>(3, kCount), z = sample_of<T>(5, kCount);
  // Sums that cancel, or lie next to the middle of two numbers, or next to where numbers are subnormal.
  SplitMix random{7};
  for (std::size_t i = 100; i < kCount; ++i) {
    const T product = x[i] * y[i];
    const auto bits = random();
    if (i % 4 == 1) z[i] = -product;
    if (i % 4 == 2) z[i] = std::ldexp(product, static_cast<int>(bits % (2 * digits + 8)) - digits);
    if (i % 16 == 3) {
      const int up = std::ilogb(y[i]);
      if (up > -100000 && up < 100000) x[i] = std::ldexp(x[i], std::numeric_limits<T>::min_exponent - std::ilogb(x[i]) - up);
    }
  }
  const std::vector<T> got = values_of<T>(
      target, target.call(fused, {target.place(Array::from(x)), target.place(Array::from(y)), target.place(Array::from(z))}));
  for (std::size_t i = 0; i < kCount; ++i) {
    const T want = std::fma(x[i], y[i], z[i]);
    const bool equal = std::isnan(want) ? std::isnan(got[i]) : std::memcmp(&want, &got[i], sizeof(T)) == 0;
    if (!equal) {
      CHECK_MESSAGE(equal, "fma(", x[i], ", ", y[i], ", ", z[i], ") is ", got[i], ", not ", want);
      return;
    }
  }
}
TEST_CASE("same bits: a fused multiply-add rounds once, by processors without one, too") {
  on_every_device(
      [](const Target& target) {
        check_fma<float>(target);
        check_fma<double>(target);
      },
      {Mode::host});
}

TEST_CASE("same bits: special values are C's") {
  const double inf = INFINITY, nan = NAN;
  struct Value {
    std::string expression;
    double x, y, want;
  };
  const std::vector<Value> values{{"exp(x)", -inf, 0, 0},
                                  {"exp(x)", inf, 0, inf},
                                  {"exp(x)", -0.0, 0, 1},
                                  {"expm1(x)", -0.0, 0, -0.0},
                                  {"expm1(x)", -inf, 0, -1},
                                  {"log(x)", 0, 0, -inf},
                                  {"log(x)", -0.0, 0, -inf},
                                  {"log(x)", -1, 0, nan},
                                  {"log(x)", 1, 0, 0},
                                  {"log1p(x)", -1, 0, -inf},
                                  {"log1p(x)", -0.0, 0, -0.0},
                                  {"log1p(x)", -2, 0, nan},
                                  {"sin(x)", -0.0, 0, -0.0},
                                  {"sin(x)", inf, 0, nan},
                                  {"cos(x)", -inf, 0, nan},
                                  {"cos(x)", 0, 0, 1},
                                  {"tan(x)", -0.0, 0, -0.0},
                                  {"asin(x)", -0.0, 0, -0.0},
                                  {"asin(x)", 2, 0, nan},
                                  {"acos(x)", 1, 0, 0},
                                  {"atan(x)", -0.0, 0, -0.0},
                                  {"sinh(x)", -inf, 0, -inf},
                                  {"cosh(x)", -inf, 0, inf},
                                  {"tanh(x)", -inf, 0, -1},
                                  {"tanh(x)", -0.0, 0, -0.0},
                                  {"asinh(x)", -inf, 0, -inf},
                                  {"acosh(x)", 1, 0, 0},
                                  {"acosh(x)", 0, 0, nan},
                                  {"atanh(x)", 1, 0, inf},
                                  {"atanh(x)", -0.0, 0, -0.0},
                                  {"cbrt(x)", -inf, 0, -inf},
                                  {"cbrt(x)", -0.0, 0, -0.0},
                                  {"erf(x)", -inf, 0, -1},
                                  {"erf(x)", -0.0, 0, -0.0},
                                  {"erfc(x)", inf, 0, 0},
                                  {"erfc(x)", -inf, 0, 2},
                                  {"tgamma(x)", -0.0, 0, -inf},
                                  {"tgamma(x)", -1, 0, nan},
                                  {"tgamma(x)", inf, 0, inf},
                                  {"tgamma(x)", 5, 0, 24},
                                  {"lgamma(x)", 1, 0, 0},
                                  {"lgamma(x)", 2, 0, 0},
                                  {"lgamma(x)", -inf, 0, inf},
                                  {"lgamma(x)", -3, 0, inf},
                                  {"pow(x, y)", nan, 0, 1},
                                  {"pow(x, y)", 1, nan, 1},
                                  {"pow(x, y)", -0.0, -3, -inf},
                                  {"pow(x, y)", -0.0, 2, 0},
                                  {"pow(x, y)", -1, inf, 1},
                                  {"pow(x, y)", -inf, 3, -inf},
                                  {"pow(x, y)", -8, 1.5, nan},
                                  {"hypot(x, y)", nan, -inf, inf},
                                  {"atan2(x, y)", -0.0, 0, -0.0},
                                  {"atan2(x, y)", 0, 1, 0},
                                  {"fmin(x, y)", 0, -0.0, -0.0},
                                  {"fmax(x, y)", -0.0, 0, 0},
                                  {"fmin(x, y)", nan, 1, 1},
                                  {"fmax(x, y)", 1, nan, 1},
                                  {"fmod(x, y)", -6, 3, -0.0},
                                  {"exp2(x)", -1074, 0, 0x1p-1074}};
  on_every_device(
      [&](const Target& target) {
        for (const Value& value : values) {
          for (const bool single : {true, false}) {
            if (single && value.want != 0 && std::abs(value.want) < 1e-300) continue;
            const std::string type = single ? "float32" : "float64";
            const Ufunc ufunc = kiln::vectorize({.name = "special",
                                                 .signatures = {type + "(" + type + " x, " + type + " y)"},
                                                 .expression = value.expression,
                                                 .compile = {.same_bits = true}});
            const double got = values_of<double>(
                target,
                target
                    .call(ufunc,
                          {target.place(Array::from({value.x, value.x}).astype(single ? DType::float32 : DType::float64)),
                           target.place(Array::from({value.y, value.y}).astype(single ? DType::float32 : DType::float64))})
                    .astype(DType::float64))[1];
            CHECK_MESSAGE(
                (std::isnan(value.want) ? std::isnan(got) : got == value.want && std::signbit(got) == std::signbit(value.want)),
                value.expression, " of ", type, " ", value.x, ", ", value.y, " is ", got, ", not ", value.want);
          }
        }
      },
      {Mode::host});
}

TEST_CASE("same bits: KILN_SAME_BITS=1 asks for them of every kernel, and they reach fused ones") {
  const Same& sine = *std::find_if(std::begin(kSame), std::end(kSame),
                                   [](const Same& of) { return std::string(of.body) == "return sin(x);"; });
  const Target target(kiln::Device::best(), Mode::host);
  setenv("KILN_SAME_BITS", "1", 1);
  CHECK(digest_on<float>(target, sine, 4099, false) == sine.single);
  unsetenv("KILN_SAME_BITS");
  const Ufunc fused = kiln::fuse({.name = "fused_sine", .compile = {.same_bits = true}},
                                 [](const kiln::Expr& x) { return kiln::math::sin(x); });
  CHECK(digest_of(fused(Array::from(sample_of<double>(2, 4099))).to_vector<double>()) == sine.twice);
}

TEST_CASE("same bits: what would change them is refused") {
  const auto define = [](kiln::CompileOptions compile) {
    return message_of([&] {
      static_cast<void>(kiln::vectorize(
          {.name = "f", .signatures = {"float32(float32 a)"}, .expression = "a", .compile = std::move(compile)}));
    });
  };
  CHECK(define({.contract = true, .same_bits = true})
            .starts_with("f: .compile has both .same_bits and .contract, whose bits differ between devices; leave out "
                         ".contract or .same_bits"));
  const Ufunc quick = kiln::vectorize(
      {.name = "quick", .signatures = {"float32(float32 a)"}, .expression = "__expf(a)", .compile = {.same_bits = true}});
  CHECK(message_of([&] {
          quick(Array::from({1.0F}));
        }).find("__expf is approximate, and its bits differ between devices; with .same_bits write exp") != std::string::npos);
  CHECK(define({.fast_math = true, .same_bits = true}).starts_with("f: .compile has both .same_bits and .fast_math, whose"));
}

}  // namespace same_bits
}  // namespace
