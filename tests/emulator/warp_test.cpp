// Functions of a warp, of a block, of memory and of arithmetic as CUDA names them, in raw kernels on an emulated device, with
// what CUDA's documentation says of each worked out by hand. NVRTC has them; for Clang they are kiln's own
// (core/clang_cuda.hpp).
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kiln/kernel.hpp"

namespace {

using namespace kiln;

template <class T>
Array placed(const std::vector<T>& values) {
  return to_device(Array::from(values), Device::emulated("sm_90"));
}

template <class T>
std::vector<T> fetched(const Array& array) {
  return array.copy_to_host().to_vector<T>();
}

}  // namespace

TEST_CASE("emulated: every thread of every block runs once, with its own place") {
  const RawKernel number = kernel({.name = "number", .signature = "void(uint32[:] out, uint32 scale)", .body = R"(
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] += scale * t + 1000 * b;)"});
  const Array out = placed(std::vector<std::uint32_t>(720, 7));
  number({.grid = {3, 2, 2}, .block = {5, 4, 3}}, out, std::uint32_t{2});
  const std::vector<std::uint32_t> seen = fetched<std::uint32_t>(out);
  for (unsigned b = 0; b < 12; ++b) {
    for (unsigned t = 0; t < 60; ++t) CHECK(seen[b * 60 + t] == 7 + 2 * t + 1000 * b);
  }
}

TEST_CASE("emulated: what lanes of a warp see of each other") {
  const RawKernel lanes = kernel({.name = "lanes", .signature = "void(int32* out)", .body = R"(
  const int lane = threadIdx.x % 32;
  int* mine = out + 16 * threadIdx.x;
  mine[0] = __shfl_sync(0xffffffffu, 100 + lane, 5);
  mine[1] = __shfl_sync(0xffffffffu, 100 + lane, lane + 3, 8);
  mine[2] = __shfl_up_sync(0xffffffffu, 100 + lane, 2, 16);
  mine[3] = __shfl_down_sync(0xffffffffu, 100 + lane, 3, 16);
  mine[4] = __shfl_xor_sync(0xffffffffu, 100 + lane, 9);
  mine[5] = (int)__ballot_sync(0xffffffffu, lane % 3 == 0);
  mine[6] = __any_sync(0xffffffffu, lane == 31) + 2 * __all_sync(0xffffffffu, lane < 31);
  mine[7] = (int)__match_any_sync(0xffffffffu, lane % 4);
  mine[8] = __reduce_add_sync(0xffffffffu, lane - 10);
  mine[9] = __reduce_max_sync(0xffffffffu, -lane);
  mine[10] = (int)__shfl_down_sync(0xffffffffu, 1.5 * lane, 1);
  mine[11] = __syncthreads_count(threadIdx.x < 40);
  mine[12] = __syncthreads_or(threadIdx.x == 63) + 2 * __syncthreads_and(threadIdx.x < 63);
  if (lane < 8) {
    mine[13] = __shfl_sync(0xffu, lane, 7) + (int)__activemask();
  } else {
    mine[13] = (int)__reduce_xor_sync(0xffffff00u, 1u << lane);
  }
  mine[14] = __clz(lane) * 100 + __popc(lane) * 10 + __ffs(lane);
  mine[15] = (int)__umulhi(0xffffffffu, lane) + (int)(__brev(1u << lane) >> 31 - lane) + warpSize;)"});
  const Array out = placed(std::vector<std::int32_t>(std::size_t{64} * 16));
  lanes({.grid = {1}, .block = {64}}, out);
  const std::vector<std::int32_t> seen = fetched<std::int32_t>(out);
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32;
    const std::int32_t* const mine = seen.data() + std::ptrdiff_t{16} * t;
    INFO("thread ", t);
    CHECK(mine[0] == 105);
    CHECK(mine[1] == 100 + lane / 8 * 8 + (lane + 3) % 8);
    CHECK(mine[2] == (lane % 16 < 2 ? 100 + lane : 98 + lane));
    CHECK(mine[3] == (lane % 16 > 12 ? 100 + lane : 103 + lane));
    CHECK(mine[4] == 100 + (lane ^ 9));
    CHECK(mine[5] == 0x49249249);
    CHECK(mine[6] == 1);
    CHECK(mine[7] == static_cast<int>(0x11111111U << lane % 4));
    CHECK(mine[8] == 496 - 320);
    CHECK(mine[9] == 0);
    CHECK(mine[10] == static_cast<int>(1.5 * (lane == 31 ? 31 : lane + 1)));
    CHECK(mine[11] == 40);
    CHECK(mine[12] == 1);
    CHECK(mine[13] == (lane < 8 ? 7 + 0xff : static_cast<int>(0xffffff00U)));
    CHECK(mine[14] == __builtin_clz(static_cast<unsigned>(lane) | 1U) * 100 + (lane == 0 ? 100 : 0) +
                          __builtin_popcount(static_cast<unsigned>(lane)) * 10 +
                          (lane == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(lane)) + 1));
    CHECK(mine[15] == (lane == 0 ? 0 : lane - 1) + 1 + 32);
  }
}

