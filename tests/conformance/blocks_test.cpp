// Threads of a block that share memory and wait for one another, on every device: what one writes in front of a barrier, the
// others read behind it, whatever the block's extents, and what a thread has in its variables stays its own.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Extent3;
using kiln::LaunchOptions;
using kiln::RawKernel;

namespace {

LaunchOptions blocks(const Target& target, const Extent3& grid, const Extent3& block, std::int64_t shared_bytes = 0) {
  return {.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = target.options().stream};
}

template <class T>
std::vector<T> counted(std::size_t n, std::uint32_t below) {
  std::vector<T> list(n);
  std::uint32_t state = 7;
  for (T& x : list) {
    state = state * 1103515245U + 12345U;
    x = static_cast<T>((state >> 16) % below);
  }
  return list;
}

// One dimension in which vectors are full, and such in which they are not; several; fewer threads than a vector has lanes.
constexpr Extent3 kBlocks[] = {{256}, {1}, {7}, {33}, {100}, {8, 4, 2}, {3, 5}, {1, 64}, {32, 8}};

}  // namespace

TEST_CASE("blocks: a tree of sums, with a barrier in a loop") {
  static const RawKernel sums = kiln::kernel(
      {.name = "tree", .signature = "void(const T[:] x, T[:] sums) where T: int8, int32, int64, float32, float64", .body = R"(
        KILN_SHARED T parts[256];
        const uint32 count = block_size.x * block_size.y * block_size.z;
        const uint32 me = (thread.z * block_size.y + thread.y) * block_size.x + thread.x;
        parts[me] = x[item];
        for (uint32 left = count; left > 1; left = (left + 1) / 2) {
          barrier();
          const uint32 half = (left + 1) / 2;
          if (me + half < left) parts[me] = T(parts[me] + parts[me + half]);
        }
        if (me == 0) sums[block.x] = parts[0];)"});
  const auto check = [&]<class T>(const Target& target, T) {
    for (const Extent3& block : kBlocks) {
      const auto threads = static_cast<std::size_t>(block.x * block.y * block.z);
      const std::vector<T> x = counted<T>(5 * threads, 9);
      const Array y = target.place(Array::zeros({5}, kiln::dtype_of<T>));
      sums(blocks(target, {5}, block), target.place(Array::from(x)), y);
      std::vector<T> expected;
      for (std::size_t b = 0; b < 5; ++b) {
        T sum = 0;
        for (std::size_t i = 0; i < threads; ++i) sum = static_cast<T>(sum + x[b * threads + i]);
        expected.push_back(sum);
      }
      CAPTURE(block.x);
      CAPTURE(block.y);
      CHECK(target.fetch(y).to_vector<T>() == expected);
    }
  };
  on_every_device([&](const Target& target) {
    check(target, std::int8_t{});
    check(target, std::int32_t{});
    check(target, std::int64_t{});
    check(target, float{});
    check(target, double{});
  });
}

TEST_CASE("blocks: arrays of shared<T>() are parts of .shared_bytes, one after another") {
  // Of 3 elements each thread, in two arrays, the second of which begins at a multiple of 16 bytes.
  constexpr const char* kBody = R"(
    const uint32 count = block_size.x;
    int8* small = shared<int8>(count);
    T* wide = shared<T>(2 * count);
    small[thread.x] = int8(thread.x % 100);
    wide[2 * thread.x] = x[item];
    wide[2 * thread.x + 1] = T(thread.x);
    sync();
    const uint32 other = count - 1 - thread.x;
    y[item] = T(wide[2 * other] + wide[2 * other + 1] * 2 + small[(thread.x + 1) % count] * 3);)";
  const auto define = [&](kiln::Debug debug) {
    return kiln::kernel({.name = "two",
                         .signature = "void(const T[:] x, T[:] y) where T: int32, float64",
                         .body = kBody,
                         .compile = {.debug = debug}});
  };
  const auto check = [&]<class T>(const Target& target, const RawKernel& two, T) {
    for (const std::size_t threads : {1U, 33U, 100U, 256U}) {
      CAPTURE(threads);
      const std::vector<T> x = counted<T>(3 * threads, 50);
      const Array y = target.place(Array::zeros({static_cast<std::int64_t>(x.size())}, kiln::dtype_of<T>));
      const auto bytes = static_cast<std::int64_t>((threads + 15) / 16 * 16 + (2 * threads * sizeof(T) + 15) / 16 * 16);
      two(blocks(target, {3}, {static_cast<std::int64_t>(threads)}, bytes), target.place(Array::from(x)), y);
      std::vector<T> expected;
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t t = 0; t < threads; ++t) {
          const std::size_t other = threads - 1 - t;
          expected.push_back(x[b * threads + other] + static_cast<T>(2 * other + 3 * ((t + 1) % threads % 100)));
        }
      }
      CHECK(target.fetch(y).to_vector<T>() == expected);
    }
  };
  const RawKernel plain = define({});
  const RawKernel checked = define({.on = true});
  const RawKernel raced = define({.race = true});
  on_every_device([&](const Target& target) {
    for (const RawKernel* const kernel : {&plain, &checked, &raced}) {
      check(target, *kernel, std::int32_t{});
      check(target, *kernel, double{});
    }
  });
}

