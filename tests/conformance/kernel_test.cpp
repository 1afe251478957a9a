// Raw kernels on every device: what a thread sees of the grid, memory that threads share, changes in one step, every dtype.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/kernel.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::LaunchOptions;
using kiln::RawKernel;
using kiln::Slice;

namespace {

constexpr DType kAll[] = {DType::bool_,    DType::int8,    DType::int16,   DType::int32,     DType::int64,
                          DType::uint8,    DType::uint16,  DType::uint32,  DType::uint64,    DType::float16,
                          DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128};

LaunchOptions launch_on(const Target& target, LaunchOptions options) {
  options.stream = target.options().stream;
  return options;
}

LaunchOptions items(const Target& target, std::int64_t size) {
  return launch_on(target, {.size = size});
}

Array random_floats(std::int64_t n, std::uint64_t stream) {
  auto source = random_source(stream);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& x : values) x = static_cast<float>(static_cast<int>(source() % 2001) - 1000);
  return Array::from(values);
}

}  // namespace

TEST_CASE("kernels: without parameters, and without anything to do") {
  on_every_device([&](const Target& target) {
    for (const char* body : {"", " // nothing\n", "const index i = grid(1); (void)i;"}) {
      CAPTURE(body);
      const RawKernel none = kiln::kernel({.name = "none", .signature = "void()", .body = body});
      none(launch_on(target, {.size = 100}));
      none(launch_on(target, {.grid = {3}, .block = {32}}));
    }
    const Array ones = target.place(Array::full({5}, 1.0F));
    kiln::kernel({.name = "idle", .signature = "void(float32[:] x)", .body = ""})(items(target, 5), ones);
    CHECK(target.fetch(ones).to_vector<float>() == std::vector<float>(5, 1.0F));
  });
}

TEST_CASE("kernels: items, each once, for any number of them") {
  static const RawKernel stencil =
      kiln::kernel({.name = "stencil", .signature = "void(const float32[:] x, float32[:] y, int64 n, float32 a)", .body = R"(
    const float32 left = item > 0 ? x[item - 1] : 0;
    const float32 right = item + 1 < n ? x[item + 1] : 0;
    y[item] += a * (left + right);)"});
  on_every_device([&](const Target& target) {
    for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 1000, 100'003}) {
      const Array x = random_floats(n, 1);
      const Array y = target.place(random_floats(n, 2));
      const std::vector<float> in = x.to_vector<float>();
      std::vector<float> wanted = target.fetch(y).to_vector<float>();
      for (std::size_t i = 0; i < in.size(); ++i) {
        wanted[i] += 0.5F * ((i > 0 ? in[i - 1] : 0.0F) + (i + 1 < in.size() ? in[i + 1] : 0.0F));
      }
      stencil(items(target, n), target.place(x), y, n, 0.5F);
      CHECK(target.fetch(y).to_vector<float>() == wanted);
    }
  });
}

TEST_CASE("kernels: every dtype as an array and as a scalar, by type variables") {
  static const RawKernel reverse = kiln::kernel({.name = "reverse",
                                                 .signature = "void(const T[:] x, T[:] y, int64 n)",
                                                 .body = "if (item == 0) y[n - 1] = x[0];\nelse y[n - 1 - item] = x[item];"});
  static const RawKernel fill =
      kiln::kernel({.name = "fill", .signature = "void(T* y, T value)", .body = "if (item % 2 == 1) y[item] = value;"});
  on_every_device([&](const Target& target) {
    for (const DType dtype : kAll) {
      CAPTURE(kiln::name(dtype));
      const auto size = static_cast<std::ptrdiff_t>(kiln::itemsize(dtype));
      constexpr std::int64_t n = 70;
      std::vector<std::int32_t> numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0);
      const Array x = Array::from(numbers).astype(dtype);
      const Array y = target.place(Array::zeros({n}, dtype));
      reverse(items(target, n), target.place(x), y, n);
      const Array got = target.fetch(y);
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const auto* const from = static_cast<const char*>(x.data()) + i * size;
        CHECK(std::memcmp(from, static_cast<const char*>(got.data()) + (n - 1 - i) * size, static_cast<std::size_t>(size)) ==
              0);
      }
    }
    const auto filled = [&](auto value) {
      using T = decltype(value);
      const Array y = target.place(Array::zeros({3, 50}, kiln::dtype_of<T>));
      fill(items(target, 150), y, value);
      const Array got = target.fetch(y);
      const T zero{};
      for (std::size_t i = 0; i < 150; ++i) {
        const T* const at = static_cast<const T*>(got.data()) + i;
        CHECK(std::memcmp(at, i % 2 == 1 ? &value : &zero, sizeof(T)) == 0);
      }
    };
    filled(true);
    filled(std::int8_t{-3});
    filled(std::uint16_t{60000});
    filled(std::int64_t{-5'000'000'000});
    filled(kiln::float16(1.5F));
    filled(kiln::bfloat16(-2.5F));
    filled(0.1);
    filled(std::complex<float>(1, -2));
    filled(std::complex<double>(0.1, -0.2));
  });
}

