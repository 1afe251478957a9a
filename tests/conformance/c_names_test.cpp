// Names of C's and CUDA's: alike on every device.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::CompileOptions;
using kiln::DType;

namespace {

/// What an expression of a float32 `x` gives, as a float64.
double value_of(const Target& target, const std::string& expression, float x, const CompileOptions& compile = {}) {
  const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "k", .signatures = {"float64(float32 x)"}, .expression = expression, .compile = compile});
  return target.fetch(target.call(ufunc, {target.place(make(DType::float32, {x, x, x}))})).to_vector<double>()[1];
}

}  // namespace

TEST_CASE("C's names: functions of float compute in float") {
  struct Case {
    const char* text;
    double value;
  };
  const float x = 0.7F;
  const std::vector<Case> cases = {
      {"sqrtf(x)", std::sqrt(x)},
      {"sqrtf(2)", std::sqrt(2.0F)},
      {"sqrtf(2.0)", std::sqrt(2.0F)},
      {"rsqrtf(x)", 1 / std::sqrt(x)},
      {"cbrtf(x)", std::cbrt(x)},
      {"expf(x)", std::exp(x)},
      {"exp2f(x)", std::exp2(x)},
      {"expm1f(x)", std::expm1(x)},
      {"logf(x)", std::log(x)},
      {"log2f(x)", std::log2(x)},
      {"log10f(x)", std::log10(x)},
      {"log1pf(x)", std::log1p(x)},
      {"sinf(x)", std::sin(x)},
      {"cosf(x)", std::cos(x)},
      {"tanf(x)", std::tan(x)},
      {"asinf(x)", std::asin(x)},
      {"acosf(x)", std::acos(x)},
      {"atanf(x)", std::atan(x)},
      {"sinhf(x)", std::sinh(x)},
      {"coshf(x)", std::cosh(x)},
      {"tanhf(x)", std::tanh(x)},
      {"asinhf(x)", std::asinh(x)},
      {"acoshf(x + 1)", std::acosh(x + 1)},
      {"atanhf(x)", std::atanh(x)},
      {"fabsf(-x)", x},
      {"floorf(x)", 0},
      {"ceilf(x)", 1},
      {"truncf(-x)", 0},
      {"roundf(x)", 1},
      {"rintf(x)", 1},
      {"nearbyintf(x)", 1},
      {"erff(x)", std::erf(x)},
      {"erfcf(x)", std::erfc(x)},
      {"tgammaf(x)", std::tgamma(x)},
      {"lgammaf(x)", std::lgamma(x)},
      {"powf(x, 3)", std::pow(x, 3.0F)},
      {"fmodf(7, x)", std::fmod(7.0F, x)},
      {"remainderf(7, x)", std::remainder(7.0F, x)},
      {"hypotf(x, 1)", std::hypot(x, 1.0F)},
      {"atan2f(x, 2)", std::atan2(x, 2.0F)},
      {"copysignf(3, -x)", -3},
      {"fminf(x, 1) + fmaxf(x, 1)", x + 1.0F},
      {"fdimf(1, x)", std::fdim(1.0F, x)},
      {"fmaf(x, 2, 1)", std::fma(x, 2.0F, 1.0F)},
      {"nextafterf(1, 2)", std::nextafter(1.0F, 2.0F)},
      {"ldexpf(x, 3) + scalbnf(x, 1)", x * 8 + x * 2},
      {"lroundf(x) + llroundf(2.5f) + lrintf(2.5f) + llrintf(3.5f) + ilogbf(9)", 1 + 3 + 2 + 4 + 3},
      {"logbf(9)", 3},
      {"erfinvf(erff(x)) + erfcinvf(erfcf(x)) + normcdfinvf(normcdff(x))", 3.0 * x},
      {"erfcxf(x)", std::exp(0.49) * std::erfc(0.7)},
      {"j0f(x) + j1f(x) + jnf(2, x)", ::j0(0.7) + ::j1(0.7) + ::jn(2, 0.7)},
      {"y0f(x) + y1f(x) + ynf(2, x)", ::y0(0.7) + ::y1(0.7) + ::yn(2, 0.7)},
      {"cyl_bessel_i0f(x) + cyl_bessel_i1f(x)", 1.1263030 + 0.3718797},
      {"sinpif(x) + cospif(x)", std::sin(0.7 * M_PI) + std::cos(0.7 * M_PI)},
      {"rcbrtf(x) + rhypotf(x, 1) + norm3df(x, 1, 1) + rnorm4df(x, 1, 1, 1)",
       1 / std::cbrt(0.7) + 1 / std::hypot(0.7, 1) + std::sqrt(2.49) + 1 / std::sqrt(3.49)},
      {"fdividef(x, 2) + scalblnf(x, 2) + scalbln(1.0, -100000) + std::norm(x)", 0.35 + 2.8 + 0.49},
      {"[&] { float v[4] = {x, 0, 3e38f, 0}; double w[2] = {3, 4}; return normf(4, v) / 1e38 + rnorm(2, w) + normf(2, v); }()",
       3 + 0.2 + 0.7},
      {"sizeof(erfinvf(0.5)) + sizeof(j0f(1)) + sizeof(ynf(2, 1.0)) + sizeof(norm4df(1, 1, 1, 1))", 16},
      {"sizeof(expf(1.0)) + sizeof(powf(1.0, 2))", 8},
      {"exp10(2)", 100},
      {"exp10(x)", std::pow(10.0F, x)},
      {"exp10(double(x))", std::pow(10.0, static_cast<double>(x))},
      {"exp10f(x)", std::pow(10.0F, x)},
      {"labs(-3) + llabs(-4) + labs(long(x))", 7},
      {"popcount(7) + popcount(-1) + popcount(0xffull << 40) + std::popcount((unsigned char)255)", 3 + 32 + 8 + 8},
      {"M_PI_2 + M_PI_4 + M_1_PI + M_2_PI + M_2_SQRTPI + M_SQRT2 + M_SQRT1_2 + M_LN2 + M_LN10 + M_LOG2E + M_LOG10E",
       M_PI_2 + M_PI_4 + M_1_PI + M_2_PI + M_2_SQRTPI + M_SQRT2 + M_SQRT1_2 + M_LN2 + M_LN10 + M_LOG2E + M_LOG10E},
      {"FLT_MAX", static_cast<double>(std::numeric_limits<float>::max())},
      {"FLT_EPSILON + FLT_MIN", static_cast<double>(std::numeric_limits<float>::epsilon()) + std::numeric_limits<float>::min()},
      {"DBL_MAX", std::numeric_limits<double>::max()},
      {"double(INT_MAX) + UINT_MAX + INT64_MAX", 2147483647.0 + 4294967295.0 + 9223372036854775807.0},
      {"numeric_limits<int32>::max() + std::numeric_limits<float>::epsilon()", 2147483647.0 + 0x1p-23},
      {"numeric_limits<float32>::lowest()", static_cast<double>(std::numeric_limits<float>::lowest())},
      {"float(numeric_limits<float16>::max()) + float(numeric_limits<bfloat16>::epsilon())", 65504 + 0x1p-7},
      {"uchar(2) + uint(3) + ushort(4) + ulong(5)", 14},
      {"(HUGE_VALF == INFINITY) + (MAXFLOAT == FLT_MAX)", 2},
      {"(fpclassify(nan(\"\")) == FP_NAN) + (std::fpclassify(-INFINITY) == FP_INFINITE) + (fpclassify(x - x) == FP_ZERO)", 3},
      {"(fpclassify(x) == FP_NORMAL) + (fpclassify(DBL_MIN / 2) == FP_SUBNORMAL) + isnormal(x) + isnormal(0.0)", 3},
      {"std::lerp(x, 2 * x, 0.5f) + lerp(-1, 1, 0.75) + std::lerp(3.0, 7.0, 1.0) + lerp(2.0, 3.0, 2)", 1.5 * x + 0.5 + 7 + 4},
      {"std::minmax(x, 0.5f).first + std::minmax(2, 1).second", 0.5 + 2},
      {"std::gcd(12, 18) + std::to_integer<int>(std::byte(3))", 9},
      {"std::countl_zero(uint(12 + x)) + std::countr_zero(12u) + std::countl_one(uint8(0xe0)) + std::countr_one(7ull)",
       28 + 2 + 3 + 3},
      {"std::countl_zero(uint16(0)) + std::countr_zero(uint8(0)) + std::bit_width(uint64(1) << 40)", 16 + 8 + 41},
      {"std::bit_ceil(9u) + std::bit_floor(uint8(9)) + std::has_single_bit(8u) + std::rotl(uint8(0x81), 1) + std::rotr(1u, 31)",
       16 + 8 + 1 + 3 + 2},
      {"sizeof(std::invoke_result_t<double (*)(int), int>) + numeric_limits<std::uint8_t>::max() + std::bit_cast<int>(0.0f)",
       8 + 255},
      {"isnan(nan(\"\")) + isnan(nanf(\"\")) + (sizeof(nan(\"\")) == 8)", 3},
  };
  on_every_device([&](const Target& target) {
    for (const Case& each : cases) {
      CAPTURE(each.text);
      const double tolerance = std::abs(each.value) * 4e-7;
      CHECK(std::abs(value_of(target, each.text, x) - each.value) <= tolerance);
    }
  });
}