TEST_CASE("blocks: a name \"shared\" of the user's is theirs") {
  const RawKernel twice = kiln::kernel({.name = "twice",
                                        .signature = "void(int32[:] x)",
                                        .body = "const int32 shared = x[item]; x[item] = shared < 2 ? 7 : shared;"});
  const RawKernel own = kiln::kernel({.name = "own",
                                      .signature = "void(int32[:] x)",
                                      .body = "x[item] = shared<3>(x[item]);",
                                      .compile = {.functions = "template <int N> int32 shared(int32 x) { return N * x; }"}});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from<std::int32_t>({1, 5}));
    twice({.size = 2, .stream = target.options().stream}, x);
    own({.size = 2, .stream = target.options().stream}, x);
    CHECK(target.fetch(x).to_vector<std::int32_t>() == std::vector<std::int32_t>{21, 15});
  });
}

TEST_CASE("blocks: what threads have in variables and arrays of their own lives across barriers") {
  // Passes numbers round: each thread gets its neighbour's, as often as the block's number says, and keeps a list of them.
  static const RawKernel round = kiln::kernel({.name = "round", .signature = "void(int32[:] x, int64[:] sums)", .body = R"(
    KILN_SHARED int32 ring[128];
    int32 own[4] = {0, 0, 0, 0};
    int32 now = x[item];
    int64 sum = 0;
    for (uint32 step = 0; step < block.x + 1; ++step) {
      ring[thread.x] = now;
      barrier();
      now = ring[(thread.x + 1) % block_size.x];
      own[(step + thread.x) % 4] += now;
      if (now % 3 == 0) {
        for (int32 i = 0; i < now; ++i) sum += i;
      }
      barrier();
    }
    x[item] = now;
    sums[item] = sum + own[thread.x % 4] * 1000;)"});
  on_every_device([&](const Target& target) {
    for (const std::size_t threads : {128U, 100U, 5U}) {
      constexpr std::size_t kCount = 6;
      const std::vector<std::int32_t> x = counted<std::int32_t>(kCount * threads, 40);
      std::vector<std::int32_t> expected = x;
      std::vector<std::int64_t> expected_sums;
      for (std::size_t b = 0; b < kCount; ++b) {
        for (std::size_t t = 0; t < threads; ++t) {
          std::int32_t own[4] = {};
          std::int64_t sum = 0;
          std::int32_t now = 0;
          for (std::size_t step = 0; step <= b; ++step) {
            now = x[b * threads + (t + step + 1) % threads];
            own[(step + t) % 4] += now;
            if (now % 3 == 0) sum += std::int64_t{now} * (now - 1) / 2;
          }
          expected[b * threads + t] = now;
          expected_sums.push_back(sum + own[t % 4] * 1000);
        }
      }
      const Array given = target.place(Array::from(x));
      const Array sums = target.place(Array::zeros({static_cast<std::int64_t>(x.size())}, DType::int64));
      round(blocks(target, {kCount}, {static_cast<std::int64_t>(threads)}), given, sums);
      CHECK(target.fetch(given).to_vector<std::int32_t>() == expected);
      CHECK(target.fetch(sums).to_vector<std::int64_t>() == expected_sums);
    }
  });
}

TEST_CASE("blocks: atomic operations on memory of the block, and on one place of all") {
  static const RawKernel count =
      kiln::kernel({.name = "counts",
                    .signature = "void(const uint8[:] x, int64 n, int32[:] bins, float32[:] largest, uint32[:] seen)",
                    .body = R"(
        KILN_SHARED int32 own[64];
        KILN_SHARED float32 most;
        for (uint32 i = thread.x; i < 64; i += block_size.x) own[i] = 0;
        if (thread.x == 0) most = 0;
        barrier();
        for (index i = item; i < n; i += gridsize(1)) {
          atomic_add(&own[x[i]], 1);
          atomic_max(&most, float32(x[i]) / 2);
          atomic_add(&seen[0], 1);
          atomic_or(&seen[1], 1u << x[i] % 32);
        }
        barrier();
        for (uint32 i = thread.x; i < 64; i += block_size.x) atomic_add(&bins[i], own[i]);
        if (thread.x == 0) largest[block.x] = most;)"});
  on_every_device([&](const Target& target) {
    const std::vector<std::uint8_t> x = counted<std::uint8_t>(20'011, 50);
    std::vector<std::int32_t> expected(64);
    for (const std::uint8_t value : x) ++expected[value];
    for (const std::int64_t threads : {256, 40, 1}) {
      const Array bins = target.place(Array::zeros({64}, DType::int32));
      const Array largest = target.place(Array::zeros({3}, DType::float32));
      const Array seen = target.place(Array::zeros({2}, DType::uint32));
      count(blocks(target, {3}, {threads}), target.place(Array::from(x)), std::int64_t{20'011}, bins, largest, seen);
      CHECK(target.fetch(bins).to_vector<std::int32_t>() == expected);
      CHECK(target.fetch(largest).to_vector<float>() == std::vector<float>(3, 24.5F));
      CHECK(target.fetch(seen).to_vector<std::uint32_t>() == std::vector<std::uint32_t>{20'011, ~0U});
    }
  });
}

TEST_CASE("blocks: functions of the user's wait and share, too") {
  static const RawKernel turned = kiln::kernel({
      .name = "turned",
      .signature = "void(float32[:] x, float32[:] y)",
      .body = R"(
        float32* const given = KILN_DYNAMIC_SHARED(float32);
        given[thread.x] = x[item];
        y[item] = neighbours(given[thread.x], thread.x, block_size.x) + given[block_size.x - 1 - thread.x];)",
      .compile = {.functions = R"(
        inline float32 neighbours(float32 own, uint32 me, uint32 count) {
          KILN_SHARED float32 all[128];
          all[me] = own;
          barrier();
          float32 sum = 0;
          for (uint32 i = me; i < count; ++i) sum += all[i];
          return sum;
        })"},
  });
  on_every_device([&](const Target& target) {
    for (const std::size_t threads : {128U, 77U}) {
      const std::vector<float> x = counted<float>(4 * threads, 100);
      const auto n = static_cast<std::int64_t>(x.size());
      const Array y = target.place(Array::zeros({n}, DType::float32));
      turned(blocks(target, {4}, {static_cast<std::int64_t>(threads)}, 4 * 128), target.place(Array::from(x)), y);
      std::vector<float> expected;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto begin = static_cast<std::ptrdiff_t>(i);
        const auto block = static_cast<std::ptrdiff_t>(i / threads * threads);
        const auto end = block + static_cast<std::ptrdiff_t>(threads);
        expected.push_back(std::accumulate(x.begin() + begin, x.begin() + end, 0.0F) +
                           x[static_cast<std::size_t>(block + end - 1 - begin)]);
      }
      CHECK(target.fetch(y).to_vector<float>() == expected);
    }
  });
}

TEST_CASE("blocks: tiles of a transpose") {
  static const RawKernel transpose =
      kiln::kernel({.name = "tiles", .signature = "void(const T[:,:] a, T[:,:] b) where T: int32, float64, int8", .body = R"(
    KILN_SHARED T tile[32][33];
    const index rows = a.shape(0), columns = a.shape(1);
    index x = block.x * 32 + thread.x;
    index y = block.y * 32 + thread.y;
    for (index j = 0; j < 32 && y + j < rows; j += block_size.y) {
      if (x < columns) tile[thread.y + j][thread.x] = a(y + j, x);
    }
    barrier();
    x = block.y * 32 + thread.x;
    y = block.x * 32 + thread.y;
    for (index j = 0; j < 32 && y + j < columns; j += block_size.y) {
      if (x < rows) b(y + j, x) = tile[thread.x][thread.y + j];
    })"});
  on_every_device([&](const Target& target) {
    const auto check = [&]<class T>(T) {
      const Array a = Array::from(counted<T>(71 * 100, 101)).reshape({71, 100});
      const Array b = target.place(Array::zeros({100, 71}, kiln::dtype_of<T>));
      transpose(blocks(target, {4, 3}, {32, 8}), target.place(a), b);
      CHECK(target.fetch(b).to_vector<T>() == a.transpose().to_vector<T>());
    };
    check(std::int32_t{});
    check(double{});
    check(std::int8_t{});
  });
}

TEST_CASE("blocks: what the CPU cannot share or keep is told") {
  const auto fails = [](const char* body, const char* functions = "") {
    const RawKernel kernel = kiln::kernel(
        {.name = "k", .signature = "void(int64[:] x, int64 n)", .body = body, .compile = {.functions = functions}});
    try {
      kernel({.grid = 1, .block = 64}, Array::zeros({64}, DType::int64), std::int64_t{64});
    } catch (const kiln::CompileError& error) {
      return error.diagnostics().front().text;
    }
    return std::string("nothing was thrown");
  };
  if (!kiln::Device::best().is_cpu()) return;
  CHECK(fails("KILN_SHARED int64 t[1 << 20]; t[thread.x] = x[item]; barrier(); x[item] = t[63 - thread.x];") ==
        "KILN_SHARED variables take 8388608 bytes, and the device has 1048576 for a block; take KILN_DYNAMIC_SHARED");
  CHECK(fails("KILN_SHARED int64 t[64]; static int64* const h[2] = {t, t + 32};\n"
              "t[thread.x] = x[item]; barrier(); x[item] = *h[thread.x % 2];") ==
        "the address of a KILN_SHARED variable cannot initialize another variable");
  CHECK(fails("int64* const own = static_cast<int64*>(__builtin_alloca(8 * n)); own[n - 1] = x[item]; barrier();\n"
              "x[item] = own[n - 1];") ==
        "a kernel with barrier() cannot have an array whose length is known only when it runs");
  CHECK(fails("x[item] = again(n);",
              "inline int64 again(int64 n) { barrier(); return n > 1 ? again(n - 1) + again(n / 2) : n; }") ==
        "barrier() and KILN_SHARED cannot stand in a function that calls itself or whose address is taken");
}