TEST_CASE("emulated: atomics give what was there before") {
  const RawKernel atomics = kernel(
      {.name = "atomics", .signature = "void(int32* i, uint32* u, uint64* l, float32* f, float64* d, uint16* s)", .body = R"(
  const int t = threadIdx.x;
  atomicMax(i, t);
  atomicMin(i + 1, -t);
  atomicOr(u, 1u << t);
  atomicInc(u + 1, 9u);
  atomicDec(u + 2, 4u);
  atomicExch(i + 2, atomicSub(i + 3, 2));
  atomicAdd((unsigned long long*)l, 1ull << 33);
  atomicMax((long long*)(l + 1), (long long)-t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicCAS(s, (unsigned short)3, (unsigned short)t);)"});
  const Array i = placed(std::vector<std::int32_t>{-5, 5, 0, 100});
  const Array u = placed(std::vector<std::uint32_t>{0, 0, 2});
  const Array l = placed(std::vector<std::uint64_t>{0, static_cast<std::uint64_t>(-100)});
  const Array f = placed(std::vector<float>{1});
  const Array d = placed(std::vector<double>{1});
  const Array s = placed(std::vector<std::uint16_t>{3});
  atomics({.grid = {1}, .block = {32}}, i, u, l, f, d, s);
  CHECK(fetched<std::int32_t>(i)[0] == 31);
  CHECK(fetched<std::int32_t>(i)[1] == -31);
  CHECK(fetched<std::int32_t>(i)[2] % 2 == 0);  // any of 100, 98, … 38: lanes have no order
  CHECK(fetched<std::int32_t>(i)[3] == 36);
  // 32 steps through 0 to 9 and 4 to 0.
  CHECK(fetched<std::uint32_t>(u) == std::vector<std::uint32_t>{0xffffffffU, 2, 0});
  CHECK(fetched<std::uint64_t>(l) == std::vector<std::uint64_t>{std::uint64_t{32} << 33U, 0});
  CHECK(fetched<float>(f) == std::vector<float>{17});
  CHECK(fetched<double>(d) == std::vector<double>{9});
  CHECK(fetched<std::uint16_t>(s)[0] < 32);
}

TEST_CASE("emulated: arithmetic by CUDA's names") {
  const RawKernel integers =
      kernel({.name = "integers",
              .signature = "void(int64[:] out, int32 a, uint32 b, int64 c, uint64 d, float32 f, float64 g)",
              .body = R"(
  int64 i = 0;
  out[i++] = __mulhi(a, 1 << 30);
  out[i++] = __umulhi(b, 0x80000000u);
  out[i++] = __mul64hi(c, 1ll << 62);
  out[i++] = (long long)__umul64hi(d, 3ull << 62);
  out[i++] = __mul24(a, 3);
  out[i++] = __umul24(b, 3u);
  out[i++] = __sad(a, 5, 1u);
  out[i++] = __usad(b, 5u, 1u);
  out[i++] = (long long)__brevll(d);
  out[i++] = __clzll((long long)d) + 100 * __ffsll((long long)d) + 10000 * __popcll(d);
  out[i++] = __byte_perm(b, 0x11223344u, 0x7160);
  out[i++] = __funnelshift_l(b, 0x12345678u, 40);
  out[i++] = __funnelshift_r(b, 0x12345678u, 8);
  out[i++] = __float_as_int(f);
  out[i++] = __float_as_uint(f);
  out[i++] = __double_as_longlong(g);
  out[i++] = __double2hiint(g) + (long long)__double2loint(g);
  out[i++] = __float2int_rn(f) + 10 * __float2int_rz(f) + 100 * __float2int_rd(f) + 1000 * __float2int_ru(f);
  out[i++] = __double2ll_rn(g) + 10 * __double2ll_rz(g) + 100 * __double2ll_rd(g) + 1000 * __double2ll_ru(g);
  out[i++] = __float2uint_rz(f);
  out[i++] = __float2int_rn(1e30f);)"});
  const Array out = placed(std::vector<std::int64_t>(21));
  const std::uint32_t b = 0xdeadbeef;
  const std::uint64_t d = 0xf000000000000030;
  integers({.grid = {1}, .block = {1}}, out, std::int32_t{-7}, b, std::int64_t{-9}, d, -2.5F, 3.5);
  const std::vector<std::int64_t> integers_expected{-2,  // -7 / 4, rounded down
                                                    b / 2,
                                                    -3,
                                                    static_cast<std::int64_t>(0xb400000000000024),
                                                    -21,
                                                    0xadbeef * 3,
                                                    13,
                                                    std::int64_t{b} - 5 + 1,
                                                    0x0c0000000000000f,
                                                    0 + 500 + 60000,
                                                    0x11be22ef,
                                                    0x345678de,
                                                    0x78deadbe,
                                                    static_cast<std::int32_t>(0xc0200000),
                                                    0xc0200000,
                                                    0x400c000000000000,
                                                    0x400c0000,
                                                    -2 - 20 - 300 - 2000,
                                                    4 + 30 + 300 + 4000,
                                                    0,
                                                    2147483647};
  const std::vector<std::int64_t> integers_seen = fetched<std::int64_t>(out);
  for (std::size_t i = 0; i < integers_seen.size(); ++i) CHECK_MESSAGE(integers_seen[i] == integers_expected[i], i);

  const RawKernel numbers =
      kernel({.name = "numbers", .signature = "void(float32[:] out, float64[:] wide, float32 x, float32 y)", .body = R"(
  int64 i = 0;
  out[i++] = __int_as_float(0x40490fdb);
  out[i++] = __uint_as_float(0xc0490fdbu);
  out[i++] = __fmul_rn(x, x) - 1.0f - 0x1p-11f;
  out[i++] = __fmaf_rn(x, x, -1.0f - 0x1p-11f);
  out[i++] = __fadd_rn(x, y);
  out[i++] = __fsub_rn(x, y);
  out[i++] = __saturatef(y);
  out[i++] = __saturatef(-y);
  out[i++] = __frcp_rn(y);
  out[i++] = __fsqrt_rn(y);
  out[i++] = __fdiv_rn(1.0f, y);
  float4 four = make_float4(x, y, 1, 2);
  out[i++] = four.y + four.w;
  out[i++] = __ldg(&out[0]);
  out[i++] = __expf(y);
  out[i++] = __logf(y);
  out[i++] = __log2f(y);
  out[i++] = __log10f(y);
  out[i++] = __powf(y, 2.5f);
  out[i++] = __sinf(y);
  out[i++] = __cosf(y);
  out[i++] = __fdividef(x, y);
  wide[0] = __hiloint2double(0x400c0000, 0);
  wide[1] = __longlong_as_double(0x400c000000000000ll);
  wide[2] = __dadd_rn(x, y);
  wide[3] = __dmul_rn(x, y);
  wide[4] = __fma_rn(x, y, 1.0);)"});
  const Array narrow = placed(std::vector<float>(21));
  const Array wide = placed(std::vector<double>(5));
  const float x = 1 + 0x1p-12F;
  const float y = 3;
  numbers({.grid = {1}, .block = {1}}, narrow, wide, x, y);
  std::vector<float> seen = fetched<float>(narrow);
  const std::vector<float> quick(seen.begin() + 13, seen.end());
  seen.resize(13);
  CHECK(seen == std::vector<float>{3.14159274F, -3.14159274F, 0, 0x1p-24F, 4 + 0x1p-12F, -2 + 0x1p-12F, 1, 0, 1 / y,
                                   std::sqrt(y), 1 / y, 5, 3.14159274F});
  const std::vector<double> expected{std::exp(3.0),      std::log(3.0), std::log2(3.0), std::log10(3.0),
                                     std::pow(3.0, 2.5), std::sin(3.0), std::cos(3.0),  x / 3.0};
  for (std::size_t i = 0; i < quick.size(); ++i) CHECK(quick[i] == doctest::Approx(expected[i]).epsilon(2e-6));
  CHECK(fetched<double>(wide) == std::vector<double>{3.5, 3.5, double{x} + y, double{x} * y, double{x} * y + 1});
}
