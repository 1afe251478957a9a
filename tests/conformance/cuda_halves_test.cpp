// cuda_fp16.h and cuda_bf16.h on every device: halves and pairs of them, each function rounded once. Expected values are exact
// sums and products, rounded here.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/cupy_raw.hpp"
#include "kiln/half.hpp"
#include "kiln/kernel.hpp"
#include "kiln/ufunc.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::RawKernel;

namespace {

struct HalfFormat {
  DType dtype;
  int digits;
  int least_exponent;
  int largest_exponent;
  std::string header, half, pair;
  std::vector<double> values;
};

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

const HalfFormat kFormats[] = {
    {DType::float16,
     11,
     -14,
     15,
     "cuda_fp16.h",
     "half",
     "half2",
     {0,     -0.0,   1,     -1,     0.5,  1.0009765625, -1.5,           3,         1.0 / 1024, 6e-8,
      -6e-8, 6.1e-5, 65504, -65504, 2048, 2050,         0.333251953125, kInfinite, -kInfinite, kNotANumber}},
    {DType::bfloat16, 8, -126, 127, "cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat162", {0,           -0.0,       1,
                                                                                       -1,          0.5,        1.0078125,
                                                                                       -1.5,        3,          1.0 / 1024,
                                                                                       0x1p-45,     256,        258,
                                                                                       0.333984375, 0x1p-40,    -0x1.8p3,
                                                                                       0x1p30,      1.5,        kInfinite,
                                                                                       -kInfinite,  kNotANumber}},
};

/// To the nearest number of the format, ties to even.
double half_rounded(long double x, const HalfFormat& format) {
  if (x == 0 || !std::isfinite(x)) return static_cast<double>(x);
  const int exponent = std::max(std::ilogb(x), format.least_exponent) - (format.digits - 1);
  const long double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -exponent)), exponent);
  return std::abs(rounded) >= std::ldexp(1.0L, format.largest_exponent + 1) ? std::copysign(kInfinite, static_cast<double>(x))
                                                                            : static_cast<double>(rounded);
}

using Real = long double;
struct HalfOperation {
  const char* text;  // of p, q and r
  std::function<Real(Real x, Real y, Real z)> of_one;
};

Real clamped(Real x) {
  return x > 0 ? std::min<Real>(x, 1) : 0;
}
Real larger(Real x, Real y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}

const std::vector<HalfOperation> kHalfOperations = {
    {"__hadd2(p, q)", [](Real x, Real y, Real) { return x + y; }},
    {"__hsub2(p, q)", [](Real x, Real y, Real) { return x - y; }},
    {"__hmul2(p, q)", [](Real x, Real y, Real) { return x * y; }},
    {"__h2div(p, q)", [](Real x, Real y, Real) { return x / y; }},
    {"__hfma2(p, q, r)", [](Real x, Real y, Real z) { return x * y + z; }},
    {"PAIR(__hfma(p.x, q.x, r.x), __hfma(p.y, q.y, r.y))", [](Real x, Real y, Real z) { return x * y + z; }},
    {"p + q", [](Real x, Real y, Real) { return x + y; }},
    {"p - q", [](Real x, Real y, Real) { return x - y; }},
    {"p * q", [](Real x, Real y, Real) { return x * y; }},
    {"p / q", [](Real x, Real y, Real) { return x / y; }},
    {"__hneg2(p)", [](Real x, Real, Real) { return -x; }},
    {"__habs2(p)", [](Real x, Real, Real) { return std::abs(x); }},
    {"__hadd2_sat(p, q)", [](Real x, Real y, Real) { return clamped(x + y); }},
    {"__hfma2_sat(p, q, r)", [](Real x, Real y, Real z) { return clamped(x * y + z); }},
    {"__hmax2(p, q)", [](Real x, Real y, Real) { return larger(x, y); }},
    {"__hmin2(p, q)", [](Real x, Real y, Real) { return -larger(-x, -y); }},
    {"__hmax2_nan(p, q)",
     [](Real x, Real y, Real) { return std::isnan(x) || std::isnan(y) ? Real(kNotANumber) : larger(x, y); }},
    {"__heq2(p, q)", [](Real x, Real y, Real) { return Real(x == y); }},
    {"__hne2(p, q)", [](Real x, Real y, Real) { return Real(x < y || x > y); }},
    {"__hneu2(p, q)", [](Real x, Real y, Real) { return Real(x != y); }},
    {"__hgt2(p, q)", [](Real x, Real y, Real) { return Real(x > y); }},
    {"__hgtu2(p, q)", [](Real x, Real y, Real) { return Real(!(x <= y)); }},
    {"__hle2(p, q)", [](Real x, Real y, Real) { return Real(x <= y); }},
    {"__hisnan2(p)", [](Real x, Real, Real) { return Real(std::isnan(x)); }},
    {"h2sqrt(p)", [](Real x, Real, Real) { return std::sqrt(x); }},
    {"h2rcp(p)", [](Real x, Real, Real) { return 1 / x; }},
    {"h2floor(p)", [](Real x, Real, Real) { return std::floor(x); }},
    {"h2rint(p)", [](Real x, Real, Real) { return std::nearbyint(x); }},
};

}  // namespace