TEST_CASE("kernels: blocks, each thread once, with its own place") {
  static const RawKernel number = kiln::kernel({.name = "number", .signature = "void(uint32[:] out, uint32 scale)", .body = R"(
    out[item] += scale * (thread.x + block_size.x * (thread.y + block_size.y * thread.z)) +
                 1000 * (block.x + grid_size.x * (block.y + grid_size.y * block.z));)"});
  on_every_device([&](const Target& target) {
    const Array out = target.place(Array::full(kiln::Shape{720}, std::uint32_t{7}));
    number(launch_on(target, {.grid = {3, 2, 2}, .block = {5, 4, 3}}), out, std::uint32_t{2});
    const std::vector<std::uint32_t> seen = target.fetch(out).to_vector<std::uint32_t>();
    for (std::uint32_t b = 0; b < 12; ++b) {
      for (std::uint32_t t = 0; t < 60; ++t) CHECK(seen[b * 60 + t] == 7 + 2 * t + 1000 * b);
    }
    const Array one = target.place(Array::zeros({40}, DType::uint32));
    number(launch_on(target, {.grid = {40}}), one, std::uint32_t{1});
    CHECK(target.fetch(one).to_vector<std::uint32_t>()[39] == 39'000);
  });
}

TEST_CASE("kernels: a block shares memory and waits") {
  static const RawKernel sums =
      kiln::kernel({.name = "sums", .signature = "void(const float32[:] x, float32[:] y, int64 n, int64 chunk)", .body = R"(
    KILN_SHARED float32 parts[64];
    float32 sum = 0;
    for (index i = thread.x; i < chunk; i += block_size.x) {
      const index at = block.x * chunk + i;
      if (at < n) sum += x[at];
    }
    parts[thread.x] = sum;
    barrier();
    if (thread.x == 0) {
      for (uint32 t = 1; t < block_size.x; ++t) sum += parts[t];
      y[block.x] = sum;
    })"});
  static const RawKernel mirror = kiln::kernel({.name = "mirror", .signature = "void(int32* x, int32 chunk)", .body = R"(
    int32* const copy = KILN_DYNAMIC_SHARED(int32);
    int32* const own = x + index(block.x) * chunk;
    for (int32 i = int32(thread.x); i < chunk; i += int32(block_size.x)) copy[i] = own[i];
    barrier();
    for (int32 i = int32(thread.x); i < chunk; i += int32(block_size.x)) own[i] = copy[chunk - 1 - i];)"});
  on_every_device([&](const Target& target) {
    constexpr std::int64_t n = 10'007;
    constexpr std::int64_t chunk = 1000;
    const Array x = random_floats(n, 3);
    const Array y = target.place(Array::zeros({11}, DType::float32));
    sums(launch_on(target, {.grid = {11}, .block = {64}}), target.place(x), y, n, chunk);
    const std::vector<float> in = x.to_vector<float>();
    const std::vector<float> got = target.fetch(y).to_vector<float>();
    for (std::size_t b = 0; b < 11; ++b) {
      // Whole numbers: exact in any order.
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(b) * chunk;
      CHECK(got[b] == std::accumulate(begin, begin + std::min<std::ptrdiff_t>(chunk, in.end() - begin), 0.0F));
    }
    std::vector<std::int32_t> numbers(7 * 300);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Array z = target.place(Array::from(numbers));
    mirror(launch_on(target, {.grid = {7}, .block = {64}, .shared_bytes = 300 * 4}), z, 300);
    for (std::ptrdiff_t b = 0; b < 7; ++b) std::reverse(numbers.begin() + b * 300, numbers.begin() + (b + 1) * 300);
    CHECK(target.fetch(z).to_vector<std::int32_t>() == numbers);
    // More than launches of NVIDIA's may have without asking; an AMD block has 64 KB.
    std::vector<std::int32_t> many(15'000);
    std::iota(many.begin(), many.end(), 0);
    const std::int64_t bytes = 4 * std::ssize(many);
    if (target.device().kind() == kiln::DeviceKind::hip && bytes > target.device().info().shared_bytes_per_block) return;
    const Array large = target.place(Array::from(many));
    mirror(launch_on(target, {.grid = {1}, .block = {64}, .shared_bytes = bytes}), large, 15'000);
    std::reverse(many.begin(), many.end());
    CHECK(target.fetch(large).to_vector<std::int32_t>() == many);
  });
}

TEST_CASE("kernels: changes in one step, whatever other threads do") {
  static const RawKernel count = kiln::kernel(
      {.name = "count", .signature = "void(const uint8[:] x, T[:] bins)", .body = "atomic_add(&bins[x[item] % 8], 1);"});
  static const RawKernel extrema = kiln::kernel({.name = "extrema", .signature = "void(const T[:] x, T[:] out)", .body = R"(
    atomic_min(&out[0], x[item]);
    atomic_max(&out[1], x[item]);)"});
  static const RawKernel bits =
      kiln::kernel({.name = "bits", .signature = "void(T[:] out, int32[:] turns, int32[:] last)", .body = R"(
    atomic_or(&out[0], T(1) << (item % 7));
    atomic_and(&out[1], ~(T(1) << (item % 7)));
    atomic_xor(&out[2], T(item));
    // As many turns as items, each once.
    int32 seen = turns[0];
    while (true) {
      const int32 was = atomic_compare_exchange(&turns[0], seen, seen + 1);
      if (was == seen) break;
      seen = was;
    }
    last[seen] = atomic_exchange(&turns[1], int32(item));)"});
  on_every_device([&](const Target& target) {
    constexpr std::int64_t n = 1500;
    auto source = random_source(4);
    std::vector<std::uint8_t> x(n);
    for (std::uint8_t& each : x) each = static_cast<std::uint8_t>(source() % 256);
    std::array<int, 8> wanted{};
    for (const std::uint8_t each : x) ++wanted[each % 8];
    for (const DType dtype : {DType::int8, DType::uint16, DType::int32, DType::uint32, DType::int64, DType::uint64,
                              DType::float16, DType::float32, DType::float64, DType::complex64}) {
      CAPTURE(kiln::name(dtype));
      const Array bins = target.place(Array::zeros({8}, dtype));
      count(items(target, n), target.place(Array::from(x)), bins);
      const Array got = target.fetch(bins);
      const Array same = Array::from(std::vector<int>(wanted.begin(), wanted.end())).astype(dtype);
      CHECK(std::memcmp(got.data(), same.data(), 8 * kiln::itemsize(dtype)) == 0);
    }
    for (const DType dtype : {DType::int8, DType::int32, DType::int64, DType::float32, DType::float64}) {
      CAPTURE(kiln::name(dtype));
      std::vector<int> numbers(n);
      for (int& each : numbers) each = static_cast<int>(source() % 200) - 100;
      const Array out = target.place(Array::zeros({2}, dtype));
      extrema(items(target, n), target.place(Array::from(numbers).astype(dtype)), out);
      const Array got = target.fetch(out).astype(DType::int32);
      CHECK(got[{0}].item<std::int32_t>() == *std::min_element(numbers.begin(), numbers.end()));
      CHECK(got[{1}].item<std::int32_t>() == *std::max_element(numbers.begin(), numbers.end()));
    }
    for (const DType dtype : {DType::uint8, DType::int32, DType::uint64}) {
      CAPTURE(kiln::name(dtype));
      const Array out = target.place(Array::from(std::vector<int>{0, 127, 0}).astype(dtype));
      const Array turns = target.place(Array::from(std::vector<std::int32_t>{0, -1}));
      const Array last = target.place(Array::full(kiln::Shape{n}, std::int32_t{-2}));
      bits(items(target, n), out, turns, last);
      const Array got = target.fetch(out).astype(DType::int32);
      int all = 0;
      for (int i = 0; i < n; ++i) all ^= i;
      CHECK(got[{0}].item<std::int32_t>() == 127);
      CHECK(got[{1}].item<std::int32_t>() == 0);
      CHECK(got[{2}].item<std::int32_t>() == (dtype == DType::uint8 ? all % 256 : all));
      CHECK(target.fetch(turns)[{0}].item<std::int32_t>() == n);
      // Every item was there before another one, but for the last; the first found -1.
      std::vector<std::int32_t> befores = target.fetch(last).to_vector<std::int32_t>();
      befores.push_back(target.fetch(turns)[{1}].item<std::int32_t>());
      std::sort(befores.begin(), befores.end());
      for (int i = 0; i <= n; ++i) CHECK(befores[static_cast<std::size_t>(i)] == i - 1);
    }
  });
}

TEST_CASE("kernels: preamble, functions, headers, defines, and launches of one stream in order") {
  static const RawKernel scale = kiln::kernel({.name = "scale",
                                               .signature = "void(float32[:] x)",
                                               .body = "x[item] = twice(x[item]) + OFFSET + bias();",
                                               .compile = {.preamble = "#include \"bias.h\"",
                                                           .functions = "inline float32 twice(float32 v) { return v + v; }",
                                                           .headers = {{"bias.h", "inline float bias() { return 0.5f; }"}},
                                                           .defines = {"OFFSET=1"}}});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::zeros({100}, DType::float32));
    float wanted = 0;
    for (int i = 0; i < 5; ++i) {
      scale(items(target, 100), x);
      wanted = 2 * wanted + 1.5F;
    }
    CHECK(target.fetch(x)[{99}].item<float>() == wanted);
  });
}

TEST_CASE("kernels: host arrays are brought to the device, what is written comes back, and one array twice is one") {
  static const RawKernel both =
      kiln::kernel({.name = "both", .signature = "void(int32[:] x, int32[:] y)", .body = "x[item] += 1;\ny[item] *= 2;"});
  on_every_device(
      [&](const Target& target) {
        const Array x = Array::full(kiln::Shape{64}, std::int32_t{3});
        const kiln::Resolution resolution = both.resolve(items(target, 64), x, x);
        CHECK(resolution.loop == "void(int32[:] x, int32[:] y)");
        CHECK(resolution.variant == "items");
        both(items(target, 64), target.place(x), target.place(x));
        // The same array for both; placed on a GPU they are two copies.
        const bool one = target.mode() == Mode::host || target.device().is_cpu();
        CHECK(x[{63}].item<std::int32_t>() == (one ? 8 : 3));
        // A window of the host that begins within it would be another array on a GPU.
        if (target.mode() == Mode::host && !target.device().is_cpu()) {
          const Array whole = Array::zeros({65}, DType::int32);
          const std::string text = message_of<kiln::ShapeError>(
              [&] { both(items(target, 64), whole[{Slice{.stop = 64}}], whole[{Slice{.start = 1}}]); });
          CHECK(text == "both: argument 0 (x) and argument 1 (y) share memory of the host, which they would not on " +
                            to_string(target.device()) + "; bring them there with to_device() first");
        }
      },
      {Mode::host, Mode::device});
}

TEST_CASE("kernels: the same memory of the host in two shapes is one array on a device, and no third that overlaps it") {
  static const RawKernel shapes =
      kiln::kernel({.name = "shapes", .signature = "void(int32[:] x, int32* y)", .body = "x[item] += 1;\ny[item] *= 2;"});
  static const RawKernel three = kiln::kernel({.name = "three",
                                               .signature = "void(const int32[:] a, const int32[:] b, int32[:] c)",
                                               .body = "c[item] = a[item] + b[item] + 1;"});
  on_every_device(
      [&](const Target& target) {
        const Array x = Array::full(kiln::Shape{64}, std::int32_t{3});
        shapes(items(target, 64), x, x.reshape({8, 8}));
        CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>(64, 8));
        three(items(target, 64), x, x, x);
        CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>(64, 17));
        if (target.device().is_cpu()) return;
        const Array whole = Array::zeros({96}, DType::int32);
        const Array first = whole[{Slice{.stop = 64}}];
        const Array second = whole[{Slice{.start = 32}}];
        CHECK(message_of<kiln::ShapeError>([&] { three(items(target, 64), first, second, first); }) ==
              "three: argument 1 (b) and argument 2 (c) share memory of the host, which they would not on " +
                  to_string(target.device()) + "; bring them there with to_device() first");
      },
      {Mode::host});
}

TEST_CASE("kernels: items with loops of their own") {
  // Of the first item and of many others the branch is not taken.
  static const RawKernel apart =
      kiln::kernel({.name = "apart", .signature = "void(const int32[:] x, const int32[:] k, int64 off, int64[:] y)", .body = R"(
    const index i = item + off;
    int64 s = 0;
    for (int32 j = 0; j < k[item]; ++j) s += x[j];
    if ((i & 1) == 0) y[i + 1] = s + 5;)"});
  // Arrays of which the next one's copy is no multiple of a register away.
  static const RawKernel odd =
      kiln::kernel({.name = "odd", .signature = "void(const int32[:] x, const int32[:] k, int64 off, int64[:] y)", .body = R"(
    int32 w[5] = {3, 1, 4, 1, 5};
    float32 v[7] = {};
    for (int32 j = 0; j < k[item]; ++j) {
      w[j * x[item] % 5] += w[(j + k[item]) % 5];
      v[(j + x[item]) % 7] += 1;
    }
    int64 s = off;
    for (int32 j = 0; j < 5; ++j) s = s * 31 + w[j];
    for (int32 j = 0; j < 7; ++j) s = s * 7 + int64(v[j]);
    y[item] = s;)"});
  // What the pragma says is that vectors may be tried, not that no element depends on the one before.
  static const RawKernel chain =
      kiln::kernel({.name = "chain", .signature = "void(const int32[:] x, const int32[:] k, int64 off, int64[:] y)", .body = R"(
    if (item != 0) return;
#pragma clang loop vectorize(enable)
    for (index i = 1; i < y.size(); ++i) {
      int64 s = y[i - 1] + off;
      for (int32 j = 0; j < k[i]; ++j) s = (s * 3 + x[j]) & 0xffff;
      y[i] = s;
    })"});
  on_every_device([](const Target& target) {
    constexpr std::int64_t n = 203;
    std::vector<std::int32_t> x(n), k(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<std::int32_t>(i * 37 % 23);
      k[i] = static_cast<std::int32_t>(i * 7 % 11);
    }
    const auto run = [&](const RawKernel& kernel, std::int64_t size) {
      const Array y = target.place(Array::full(kiln::Shape{size}, std::int64_t{-7}));
      kernel(items(target, n), target.place(Array::from(x)), target.place(Array::from(k)), std::int64_t{1}, y);
      return target.fetch(y).to_vector<std::int64_t>();
    };
    std::vector<std::int64_t> expected(n + 2, -7);
    for (std::size_t i = 1; i < n; i += 2) {
      expected[i + 2] = std::accumulate(x.begin(), x.begin() + k[i], std::int64_t{5});
    }
    CHECK(run(apart, n + 2) == expected);

    expected.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      std::int32_t w[5] = {3, 1, 4, 1, 5};
      std::int64_t v[7] = {};
      for (std::int32_t j = 0; j < k[i]; ++j) {
        w[j * x[i] % 5] += w[(j + k[i]) % 5];
        v[(j + x[i]) % 7] += 1;
      }
      expected[i] = 1;
      for (const std::int32_t each : w) expected[i] = expected[i] * 31 + each;
      for (const std::int64_t each : v) expected[i] = expected[i] * 7 + each;
    }
    CHECK(run(odd, n) == expected);

    expected.assign(n, -7);
    for (std::size_t i = 1; i < n; ++i) {
      std::int64_t s = expected[i - 1] + 1;
      for (std::size_t j = 0; j < static_cast<std::size_t>(k[i]); ++j) s = (s * 3 + x[j]) & 0xffff;
      expected[i] = s;
    }
    CHECK(run(chain, n) == expected);
  });
}

TEST_CASE("kernels: what the device cannot do") {
  static const RawKernel plain =
      kiln::kernel({.name = "plain", .signature = "void(int32[:] x)", .body = "if (item == 0) x[0] = int32(block_size.x);"});
  static const RawKernel waits =
      kiln::kernel({.name = "waits", .signature = "void(int32[:] x)", .body = "barrier();\nx[0] = 1;"});
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::zeros({4}, DType::int32));
        const std::string items_text =
            "waits: its threads share memory or wait for one another, and items of .size do not; give .grid and .block";
        CHECK(message_of<kiln::TypeError>([&] { waits(items(target, 4), x); }) == items_text);
        if (target.device().is_cpu()) {
          const std::string text = "failed to launch \"waits\" on " + to_string(target.device()) + ": its .block is ";
          const std::string most = "), and of threads that share memory or wait for one another the device takes at most 1024";
          const auto refused = [&](const LaunchOptions& options) {
            return message_of<kiln::DeviceError>([&] { waits(launch_on(target, options), x); });
          };
          CHECK(refused({.grid = {2}, .block = {1025}}) == text + "(1025, 1, 1" + most);
          CHECK(refused({.grid = {2}, .block = {32, 33}}) == text + "(32, 33, 1" + most);
          CHECK(refused({.grid = {2}, .block = {1, 1, 1 << 30}}) == text + "(1, 1, 1073741824" + most);
        } else {
          const std::string where = "failed to launch \"plain\" on " + to_string(target.device()) + ": ";
          const auto refused = [&](const LaunchOptions& options) {
            return message_of<kiln::DeviceError>([&] { plain(launch_on(target, options), x); });
          };
          const std::string most = std::to_string(target.device().info().max_threads_per_block);
          CHECK(refused({.grid = {1}, .block = {4096}}) ==
                where + "its .block is (4096, 1, 1), and the device takes at most " + most + " threads along x");
          CHECK(refused({.grid = {1}, .block = {64, 64}}) ==
                where + "its .block is (64, 64, 1), 4096 threads, and the device takes at most " + most);
          CHECK(refused({.grid = {1, 1 << 20}}).find("its .grid is (1, 1048576, 1), and the device takes at most ") !=
                std::string::npos);
          const std::string shared = refused({.grid = {1}, .shared_bytes = 1 << 30});
          const std::string words = where + ".shared_bytes is 1073741824, and the device has ";
          REQUIRE(shared.starts_with(words));
          CHECK(shared.ends_with(" for a block"));
          // NVIDIA's have more than launches may take without asking.
          CHECK(std::stol(shared.substr(words.size())) >= target.device().info().shared_bytes_per_block);
        }
        CHECK(target.fetch(x)[{0}].item<std::int32_t>() == 0);
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("kernels: what does not compile is told in the user's own text") {
  static const RawKernel wrong =
      kiln::kernel({.name = "wrong", .signature = "void(const T[:] x, T[:] y)", .body = "T v = x[item];\n  y[item] = v + z;"});
  static const RawKernel stores =
      kiln::kernel({.name = "stores", .signature = "void(const float32[:] x)", .body = "auto p = x; p[item] = 1;"});
  static const RawKernel places =
      kiln::kernel({.name = "places", .signature = "void(float32[:] x)", .body = "x[item] = float32(thread.x);"});
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(Array::zeros({4}, DType::float32));
        const auto error = [&](const RawKernel& kernel, auto... args) {
          try {
            kernel(items(target, 4), args...);
          } catch (const kiln::CompileError& thrown) {
            REQUIRE(!thrown.diagnostics().empty());
            const kiln::Diagnostic& first = thrown.diagnostics().front();
            return first.file + ":" + std::to_string(first.line) + ":" + std::to_string(first.column);
          }
          return std::string("nothing thrown");
        };
        CHECK(error(wrong, x, x).starts_with("wrong:2:"));
        CHECK(error(stores, x).starts_with("stores:1:"));
        // Items have no place in a grid.
        CHECK(error(places, x).starts_with("places:1:"));
        CHECK(message_of<kiln::CompileError>([&] {
                wrong(items(target, 4), x, x);
              }).find("while compiling \"void(const float32[:] x, float32[:] y)\" for ") != std::string::npos);
      },
      {Mode::device});
}
