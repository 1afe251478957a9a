// CUDA's words in raw kernels on every device: places, shared memory, warps and atomic operations mean what they mean on
// NVIDIA's GPUs. Expected values are computed one thread after the other.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <vector>

#include "devices.hpp"
#include "kiln/kernel.hpp"
#include "kiln/ufunc.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Extent3;
using kiln::LaunchOptions;
using kiln::RawKernel;

namespace {

LaunchOptions on_grid(const Target& target, const Extent3& grid, const Extent3& block, std::int64_t shared_bytes = 0) {
  return {.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = target.options().stream};
}

std::vector<std::int32_t> numbers(std::size_t n) {
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < n; ++i) list.push_back(static_cast<std::int32_t>(i * i * 7919 % 1009) - 500);
  return list;
}

/// Whole warps in a row, rows that share warps, parts of warps.
constexpr Extent3 kBlocks[] = {{64}, {32, 2}, {8, 8}, {48, 2}, {20}, {256}, {1}};

}  // namespace

TEST_CASE("cuda words: places, also in functions") {
  static const RawKernel places = kiln::kernel({
      .name = "places",
      .signature = "void(int64[:] y)",
      .body = "y[flat()] = threadIdx.x + 100 * threadIdx.y + 10000 * (blockIdx.x + 10 * blockIdx.y) + "
              "1000000 * (blockDim.x + 10 * blockDim.y) + 100000000LL * (gridDim.x + 10 * gridDim.y);",
      .compile = {.functions = R"(
        __device__ unsigned row() { return blockIdx.y * blockDim.y + threadIdx.y; }
        __device__ __noinline__ unsigned flat() {
          const uint3 t = threadIdx;
          const dim3 size = blockDim;
          return row() * (gridDim.x * size.x) + blockIdx.x * blockDim.x + t.x;
        })"},
  });
  on_every_device([&](const Target& target) {
    const Array y = target.place(Array::zeros({6 * 12}, DType::int64));
    places(on_grid(target, {2, 3}, {3, 4}), y);
    std::vector<std::int64_t> expected;
    for (std::int64_t row = 0; row < 12; ++row) {
      for (std::int64_t x = 0; x < 6; ++x) {
        expected.push_back(x % 3 + 100 * (row % 4) + 10000 * (x / 3 + 10 * (row / 4)) + 1000000 * 43 + 100000000LL * 32);
      }
    }
    CHECK(target.fetch(y).to_vector<std::int64_t>() == expected);
  });
}

TEST_CASE("cuda words: static and dynamic shared memory, and barriers in functions") {
  static const RawKernel reversed = kiln::kernel({
      .name = "reversed",
      .signature = "void(int32[:] x)",
      .body = R"(
        __shared__ int own[256];
        extern __shared__ int all[];
        own[threadIdx.x] = x[item];
        turn(own, all);
        x[item] = all[threadIdx.x] + __syncthreads_count(own[threadIdx.x] > 0);)",
      .compile = {.functions = R"(
        __device__ void turn(const int* own, int* all) {
          extern __shared__ int same[];
          __syncthreads();
          same[threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
          __syncthreads();
        })"},
  });
  on_every_device([&](const Target& target) {
    for (const std::int64_t threads : {1, 7, 64, 100, 256}) {
      const std::vector<std::int32_t> x = numbers(static_cast<std::size_t>(3 * threads));
      std::vector<std::int32_t> expected;
      for (std::int64_t b = 0; b < 3; ++b) {
        const auto begin = x.begin() + b * threads, end = begin + threads;
        const auto positive = std::count_if(begin, end, [](int v) { return v > 0; });
        for (auto at = end; at != begin;) expected.push_back(*--at + static_cast<int>(positive));
      }
      const Array given = target.place(Array::from(x));
      reversed(on_grid(target, 3, threads, threads * 4), given);
      CAPTURE(threads);
      CHECK(target.fetch(given).to_vector<std::int32_t>() == expected);
    }
  });
}

