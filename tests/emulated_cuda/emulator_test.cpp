// Raw kernels on the emulated GPU, with what CUDA's documentation says of each built-in worked out by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "machine.hpp"

using namespace kiln_emulated::test;

TEST_CASE("emulator: every thread of every block runs once, with its own place") {
  Machine machine;
  void* const kernel = machine.load(R"(
extern "C" __global__ void number(unsigned* out, unsigned scale) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += scale * thread + 1000 * block;
})",
                                    "number");
  const Size grid{3, 2, 2}, block{5, 4, 3};
  unsigned* const out = machine.place(std::vector<unsigned>(720, 7));
  REQUIRE(machine.launch(kernel, grid, block, 0, out, 2U) == 0);
  const std::vector<unsigned> seen = machine.fetch(out, 720);
  for (unsigned b = 0; b < 12; ++b) {
    for (unsigned t = 0; t < 60; ++t) CHECK(seen[b * 60 + t] == 7 + 2 * t + 1000 * b);
  }
}

TEST_CASE("emulator: a sum through shared memory, shuffles and atomics") {
  Machine machine;
  void* const kernel = machine.load(R"(
template <class T>
__device__ T warp_sum(T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
  return x;
}
template <class T, int N>
__device__ T block_sum(T x) {
  __shared__ T parts[N / 32];
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x < N / 32 ? parts[threadIdx.x] : T(0);
  if (threadIdx.x < 32) x = warp_sum(x);
  return x;
}
extern "C" __global__ void sum(const int* in, int n, double* total, float* rough, unsigned long long* by_cas, int* last) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  const double both = block_sum<double, 256>(mine) + 0 * block_sum<int, 256>(mine);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    atomicAdd(total, both);
    atomicAdd(rough, float(both));
    unsigned long long old = *by_cas, seen;
    do {
      seen = old;
      old = atomicCAS(by_cas, seen, seen + (unsigned long long)(both));
    } while (old != seen);
    __threadfence();
    is_last = atomicAdd(last, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 255) *last = -1;
})",
                                    "sum");
  std::vector<int> numbers(10000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const int* const in = machine.place(numbers);
  double* const total = machine.place(std::vector<double>{0.5});
  float* const rough = machine.place(std::vector<float>{0});
  std::uint64_t* const by_cas = machine.place(std::vector<std::uint64_t>{1});
  int* const last = machine.place(std::vector<int>{0});
  REQUIRE(machine.launch(kernel, {7}, {256}, 0, in, 10000, total, rough, by_cas, last) == 0);
  CHECK(machine.fetch(total, 1)[0] == 50005000.5);
  CHECK(machine.fetch(rough, 1)[0] == doctest::Approx(50005000));
  CHECK(machine.fetch(by_cas, 1)[0] == 50005001);
  CHECK(machine.fetch(last, 1)[0] == -1);
}

TEST_CASE("emulator: an inclusive scan in dynamic shared memory, by a barrier a step") {
  Machine machine;
  void* const kernel = machine.load(R"(
extern __shared__ __align__(16) unsigned char bytes[];
extern "C" __global__ void __launch_bounds__(200) scan(int* x) {
  extern __shared__ int numbers[];
  numbers[threadIdx.x] = x[threadIdx.x];
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    const int before = threadIdx.x >= d ? numbers[threadIdx.x - d] : 0;
    __syncthreads();
    numbers[threadIdx.x] += before;
  }
  __syncthreads();
  x[threadIdx.x] = reinterpret_cast<int*>(bytes)[threadIdx.x];
})",
                                    "scan");
  std::vector<int> numbers(200);
  for (int i = 0; i < 200; ++i) numbers[static_cast<std::size_t>(i)] = (i * 37) % 11 - 4;
  int* const x = machine.place(numbers);
  REQUIRE(machine.launch(kernel, {1}, {200}, 800, x) == 0);
  std::partial_sum(numbers.begin(), numbers.end(), numbers.begin());
  CHECK(machine.fetch(x, 200) == numbers);
}

TEST_CASE("emulator: what lanes of a warp see of each other") {
  Machine machine;
  void* const kernel = machine.load(R"(
extern "C" __global__ void lanes(int* out) {
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
  mine[15] = (int)__umulhi(0xffffffffu, lane) + (int)(__brev(1u << lane) >> 31 - lane) + warpSize;
})",
                                    "lanes");
  int* const out = machine.place(std::vector<int>(64 * 16));
  REQUIRE(machine.launch(kernel, {1}, {64}, 0, out) == 0);
  const std::vector<int> seen = machine.fetch(out, 64 * 16);
  for (int t = 0; t < 64; ++t) {
    const int lane = t % 32;
    const int* const mine = seen.data() + 16 * t;
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
    if (lane >= 8) CHECK(mine[13] == static_cast<int>(0xffffff00U));
    CHECK(mine[14] % 10 == (lane == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(lane)) + 1));
    CHECK(mine[14] / 10 % 10 == __builtin_popcount(static_cast<unsigned>(lane)));
    CHECK(mine[15] == (lane == 0 ? 0 : lane - 1) + 1 + 32);
  }
}