TEST_CASE("cuda halves: pairs have each operation's exact result, rounded once") {
  for (const HalfFormat& format : kFormats) {
    CAPTURE(format.half);
    const auto named = [&](std::string text) {
      for (std::size_t at; (at = text.find("PAIR")) != std::string::npos;) text.replace(at, 4, format.pair);
      for (std::size_t at; (at = text.find("HALF")) != std::string::npos;) text.replace(at, 4, format.half);
      return text;
    };
    std::string body =
        "const PAIR p(x[item], y[item]), q(y[item], z[item]), r(z[item], x[item]);\nPAIR* to = (PAIR*)out + item;\n";
    for (const HalfOperation& each : kHalfOperations) body += "*to = " + std::string(each.text) + "; to += n;\n";
    const std::string type = std::string(kiln::name(format.dtype));
    const RawKernel kernel = kiln::kernel(
        {.name = "pairs",
         .signature = "void(const " + type + "* x, const " + type + "* y, const " + type + "* z, " + type + "* out, int64 n)",
         .body = named(body),
         .compile = {.preamble = "#include <" + format.header + ">"}});
    std::vector<double> x, y, z;
    for (const double a : format.values) {
      for (const double b : format.values) {
        for (const double c : {0.0, 1.0, -1.5, 0x1p-50, 2048.0}) {
          x.push_back(half_rounded(a, format));
          y.push_back(half_rounded(b, format));
          z.push_back(half_rounded(c, format));
        }
      }
    }
    const auto n = static_cast<std::int64_t>(x.size());
    const auto operations = static_cast<std::int64_t>(kHalfOperations.size());
    on_every_device(
        [&](const Target& target) {
          const auto place = [&](const std::vector<double>& list) {
            return target.place(Array::from(list).astype(format.dtype));
          };
          const Array out = target.place(Array::zeros({operations, n, 2}, format.dtype));
          kernel({.size = n, .stream = target.options().stream}, place(x), place(y), place(z), out, n);
          const std::vector<double> found = list_of(target.fetch(out));
          for (std::size_t k = 0; k < kHalfOperations.size(); ++k) {
            CAPTURE(std::string(kHalfOperations[k].text));
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              for (std::size_t lane = 0; lane < 2; ++lane) {
                const double a = lane == 0 ? x[i] : y[i], b = lane == 0 ? y[i] : z[i], c = lane == 0 ? z[i] : x[i];
                const double expected = half_rounded(kHalfOperations[k].of_one(a, b, c), format);
                const double got = found[(k * x.size() + i) * 2 + lane];
                const bool same =
                    std::isnan(expected) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected);
                if (!same && wrong++ == 0) {
                  CAPTURE(a);
                  CAPTURE(b);
                  CAPTURE(c);
                  CHECK(got == expected);
                }
              }
            }
            CHECK(wrong == 0);
          }
        },
        {Mode::host});
  }
}