TEST_CASE("C's names: words of CUDA's language, NULL, and what a text defines itself") {
  const CompileOptions words{.functions = R"(
__constant__ float table[4] = {1, 2, 4, 8};
static __constant__ int counts[] = {5, 6};
struct __align__(16) four { float v[3]; };
static_assert(alignof(four) == 16);
__noinline__ __device__ float chosen(const float* p, int k) { return p == NULL ? -1.0f : p[k] * table[k]; }
__forceinline__ float both(float x, int k) {
  float here[4] = {x, x, x, x};
  float* none = NULL;
  return chosen(here, k) + chosen(none, 0) + counts[k & 1];
}
)"};
  const CompileOptions own{.functions =
                               "#define M_PI_2 2.5\n#ifndef FLT_MAX\n#define FLT_MAX 3.5f\n#endif\n"
                               "const float INT_MAX = 4; typedef unsigned int uint; float sqrtf(float) { return 8; }\n"
                               "float both(float x) { int array[2] = {1, 2}; return M_PI_2 + FLT_MAX + INT_MAX + uint(16) + "
                               "sqrtf(x) + array[1]; }"};
  on_every_device([&](const Target& target) {
    CHECK(value_of(target, "both(x, 2)", 3.0F, words) == 3 * 4 - 1 + 5);
    CHECK(value_of(target, "both(x)", 3.0F, own) == 2.5 + 3.5 + 4 + 16 + 8 + 2);
  });
}