TEST_CASE("cuda words: shuffles, votes and parts of warps") {
  static const RawKernel warps = kiln::kernel({.name = "warps", .signature = "void(const int32[:] x, int64[:,:] y)", .body = R"(
    const int n = blockDim.x * blockDim.y;
    const int me = threadIdx.y * blockDim.x + threadIdx.x;
    const int lane = me % warpSize;
    const int count = min(warpSize, n - me / warpSize * warpSize);
    const unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1;
    const int v = x[item];
    y(item, 0) = count == 32 ? __shfl_down_sync(mask, v, 1) : __shfl_sync(mask, v, min(lane + 1, count - 1));
    const double above = __shfl_up_sync(mask, v * 0.5, 2);
    y(item, 1) = index(2 * above);
    y(item, 2) = __shfl_sync(mask, (long long)v << 33, count / 2) >> 33;
    y(item, 3) = count >= 4 ? __shfl_xor_sync(mask, v, 3, 4) : 0;
    y(item, 4) = __ballot_sync(mask, v > 0);
    y(item, 5) = __any_sync(mask, v > 490) + 2 * __all_sync(mask, v > -490);
    y(item, 6) = -1;
    if (lane < 4) {
      const unsigned few = count < 4 ? mask : 0xfu;
      y(item, 6) = __shfl_sync(few, v, 0, 4) + __popc(__ballot_sync(few, 1));
    }
    __syncwarp(mask);
    y(item, 7) = __popc(__match_any_sync(mask, v & 1));)"});
  on_every_device([&](const Target& target) {
    for (const Extent3& block : kBlocks) {
      const auto threads = static_cast<std::size_t>(block.x * block.y);
      const std::vector<std::int32_t> x = numbers(2 * threads);
      const Array y = target.place(Array::zeros({static_cast<std::int64_t>(x.size()), 8}, DType::int64));
      warps(on_grid(target, 2, block), target.place(Array::from(x)), y);
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t in_block = i % threads, lane = in_block % 32, begin = i - lane;
        const std::size_t count = std::min<std::size_t>(32, threads - (in_block - lane));
        std::int64_t ballot = 0, same = 0;
        bool any = false, all = true;
        for (std::size_t k = 0; k < count; ++k) {
          const int v = x[begin + k];
          ballot |= std::int64_t{v > 0} << k;
          same += ((v ^ x[i]) & 1) == 0;
          any = any || v > 490;
          all = all && v > -490;
        }
        expected.push_back(lane + 1 < count ? x[i + 1] : x[i]);
        expected.push_back(lane >= 2 ? x[i - 2] : x[i]);
        expected.push_back(x[begin + count / 2]);
        expected.push_back((lane ^ 3U) < count ? x[begin + (lane ^ 3U)] : 0);
        expected.push_back(ballot);
        expected.push_back(any + 2 * all);
        expected.push_back(lane < 4 ? x[begin] + static_cast<std::int64_t>(std::min<std::size_t>(count, 4)) : -1);
        expected.push_back(same);
      }
      CAPTURE(block.x);
      CAPTURE(block.y);
      CHECK(target.fetch(y).to_vector<std::int64_t>() == expected);
    }
  });
}

TEST_CASE("cuda words: one warp reduces while the others wait at the block's barrier") {
  static const RawKernel sums = kiln::kernel({.name = "sums", .signature = "void(const float32[:] x, float32[:] y)", .body = R"(
    __shared__ float parts[32];
    float v = x[item];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
      v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
      if (threadIdx.x == 0) parts[0] = v;
    }
    __syncthreads();
    y[item] = parts[0];)"});
  on_every_device([&](const Target& target) {
    for (const std::int64_t threads : {32, 128, 1024}) {
      const std::vector<std::int32_t> numbered = numbers(static_cast<std::size_t>(3 * threads));
      const std::vector<float> x(numbered.begin(), numbered.end());
      const Array y = target.place(Array::zeros({3 * threads}, DType::float32));
      sums(on_grid(target, 3, threads), target.place(Array::from(x)), y);
      std::vector<float> expected;
      for (std::int64_t b = 0; b < 3; ++b) {
        const float sum = std::accumulate(x.begin() + b * threads, x.begin() + (b + 1) * threads, 0.0F);
        expected.insert(expected.end(), static_cast<std::size_t>(threads), sum);
      }
      CAPTURE(threads);
      CHECK(target.fetch(y).to_vector<float>() == expected);
    }
  });
}