TEST_CASE("cuda halves: pairs of the fp16 header, made and taken apart") {
  static const kiln::cupy::Function kernel = kiln::cupy::raw_kernel({.code = "#include <cuda_fp16.h>"
                                                                             R"(
extern "C" __global__ void parts(const float* x, half2* y, float* z, int* flags) {
  const float2 both = __half22float2(__floats2half2_rn(x[0], x[1]));
  const half2 a = make_half2(__float2half(x[0]), __float2half(x[1]));
  const __half2 b = __float22half2_rn(make_float2(x[2], x[3]));
  y[0] = __halves2half2(__high2half(a), __low2half(b));
  y[1] = __lows2half2(a, b);
  y[2] = __highs2half2(a, b);
  y[3] = __lowhigh2highlow(a);
  y[4] = __half2half2(__ushort_as_half(0x3e00));
  y[5] = __float2half2_rn(x[4]);
  y[6] = __low2half2(a);
  y[7] = __high2half2(a);
  half2 sum = a;
  sum += b;
  sum *= a;
  y[8] = sum;
  z[0] = both.x;
  z[1] = both.y;
  z[2] = __low2float(b);
  z[3] = __high2float(b);
  z[4] = __half2float(hexp(__float2half(x[1])));
  flags[0] = __hbeq2(a, a) + 2 * __hbeq2(a, b) + 4 * __hbltu2(a, b) + 8 * (a != b) + 16 * (a == a);
  flags[1] = __half2int_rz(__float2half(-2.75f)) + 10 * __hisinf(__ushort_as_half(0xfc00));
})",
                                                                     .name = "parts"});
  on_every_device([](const Target& target) {
    const Array x = target.place(Array::from<float>({1.5F, -2.25F, 3, 1.0F / 3, 2049}));
    const Array y = target.place(Array::zeros({9, 2}, DType::float16));
    const Array z = target.place(Array::zeros({5}, DType::float32));
    const Array flags = target.place(Array::zeros({2}, DType::int32));
    kernel(1, 1, {x, y, z, flags}, 0, target.options().stream);
    constexpr double kThird = 0.333251953125;  // in halves
    CHECK(list_of(target.fetch(y)) == std::vector<double>{-2.25, 3, 1.5, 3, -2.25, kThird, -2.25, 1.5, 1.5, 1.5, 2048, 2048,
                                                          1.5, 1.5, -2.25, -2.25, 6.75, 4.3125});
    const std::vector<double> floats = list_of(target.fetch(z));
    CHECK(std::vector<double>(floats.begin(), floats.begin() + 4) == std::vector<double>{1.5, -2.25, 3, kThird});
    CHECK(std::abs(floats[4] - std::exp(-2.25)) < 0x1p-14);
    CHECK(target.fetch(flags).to_vector<std::int32_t>() == std::vector<std::int32_t>{1 + 4 + 8 + 16, -2 - 10});
  });
}

TEST_CASE("cuda halves: pairs of the bf16 header, made and taken apart") {
  static const kiln::cupy::Function kernel = kiln::cupy::raw_kernel({.code = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>"
                                                                             R"(
extern "C" __global__ void parts(const __nv_bfloat16* x, __nv_bfloat162* y, half2* h) {
  const float2 both = __bfloat1622float2(__halves2bfloat162(x[0], x[1]));
  const nv_bfloat162 a = __floats2bfloat162_rn(both.x, both.y);
  y[0] = __lows2bfloat162(a, __float2bfloat162_rn(1.00390625f));
  y[1] = make_bfloat162(__high2bfloat16(a), __ushort_as_bfloat16(0x4040));
  y[2] = __hfma2(a, a, __bfloat162bfloat162(__float2bfloat16(-1.0f)));
  y[3] = __nv_bfloat162(__float2bfloat16_rn(__low2float(a)), h2exp2(a).y);
  h[0] = __floats2half2_rn(__bfloat162float(x[0]), __high2float(a)) - __float2half2_rn(1);
})",
                                                                     .name = "parts"});
  on_every_device([](const Target& target) {
    const Array x = target.place(Array::from<float>({1.5F, -3}).astype(DType::bfloat16));
    const Array y = target.place(Array::zeros({4, 2}, DType::bfloat16));
    const Array h = target.place(Array::zeros({1, 2}, DType::float16));
    kernel(1, 1, {x, y, h}, 0, target.options().stream);
    CHECK(list_of(target.fetch(y)) == std::vector<double>{1.5, 1, -3, 3, 1.25, 8, 1.5, 0.125});
    CHECK(list_of(target.fetch(h)) == std::vector<double>{0.5, -4});
  });
}