TEST_CASE("__int128: products, quotients of every pair, and conversions") {
  __extension__ using wide = __int128;
  __extension__ using unsigned_wide = unsigned __int128;
  const kiln::Ufunc modular =
      kiln::vectorize({.name = "k",
                       .signatures = {"uint64(uint64 a, uint64 b, uint64 m)"},
                       .body = "unsigned __int128 p = (unsigned __int128)a * b; return (uint64)(p % m);"});
  const kiln::Ufunc quotient = kiln::vectorize(
      {.name = "k",
       .signatures = {"int64(int64 a, int64 b, int64 c)"},
       .body =
           "__int128 p = (__int128)a * b; __int128 d = c; if (c > 1000) d = d * c; return (int64)(p / d + p / 10 + p % d);"});
  const kiln::Ufunc floating = kiln::vectorize({.name = "k",
                                                .signatures = {"float64(int64 a, int64 b)"},
                                                .body = "return double((__int128)a * b) + float((unsigned __int128)a << 3);"});
  const std::vector<std::int64_t> a{6700417, -1234567890123456789, 9223372036854775807, INT64_MIN, 5, -77};
  const std::vector<std::int64_t> b{4294967297, 987654321987654321, -9223372036854775807, INT64_MIN, 7, 1};
  const std::vector<std::int64_t> c{97, -1, 1000000007, -3, 0, 1001};
  on_every_device([&](const Target& target) {
    const auto unsigned_of = [](const std::vector<std::int64_t>& list) {
      return Array::from(std::vector<std::uint64_t>(list.begin(), list.end()));
    };
    const std::vector<std::uint64_t> rests =
        target
            .fetch(target.call(modular,
                               {target.place(unsigned_of(a)), target.place(unsigned_of(b)), target.place(unsigned_of(c))}))
            .to_vector<std::uint64_t>();
    const std::vector<std::int64_t> quotients =
        target
            .fetch(target.call(quotient,
                               {target.place(Array::from(a)), target.place(Array::from(b)), target.place(Array::from(c))}))
            .to_vector<std::int64_t>();
    // Clang for GPUs and hipRTC convert no __int128 to floating numbers (docs/writing-kernels.md).
    const bool converts = target.device().kind() == kiln::DeviceKind::cpu;
    const std::vector<double> converted =
        !converts ? std::vector<double>()
                  : target.fetch(target.call(floating, {target.place(Array::from(a)), target.place(Array::from(b))}))
                        .to_vector<double>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      CAPTURE(i);
      const auto product = static_cast<unsigned_wide>(static_cast<std::uint64_t>(a[i])) * static_cast<std::uint64_t>(b[i]);
      CHECK(rests[i] == (c[i] == 0 ? 0 : static_cast<std::uint64_t>(product % static_cast<std::uint64_t>(c[i]))));
      const wide p = static_cast<wide>(a[i]) * b[i];
      wide d = c[i];
      if (c[i] > 1000) d = d * c[i];
      const wide expected = (d == 0 ? 0 : p / d) + p / 10 + (d == 0 ? 0 : p % d);
      CHECK(quotients[i] == static_cast<std::int64_t>(expected));
      const auto shifted = static_cast<float>(static_cast<unsigned_wide>(static_cast<wide>(a[i])) << 3);
      if (converts) CHECK(converted[i] == static_cast<double>(p) + static_cast<double>(shifted));
    }
  });
}