TEST_CASE("cuda words: kiln's own names for a warp") {
  static const RawKernel warp = kiln::kernel(
      {.name = "warp", .signature = "void(const T[:] x, T[:,:] y) where T: int8, int32, float64, complex64", .body = R"(
    const T v = x[item];
    y(item, 0) = warp_sum(v);
    y(item, 1) = warp_shuffle(v, 5);
    y(item, 2) = warp_shuffle_up(v, 2);
    y(item, 3) = warp_shuffle_down(v, 31);
    y(item, 4) = T(warp_lane() + (warp_any(threadIdx.x == 3) ? 1 : 0) + (warp_all(threadIdx.x < 32) ? 2 : 0));)"});
  const auto check = [&]<class T>(const Target& target, T) {
    std::vector<T> x(96);
    const auto number = [](std::size_t v, int less) {
      return static_cast<T>(static_cast<float>(v) - static_cast<float>(less));
    };
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = number(i % 13, 6);
    const Array y = target.place(Array::zeros({96, 5}, kiln::dtype_of<T>));
    warp(on_grid(target, 1, 96), target.place(Array::from(x)), y);
    std::vector<T> expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t lane = i % 32, begin = i - lane;
      T sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum = static_cast<T>(sum + x[begin + k]);
      expected.push_back(sum);
      expected.push_back(x[begin + 5]);
      expected.push_back(lane > 1 ? x[i - 2] : x[i]);
      expected.push_back(lane == 0 ? x[i + 31] : x[i]);
      expected.push_back(number(lane, begin == 0 ? -3 : 0));
    }
    CHECK(target.fetch(y).to_vector<T>() == expected);
  };
  on_every_device([&](const Target& target) {
    check(target, std::int8_t{});
    check(target, std::int32_t{});
    check(target, double{});
    check(target, std::complex<float>{});
  });
}

TEST_CASE("cuda words: atomic operations of every scope, vectors and words of bits") {
  static const RawKernel words =
      kiln::kernel({.name = "words", .signature = "void(const int32* x, int32[:] y, uint32[:] z, float32[:] f)", .body = R"(
    const int4 v = reinterpret_cast<const int4*>(x)[item];
    const float2 w = make_float2(v.x, v.y);
    atomicAdd(&y[0], v.x);
    atomicAdd_block(&y[1], v.y);
    atomicAdd_system(&y[2], v.z);
    atomicMin(&y[3], v.w);
    atomicMax_system(&y[4], v.w);
    atomicSub(&y[5], __ldg(&x[4 * item]));
    atomicOr(&z[0], 1u << (v.x & 31));
    atomicAnd(&z[1], ~(1u << (v.y & 31)));
    atomicXor_block(&z[2], (unsigned)v.z);
    atomicInc(&z[3], 6);
    atomicDec(&z[4], 4);
    atomicCAS(&z[5], 7u, 9u);
    atomicAdd(&f[0], w.x + w.y);
    __threadfence();
    if (item == 0) {
      y[6] = __popc(255) + __clz(1) + __ffs(8) + __float_as_int(1.0f);
      y[7] = int(__byte_perm(0x33221100u, 0x77665544u, 0x7520u) + unsigned(__mulhi(1 << 30, 12)) + __brev(2));
    })"});
  on_every_device([&](const Target& target) {
    const std::vector<std::int32_t> x = numbers(4 * 300);
    const Array y = target.place(Array::zeros({8}, DType::int32));
    const Array z = target.place(Array::from(std::vector<std::uint32_t>{0, ~0U, 0, 0, 0, 7}));
    const Array f = target.place(Array::zeros({1}, DType::float32));
    words(on_grid(target, 3, 100), target.place(Array::from(x)), y, z, f);
    std::vector<std::int32_t> expected(8);
    std::vector<std::uint32_t> bits{0, ~0U, 0, 300 % 7, 0, 9};
    float sum = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      for (std::size_t k = 0; k < 3; ++k) expected[k] += x[4 * i + k];
      expected[3] = std::min(expected[3], x[4 * i + 3]);
      expected[4] = std::max(expected[4], x[4 * i + 3]);
      expected[5] -= x[4 * i];
      bits[0] |= 1U << (static_cast<unsigned>(x[4 * i]) & 31U);
      bits[1] &= ~(1U << (static_cast<unsigned>(x[4 * i + 1]) & 31U));
      bits[2] ^= static_cast<std::uint32_t>(x[4 * i + 2]);
      sum += static_cast<float>(x[4 * i] + x[4 * i + 1]);
    }
    for (int i = 0; i < 300; ++i) bits[4] = bits[4] == 0 ? 4 : bits[4] - 1;
    expected[6] = 8 + 31 + 4 + 0x3f800000;
    expected[7] = static_cast<std::int32_t>(0x77552200U + 3U + 0x40000000U);
    CHECK(target.fetch(y).to_vector<std::int32_t>() == expected);
    CHECK(target.fetch(z).to_vector<std::uint32_t>() == bits);
    CHECK(target.fetch(f).to_vector<float>() == std::vector<float>{sum});
  });
}