TEST_CASE("cuda halves: bodies of ufuncs have them, where elements are numbers of float32") {
  const kiln::Ufunc packed =
      kiln::vectorize({.name = "packed",
                       .signatures = {"float32(float32 a, float32 b)"},
                       .body = "const half2 p = __floats2half2_rn(a, b);\n"
                               "return __low2float(__hmul2(p, p)) + __half2float(hsqrt(__high2half(p)));",
                       .compile = {.preamble = "#include <cuda_fp16.h>"}});
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::from<float>({1, 2, 3}));
    CHECK(list_of(target.fetch(target.call(packed, {a, target.place(Array::from<float>({4, 9, 2}))}))) ==
          std::vector<double>{3, 7, 9 + 1.4140625});
  });
}

TEST_CASE("cuda halves: warps exchange them, and threads add to them in one step") {
  static const kiln::cupy::Function kernel = kiln::cupy::raw_kernel({.code = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>"
                                                                             R"(
__device__ float total(float x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
  return x;
}
extern "C" __global__ void sums(const half2* x, half* y, half2* z, __nv_bfloat162* w, int* count) {
  half2 p = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) p = __hadd2(p, __shfl_xor_sync(0xffffffff, p, d));
  const half first = __shfl_sync(0xffffffff, __low2half(x[threadIdx.x]), 3);
  const __nv_bfloat16 above = __shfl_down_sync(0xffffffff, __float2bfloat16(threadIdx.x % 32), 1);
  const float both = total(1);
  if (threadIdx.x == 0) {
    z[1] = p;
    y[2] = __hadd(first, __float2half(both));
  }
  atomicAdd(&y[0], __low2half(x[threadIdx.x]));
  atomicAdd(&z[0], x[threadIdx.x]);
  atomicAdd(&w[0], __halves2bfloat162(above, __float2bfloat16(1)));
  atomicAdd(count, 1);
})",
                                                                     .name = "sums"});
  on_every_device([](const Target& target) {
    std::vector<float> pairs;
    for (int i = 0; i < 32; ++i) pairs.insert(pairs.end(), {static_cast<float>(i % 5), static_cast<float>(1 - i % 3)});
    const Array x = target.place(Array::from(pairs).astype(DType::float16));
    const Array y = target.place(Array::zeros({4}, DType::float16)), z = target.place(Array::zeros({4}, DType::float16));
    const Array w = target.place(Array::zeros({2}, DType::bfloat16)), count = target.place(Array::zeros({1}, DType::int32));
    kernel(1, 32, {x, y, z, w, count}, 0, target.options().stream);
    CHECK(list_of(target.fetch(y)) == std::vector<double>{61, 0, 3 + 32, 0});
    CHECK(list_of(target.fetch(z)) == std::vector<double>{61, 1, 61, 1});
    CHECK(target.fetch(count).to_vector<std::int32_t>() == std::vector<std::int32_t>{32});
    // Sums of whole numbers up to 256 are exact; lane 31 has its own.
    const std::vector<double> of_w = list_of(target.fetch(w));
    CHECK(of_w[1] == 32);
    CHECK(std::abs(of_w[0] - 527) <= 16);
  });
}