TEST_CASE("C's names: sincos has the bits of sin and cos") {
  const std::vector<double> angles = {0,
                                      -0.0,
                                      0.3,
                                      -1.2,
                                      1.5707963705062866,
                                      3.141592653589793,
                                      -22.5,
                                      1e4,
                                      -40000.75,
                                      105414.35,
                                      1e9,
                                      -3e20,
                                      0x1.fp127,
                                      1e-40,
                                      -7e-12,
                                      2.5,
                                      INFINITY,
                                      NAN};
  const auto each = [](const std::string& body, const char* signature, bool fast) {
    return kiln::vectorize({.name = "k", .signatures = {signature}, .body = body, .compile = {.fast_math = fast}});
  };
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const bool fast : {false, true}) {
        if (fast && target.device().kind() == kiln::DeviceKind::cpu) continue;
        const Array x = target.place(Array::from(angles).astype(dtype, kiln::Casting::unsafe));
        const auto both = each("sincos(x, &s, &c);", "(T s, T c)(T x) where T: float32, float64", fast).outputs<2>(x);
        const char* const of_one = "T(T x) where T: float32, float64";
        const Array want[] = {target.call(each("return sin(x);", of_one, fast), {x}),
                              target.call(each("return cos(x);", of_one, fast), {x})};
        for (std::size_t k = 0; k < 2; ++k) {
          const std::vector<double> got = target.fetch(both[k]).astype(DType::float64).to_vector<double>();
          const std::vector<double> alone = target.fetch(want[k]).astype(DType::float64).to_vector<double>();
          for (std::size_t i = 0; i < got.size(); ++i) {
            if (fast && !std::isfinite(angles[i])) continue;  // fast mathematics knows no such numbers
            CAPTURE(angles[i]);
            const bool same = std::isnan(alone[i])
                                  ? std::isnan(got[i])
                                  : std::bit_cast<std::int64_t>(got[i]) == std::bit_cast<std::int64_t>(alone[i]);
            CHECK(same);
          }
        }
      }
    }
  });
}