TEST_CASE("cuda words: quick functions and conversions, also in bodies of ufuncs") {
  static const kiln::Ufunc quick =
      kiln::vectorize({.name = "quick", .signatures = {"(float32 y, int64 n)(float32 a, int32 b)"}, .body = R"(
    y = __fdividef(__expf(a), __powf(2.0f, a)) + __logf(a) + __sinf(a) * __fsqrt_rn(a);
    n = __float2int_rn(a) + 100 * __float2ll_ru(a) + 10000 * __float2uint_rz(a * -1) + 1000000 * __popc(b) + __double2int_rd(a * 1e20);)"});
  on_every_device([&](const Target& target) {
    const std::vector<float> a{0.5F, 1.5F, 2.25F, 7.75F};
    const std::vector<std::int32_t> b{0, 1, 7, -1};
    const std::vector<Array> results =
        target.outputs(quick, {target.place(Array::from(a)), target.place(Array::from(b))}, target.options());
    const std::vector<float> y = target.fetch(results[0]).to_vector<float>();
    const std::vector<std::int64_t> n = target.fetch(results[1]).to_vector<std::int64_t>();
    const std::int64_t nearest[] = {0, 2, 2, 8}, above[] = {1, 2, 3, 8}, bits[] = {0, 1, 3, 32};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = a[i];
      CHECK(y[i] == doctest::Approx(std::exp(x) / std::pow(2, x) + std::log(x) + std::sin(x) * std::sqrt(x)).epsilon(1e-4));
      CHECK(n[i] == nearest[i] + 100 * above[i] + 1000000 * bits[i] + 2147483647);
    }
  });
}

TEST_CASE("cuda words: rounded arithmetic, and quick functions of other numbers than float32") {
  static const kiln::Ufunc rounded =
      kiln::vectorize({.name = "rounded", .signatures = {"(float64 y, float64 z, float32 w)(float64 a, int32 b)"}, .body = R"(
    float s, c;
    __sincosf(a, &s, &c);
    y = s * 100 + c * 10 + __tanf(a) + __expf(b) + __powf(b, 2) + __exp10f(b);
    z = __ddiv_rn(a, 3) + __drcp_rn(a) + __dsqrt_rn(a) + __ll2double_rn(b) + __uint2double_rn(7u);
    w = __fdiv_rn(a, 3) + __frcp_rn(a) + __fsqrt_rn(a) + __frsqrt_rn(a) + __int2float_rn(b) + __double2float_rn(a);)"});
  on_every_device([&](const Target& target) {
    const std::vector<double> a{0.5, 1.25, 0.75};
    const std::vector<std::int32_t> b{1, 2, 3};
    const std::vector<Array> results = target.outputs(rounded, {target.place(Array::from(a)), target.place(Array::from(b))});
    const std::vector<double> y = target.fetch(results[0]).to_vector<double>(),
                              z = target.fetch(results[1]).to_vector<double>();
    const std::vector<float> w = target.fetch(results[2]).to_vector<float>();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = a[i];
      const auto single = static_cast<float>(x);
      const double quick =
          std::sin(x) * 100 + std::cos(x) * 10 + std::tan(x) + std::exp(b[i]) + b[i] * b[i] + std::pow(10, b[i]);
      CHECK(y[i] == doctest::Approx(quick).epsilon(1e-5));
      CHECK(z[i] == x / 3 + 1 / x + std::sqrt(x) + b[i] + 7);
      CHECK(w[i] == single / 3 + 1 / single + std::sqrt(single) + 1 / std::sqrt(single) + static_cast<float>(b[i]) + single);
    }
  });
}