TEST_CASE("emulator: atomics give what was there before") {
  Machine machine;
  void* const kernel = machine.load(R"(
extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, unsigned short* s) {
  const int t = threadIdx.x;
  atomicMax(i, t);
  atomicMin(i + 1, -t);
  atomicOr(u, 1u << t);
  atomicInc(u + 1, 9u);
  atomicExch(i + 2, atomicSub(i + 3, 2));
  atomicAdd(l, 1ull << 33);
  atomicMax((long long*)(l + 1), (long long)-t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicCAS(s, (unsigned short)3, (unsigned short)t);
})",
                                    "atomics");
  int* const i = machine.place(std::vector<int>{-5, 5, 0, 100});
  unsigned* const u = machine.place(std::vector<unsigned>{0, 0});
  std::uint64_t* const l = machine.place(std::vector<std::uint64_t>{0, static_cast<std::uint64_t>(-100)});
  float* const f = machine.place(std::vector<float>{1});
  double* const d = machine.place(std::vector<double>{1});
  std::uint16_t* const s = machine.place(std::vector<std::uint16_t>{3});
  REQUIRE(machine.launch(kernel, {1}, {32}, 0, i, u, l, f, d, s) == 0);
  CHECK(machine.fetch(i, 4) == std::vector<int>{31, -31, 38, 36});
  CHECK(machine.fetch(u, 2) == std::vector<unsigned>{0xffffffffU, 2});
  CHECK(machine.fetch(l, 2) == std::vector<std::uint64_t>{std::uint64_t{32} << 33, 0});
  CHECK(machine.fetch(f, 1)[0] == 17);
  CHECK(machine.fetch(d, 1)[0] == 9);
  CHECK(machine.fetch(s, 1)[0] < 32);
}

TEST_CASE("emulator: blocks that wait for the ones before them go on when those are done") {
  Machine machine;
  void* const kernel = machine.load(R"(
extern "C" __global__ void chain(int* ticket, volatile int* sums, const int* in) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    while (mine > 0 && (before = sums[mine - 1]) == 0) __nanosleep(20);
    sums[mine] = before + in[mine];
    __threadfence();
  }
})",
                                    "chain");
  std::vector<int> numbers(50, 3);
  int* const ticket = machine.place(std::vector<int>{0});
  int* const sums = machine.place(std::vector<int>(50));
  const int* const in = machine.place(numbers);
  REQUIRE(machine.launch(kernel, {50}, {64}, 0, ticket, sums, in) == 0);
  CHECK(machine.fetch(sums, 50)[49] == 150);
}

TEST_CASE("emulator: arithmetic is IEEE's, fused only where asked") {
  Machine machine;
  const std::string source = R"(
extern "C" __global__ void fused(float* x) { x[3] = x[0] * x[1] + x[2]; x[4] = sqrtf(x[0]); x[5] = fmaf(x[0], x[1], x[2]); })";
  const float a = 1 + 0x1p-12F, c = -(1 + 0x1p-11F);
  for (const bool fuse : {false, true}) {
    const Compiled compiled = compile(source, {fuse ? "-fmad=true" : "-fmad=false", "--gpu-architecture=sm_90"});
    REQUIRE_MESSAGE(compiled.status == 0, compiled.log);
    void* module = nullptr;
    void* function = nullptr;
    REQUIRE(cu("cuModuleLoadDataEx", &module, static_cast<const void*>(compiled.code.data()), 0U,
               static_cast<const int*>(nullptr), static_cast<void**>(nullptr)) == 0);
    REQUIRE(cu("cuModuleGetFunction", &function, module, "fused") == 0);
    float* const x = machine.place(std::vector<float>{a, a, c, 0, 0, 0});
    REQUIRE(machine.launch(function, {1}, {1}, 0, x) == 0);
    const std::vector<float> seen = machine.fetch(x, 6);
    CHECK(seen[3] == (fuse ? 0x1p-24F : 0.0F));
    CHECK(seen[4] == std::sqrt(a));
    CHECK(seen[5] == 0x1p-24F);
    CHECK(cu("cuModuleUnload", module) == 0);
  }
}
