// Calls in chunks: the results of the whole call, whatever the chunks, and what happens where one fails or is stopped.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "kiln/host_memory.hpp"
#include "kiln/math.hpp"
#include "kiln/memory.hpp"
#include "kiln/npy.hpp"
#include "kiln/partial.hpp"
#include "support/message.hpp"
#include "values.hpp"

// libstdc++ 12: a false finding in the constructor of std::stop_source.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

using namespace conformance;
using kiln::Array;
using kiln::ChunkOptions;
using kiln::ChunkProgress;
using kiln::DType;
using kiln::Shape;
using kiln::Slice;
using kiln::Ufunc;

namespace {

using kiln::test::message_of;

Array uniform(const Shape& shape, std::uint64_t seed) {
  Array array = Array::empty(shape, DType::float32);
  auto* const data = array.as<float>();
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < array.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    data[i] = static_cast<float>(state >> 40) / float(1U << 24) - 0.25F;
  }
  return array;
}

const Ufunc& discriminant() {
  static const Ufunc ufunc = kiln::vectorize("float32 disc(float32 a, float32 b, float32 c) = sqrt(fabs(b * b - 4 * a * c))");
  return ufunc;
}

void on_each_device(const std::function<void(const kiln::Device&)>& body) {
  on_every_device([&](const Target& target) { body(target.device()); }, {Mode::host});
}

/// All of the sizes on a CPU; on a GPU, which may be an emulated one, the first and any other.
std::vector<std::int64_t> some_of(const kiln::Device& device, std::vector<std::int64_t> sizes) {
  if (device.is_cpu()) return sizes;
  auto random = random_source(17);
  return {sizes[0], sizes[1 + random() % (sizes.size() - 1)]};
}

}  // namespace

TEST_CASE("chunked: a ufunc's results are those of the whole call") {
  const Array a = uniform({37, 1000}, 1);
  const Array b = uniform({1000}, 2);
  const Array c = uniform({37, 1}, 3);
  const Array expected = discriminant()(a, b, c);
  const Array transposed = uniform({1000, 37}, 4).transpose();
  const Array expected_transposed = discriminant()(transposed, b, 2.0F);
  const Array mask = kiln::math::greater(a, 0.1F);
  Array masked = Array::full({37, 1000}, 7.0F);
  discriminant()({a, b, c}, {.out = masked, .where = mask});
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 1, 999, 5000, 40'000, 1 << 20})) {
      CAPTURE(bytes);
      const auto in_chunks = kiln::chunked(discriminant(), {.chunk_bytes = bytes, .devices = {device}});
      if (bytes == 1) {  // an element a chunk
        const Array few = a[{Slice{0, 3}, Slice{0, 7}}];
        CHECK(same_bits(in_chunks(few, b[Slice{0, 7}], 0.5F), discriminant()(few, b[Slice{0, 7}], 0.5F)));
        continue;
      }
      CHECK(same_bits(in_chunks(a, b, c), expected));
      const Array result = in_chunks(transposed, b, 2.0F);
      CHECK(same_bits(result, expected_transposed));
      CHECK(result.is_f_contiguous());
      const Array out = Array::full({37, 1000}, 7.0F);
      in_chunks(a, b, c, {.out = out, .where = mask});
      CHECK(same_bits(out, masked));
      // Into every other column, backwards, and in place.
      const Array wide = Array::zeros({37, 2000}, DType::float32);
      in_chunks(a, b, c, {.out = wide[{kiln::all, Slice{{}, {}, -2}}]});
      CHECK(same_bits(wide[{kiln::all, Slice{{}, {}, -2}}].copy(), expected));
      const Array own = a.copy();
      in_chunks(own, b, c, {.out = own});
      CHECK(same_bits(own, expected));
    }
  });
}

TEST_CASE("chunked: chunks of many megabytes, of ordinary and of page-locked memory") {
  const std::int64_t count = (9 << 20) + 13;
  const Array x = Array::empty({count}, DType::uint8);
  for (std::int64_t i = 0; i < count; ++i) x.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 31 + i / 999);
  const Array expected = kiln::math::bitwise_xor(x, std::uint8_t{0x5A});
  on_each_device([&](const kiln::Device& device) {
    const auto in_chunks = kiln::chunked(kiln::math::bitwise_xor, {.chunk_bytes = 64 << 20, .devices = {device}});
    const Array ordinary = Array::zeros({count}, DType::uint8);
    in_chunks(x, std::uint8_t{0x5A}, {.out = ordinary});
    CHECK(same_bits(ordinary, expected));
    const Array from = kiln::pinned({count}, DType::uint8, kiln::Order::c, device);
    from.assign(x);
    const Array to = kiln::pinned({count}, DType::uint8, kiln::Order::c, device);
    in_chunks(from, std::uint8_t{0x5A}, {.out = to});
    CHECK(same_bits(to, expected));
    const kiln::HostRegistration registered = kiln::register_host({x, ordinary}, device);
    ordinary.fill(std::uint8_t{0});
    in_chunks(x[Slice{5, {}}], std::uint8_t{0x5A}, {.out = ordinary[Slice{5, {}}]});
    CHECK(same_bits(ordinary[Slice{5, {}}], expected[Slice{5, {}}]));
  });
}

TEST_CASE("chunked: several outputs, scalars alone, nothing at all") {
  const Ufunc divmod = kiln::vectorize(
      {.name = "divmod", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  const Array a = Array::from<std::int32_t>({7, 8, 9, 10, 11, 12, 13});
  on_each_device([&](const kiln::Device& device) {
    const auto in_chunks = kiln::chunked(divmod, {.chunk_bytes = 24, .devices = {device}});
    const auto [q, r] = in_chunks.outputs<2>(a, 3);
    CHECK(q.to_vector<std::int32_t>() == std::vector<std::int32_t>{2, 2, 3, 3, 3, 4, 4});
    CHECK(r.to_vector<std::int32_t>() == std::vector<std::int32_t>{1, 2, 0, 1, 2, 0, 1});
    CHECK(kiln::chunked(kiln::math::add, {.devices = {device}})(2, 3).item<std::int64_t>() == 5);
    CHECK(kiln::chunked(kiln::math::add, {.devices = {device}})(Array::zeros({0, 4}, DType::int32), 3).shape() == Shape{0, 4});
  });
}

TEST_CASE("chunked: a generalized ufunc along its loop") {
  const kiln::Gufunc product =
      kiln::guvectorize({.name = "product",
                         .layout = "(m,n),(n,p)->(m,p)",
                         .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                         .each = "i:m, j:p",
                         .body = "float32 s = 0; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s;"});
  const Array a = uniform({6, 5, 4, 3}, 1);
  const Array b = uniform({5, 3, 2}, 2);
  const Array one = uniform({3, 2}, 3);
  const Array mask = Array::from<bool>({true, false, true, true, false});
  const Array moved = uniform({4, 3, 5}, 4);
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 1, 500, 2000})) {
      CAPTURE(bytes);
      const auto in_chunks = kiln::chunked(product, {.chunk_bytes = bytes, .devices = {device}});
      CHECK(same_bits(in_chunks(a, b), product(a, b)));
      CHECK(same_bits(in_chunks(a, one), product(a, one)));
      CHECK(same_bits(in_chunks(a, b, {.where = mask}), product(a, b, {.where = mask})));
      const kiln::GufuncOptions axes{.axes = {{0, 1}, {-2, -1}, {0, 1}}};
      CHECK(same_bits(in_chunks(moved, b, axes), product(moved, b, axes)));
    }
  });
}

TEST_CASE("chunked: reductions of a ufunc") {
  const Array x = Array::empty({40, 30, 20}, DType::int32);
  for (std::int64_t i = 0; i < x.size(); ++i) x.as<std::int32_t>()[i] = static_cast<std::int32_t>(i * 7919 % 1009 - 500);
  const Array small = x.astype(DType::int8);
  const Array mask = kiln::math::greater(x, 100);
  using kiln::math::add;
  using kiln::math::maximum;
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 64, 3000, 20'000})) {
      for (const kiln::Axes& axis :
           {kiln::Axes(0), kiln::Axes(1), kiln::Axes(-1), kiln::Axes({0, 2}), kiln::all_axes, kiln::no_axes}) {
        CAPTURE(bytes);
        const auto sum = kiln::chunked(add, {.chunk_bytes = bytes, .devices = {device}});
        CHECK(same_bits(sum.reduce(x, {.axis = axis}), add.reduce(x, {.axis = axis})));
        CHECK(same_bits(sum.reduce(small, {.axis = axis, .keepdims = true}),
                        add.reduce(small, {.axis = axis, .keepdims = true})));
        CHECK(same_bits(sum.reduce(x, {.axis = axis, .initial = 5, .where = mask}),
                        add.reduce(x, {.axis = axis, .initial = 5, .where = mask})));
        CHECK(same_bits(sum.reduce(small, {.axis = axis, .dtype = DType::int8}),
                        add.reduce(small, {.axis = axis, .dtype = DType::int8})));
        const auto most = kiln::chunked(maximum, {.chunk_bytes = bytes, .devices = {device}});
        CHECK(same_bits(most.reduce(x.transpose(), {.axis = axis}), maximum.reduce(x.transpose(), {.axis = axis})));
        CHECK(same_bits(most.reduce(x, {.axis = axis, .initial = 300, .where = mask}),
                        maximum.reduce(x, {.axis = axis, .initial = 300, .where = mask})));
      }
    }
  });
}

TEST_CASE("chunked: floating sums depend neither on the chunks nor on who took them") {
  const Array x = uniform({70, 40, 33}, 5);
  const Array mask = kiln::math::greater(x, 0.3F);
  const kiln::Reduction mean = kiln::reduction({.name = "mean",
                                                .signatures = {"float32(float32 x)"},
                                                .accumulator = "int64 n; float32 sum;",
                                                .map = "return {1, x};",
                                                .reduce = "return {a.n + b.n, a.sum + b.sum};",
                                                .post = "return a.sum / float32(a.n);",
                                                .identity = "{0, 0}"});
  const kiln::Ufunc plus = kiln::vectorize(
      {.name = "plus", .signatures = {"float32(float32 a, float32 b)"}, .expression = "a + b", .reorderable = true});
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 5000, 50'000})) {
      for (const kiln::Axes& axis : {kiln::Axes(0), kiln::Axes(1), kiln::Axes(-1), kiln::Axes({0, 2}), kiln::all_axes}) {
        CAPTURE(bytes);
        const ChunkOptions how{.chunk_bytes = bytes, .devices = {device, device}};
        const auto sum = kiln::chunked(kiln::math::add, how);
        CHECK(same_bits(sum.reduce(x, {.axis = axis}), kiln::partial(kiln::math::add, x, {.axis = axis}).finish()));
        CHECK(same_bits(
            sum.reduce(x, {.axis = axis, .keepdims = true, .initial = 7, .where = mask}),
            kiln::partial(kiln::math::add, x, {.axis = axis, .where = mask}).finish({.keepdims = true, .initial = 7})));
        CHECK(same_bits(kiln::chunked(plus, how).reduce(x, {.axis = axis, .initial = 7, .where = mask}),
                        kiln::partial(plus, x, {.axis = axis, .where = mask}).finish({.initial = 7})));
        CHECK(same_bits(kiln::chunked(mean, how)(x, {.axis = axis, .where = mask}),
                        kiln::partial(mean, x, {.axis = axis, .where = mask}).finish()));
      }
      // In the order of the memory.
      const auto sum = kiln::chunked(kiln::math::add, {.chunk_bytes = bytes, .devices = {device}});
      CHECK(same_bits(sum.reduce(x.transpose(), {.axis = kiln::all_axes}), sum.reduce(x, {.axis = kiln::all_axes})));
      CHECK(same_bits(sum.reduce(x.transpose(), {.axis = kiln::Axes({0, 2}), .where = mask.transpose()}),
                      sum.reduce(x, {.axis = kiln::Axes({0, 2}), .where = mask})));
    }
  });
}

TEST_CASE("chunked: reductions with accumulators and indices") {
  const kiln::Reduction argmax = kiln::reduction({.name = "argmax",
                                                  .signatures = {"(T best, int64 at)(T x)"},
                                                  .accumulator = "T a; int64 i;",
                                                  .map = "return {x, i};",
                                                  .reduce = "return b.a > a.a ? b : a;",
                                                  .post = "best = a.a; at = a.i;",
                                                  .reorderable = true});
  const kiln::Reduction count = kiln::reduction({.name = "moments",
                                                 .signatures = {"(int64 n, float64 mean)(float32 x, float32 w)"},
                                                 .accumulator = "int64 n; float64 sum;",
                                                 .map = "return {1, double(x * w)};",
                                                 .reduce = "return {a.n + b.n, a.sum + b.sum};",
                                                 .post = "n = a.n; mean = a.n == 0 ? 0 : a.sum / a.n;",
                                                 .identity = "{0, 0}"});
  const kiln::Reduction dot = kiln::reduction(kiln::math::multiply, kiln::math::add);
  const kiln::Reduction plain = kiln::reduction({.name = "norm1",
                                                 .signatures = {"float16(float16 x)", "float64(float64 x)"},
                                                 .map = "return fabs(x);",
                                                 .reduce = "return a + b;",
                                                 .post = "return a * 2;",
                                                 .identity = "0"});
  const Array x = Array::empty({30, 20, 10}, DType::float32);
  for (std::int64_t i = 0; i < x.size(); ++i) x.as<float>()[i] = static_cast<float>(i * 7919 % 6007);
  const Array w = Array::full({10}, 2.0F);
  const Array mask = kiln::math::greater(x, 3000.0F);
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 40, 3000, 9000})) {
      for (const kiln::Axes& axis : {kiln::Axes(0), kiln::Axes(1), kiln::Axes(-1), kiln::Axes({0, 2}), kiln::all_axes}) {
        CAPTURE(bytes);
        const ChunkOptions how{.chunk_bytes = bytes, .devices = {device}};
        const auto [best, at] = kiln::chunked(argmax, how).outputs<2>(x, {.axis = axis});
        const auto [whole_best, whole_at] = argmax.outputs<2>(x, {.axis = axis});
        CHECK(same_bits(best, whole_best));
        CHECK(same_bits(at, whole_at));
        const auto [n, mean] = kiln::chunked(count, how).outputs<2>(x, w, {.axis = axis, .keepdims = true, .where = mask});
        const auto [whole_n, whole_mean] = count.outputs<2>(x, w, {.axis = axis, .keepdims = true, .where = mask});
        CHECK(same_bits(n, whole_n));
        CHECK(same_bits(mean, whole_mean));  // sums of integers: exact
        const Array integers = x.astype(DType::int32);
        CHECK(same_bits(kiln::chunked(dot, how)(integers, integers, {.axis = axis}), dot(integers, integers, {.axis = axis})));
        CHECK(same_bits(kiln::chunked(plain, how)(x.astype(DType::float64), {.axis = axis, .initial = 3.0}),
                        plain(x.astype(DType::float64), {.axis = axis, .initial = 3.0})));
      }
    }
    const Array ones = Array::full({1000}, 0.5F).astype(DType::float16);
    CHECK(kiln::chunked(plain, {.chunk_bytes = 64, .devices = {device}})(ones).astype(DType::float32).item<float>() == 1000.0F);
  });
}

TEST_CASE("chunked: an identity that stands for nothing is not combined, and halves are rounded once") {
  const kiln::Reduction largest = kiln::reduction(
      {.name = "largest", .signatures = {"float32(float32 x)"}, .reduce = "return a > b ? a : b;", .identity = "0"});
  const Array negative = kiln::math::subtract(uniform({4000}, 3), 2.0F);
  const Array last = Array::zeros({4000}, DType::bool_);
  last[Slice{3000, {}}].fill(true);
  const Array ups = Array::full({100'000}, 1.0F);
  ups[Slice{50'000, {}}].fill(-1.0F);
  const Array halves = ups.astype(DType::float16);
  const kiln::Reduction dot = kiln::reduction(kiln::math::multiply, kiln::math::add);
  on_each_device([&](const kiln::Device& device) {
    const ChunkOptions how{.chunk_bytes = 4000, .devices = {device}};
    CHECK(kiln::chunked(largest, how)(negative, {.where = last}).item<float>() ==
          largest(negative, {.where = last}).item<float>());
    // Sums of 50,000 are nothing that adding ones to a half gives.
    const kiln::ChunkOptions parts{.chunk_bytes = 100'000, .devices = {device}};
    CHECK(kiln::chunked(kiln::math::add, parts).reduce(halves).astype(DType::float32).item<float>() == 0);
    CHECK(kiln::chunked(dot, parts)(halves, halves[Slice{0, 1}]).astype(DType::float32).item<float>() == 0);
    CHECK(kiln::chunked(kiln::math::add, parts).reduce(halves[Slice{0, 40'000}]).astype(DType::float32).item<float>() ==
          40'000);
  });
}

TEST_CASE("chunked: running results go on from chunk to chunk") {
  const Array x = Array::empty({30, 40}, DType::int16);
  for (std::int64_t i = 0; i < x.size(); ++i) x.as<std::int16_t>()[i] = static_cast<std::int16_t>(i * 31 % 97 - 40);
  const Ufunc ordered = kiln::vectorize("int64 step(int64 a, int64 b) = 3 * a - b");  // neither associative nor commutative
  const Array narrow = Array::zeros({30, 40}, DType::int16);
  on_each_device([&](const kiln::Device& device) {
    for (const std::int64_t bytes : some_of(device, {0, 64, 1000, 9000})) {
      for (const int axis : {0, 1}) {
        for (const Array& given : {x, x.transpose()}) {
          CAPTURE(bytes);
          CAPTURE(axis);
          const ChunkOptions how{.chunk_bytes = bytes, .devices = {device}};
          CHECK(same_bits(kiln::chunked(kiln::math::add, how).accumulate(given, {.axis = axis}),
                          kiln::math::add.accumulate(given, {.axis = axis})));
          CHECK(same_bits(kiln::chunked(ordered, how).accumulate(given, {.axis = axis}),
                          ordered.accumulate(given, {.axis = axis})));
          const Array own = given.copy();
          const Array other = given.copy();
          static_cast<void>(kiln::chunked(kiln::math::maximum, how).accumulate(own, {.axis = axis, .out = own}));
          static_cast<void>(kiln::math::maximum.accumulate(other, {.axis = axis, .out = other}));
          CHECK(same_bits(own, other));
          const Array out = Array::zeros(given.shape(), DType::int16);
          const Array expected = Array::zeros(given.shape(), DType::int16);
          static_cast<void>(
              kiln::chunked(kiln::math::add, how).accumulate(given, {.axis = axis, .dtype = DType::int64, .out = out}));
          static_cast<void>(kiln::math::add.accumulate(given, {.axis = axis, .dtype = DType::int64, .out = expected}));
          CHECK(same_bits(out, expected));
        }
      }
    }
  });
}

TEST_CASE("chunked: progress comes in order, and ends at the end") {
  const Array a = uniform({10'000}, 1);
  on_each_device([&](const kiln::Device& device) {
    std::vector<ChunkProgress> seen;
    const auto in_chunks = kiln::chunked(
        discriminant(),
        {.chunk_bytes = 100 << 10, .devices = {device}, .progress = [&](const ChunkProgress& now) { seen.push_back(now); }});
    static_cast<void>(in_chunks(a, a, a));
    REQUIRE(!seen.empty());
    CHECK(seen.back().done == seen.back().chunks);
    CHECK(seen.back().bytes_done == seen.back().bytes);
    CHECK(seen.back().bytes == 4 * 40'000);
    for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i].done > seen[i - 1].done);
  });
}

TEST_CASE("chunked: a call that is stopped, and one whose progress throws") {
  const Array a = kiln::math::add(uniform({50'000}, 1), 0.5F);
  // A busy machine may let this thread wait for long: chunks take milliseconds.
  const Ufunc slow = kiln::vectorize(
      "float32 slow(float32 a, float32 b, float32 c) { for (int k = 0; k < 10000; ++k) a = sqrt(a * a + b) * 0.5f; return a + "
      "c; }");
  const std::vector<float> expected = slow(a[Slice{0, 1021}], a[Slice{0, 1021}], a[Slice{0, 1021}]).to_vector<float>();
  on_each_device([&](const kiln::Device& device) {
    std::stop_source stop;
    std::int64_t told = 0;
    const Array out = Array::full({50'000}, -1.0F);
    const auto in_chunks = kiln::chunked(slow, {.chunk_bytes = 1 << 14,
                                                .devices = {device},
                                                .progress =
                                                    [&](const ChunkProgress& now) {
                                                      told = now.done;
                                                      stop.request_stop();
                                                    },
                                                .stop = stop.get_token()});
    const std::string said = message_of([&] { in_chunks(a, a, a, {.out = out}); });
    CHECK(told >= 1);
    CHECK(said.starts_with("slow: stopped after "));
    CHECK(said.ends_with(" of 49 chunks; the other results are as they were"));
    // What is done is whole, what is not is as it was.
    const std::vector<float> written = out.to_vector<float>();
    const std::int64_t left = std::count(written.begin(), written.end(), -1.0F);
    CHECK(left > 0);
    CHECK(left % 1021 == 50'000 % 1021);
    CHECK(std::vector<float>(written.begin(), written.begin() + 1021) == expected);
    CHECK_THROWS_AS(in_chunks(a, a, a), kiln::Stopped);

    const auto throwing =
        kiln::chunked(discriminant(), {.chunk_bytes = 1 << 14, .devices = {device}, .progress = [](const ChunkProgress&) {
                                         throw std::runtime_error("mine");
                                       }});
    CHECK_THROWS_WITH_AS(static_cast<void>(throwing(a, a, a)), "mine", std::runtime_error);
    const auto without_memory = kiln::chunked(
        discriminant(),
        {.chunk_bytes = 1 << 14, .devices = {device}, .progress = [](const ChunkProgress&) { throw std::bad_alloc(); }});
    const std::string text = message_of<kiln::DeviceError>([&] { static_cast<void>(without_memory(a, a, a)); });
    CAPTURE(text);
    CHECK(text.starts_with("disc: the system has no memory for its chunks; of 49 chunks "));
    CHECK(text.ends_with(" are done, the other results are not certain"));
  });
}

TEST_CASE("chunked: a call that ends in the middle does not say that nothing was written") {
  const Ufunc slow =
      kiln::vectorize("float32 slow(float32 a) { for (int k = 0; k < 20000; ++k) a = sqrt(a * a + 1) * 0.5f; return a; }");
  const Array a = uniform({20'000}, 1);
  on_each_device([&](const kiln::Device& device) {
    if (!device.is_cpu()) return;  // a kernel that runs on a GPU ends by itself
    const auto in_chunks = kiln::chunked(slow, {.chunk_bytes = 1 << 11, .devices = {device}});
    const Array out = Array::full({20'000}, -1.0F);
    static_cast<void>(slow(a[Slice{0, 100}]));  // compiled
    // At which place of a chunk the time is over, nobody knows.
    for (int milliseconds = 10; milliseconds < 20; ++milliseconds) {
      out.fill(-1.0F);
      const std::string said =
          message_of([&] { in_chunks({a}, {.out = out, .timeout = std::chrono::milliseconds(milliseconds)}); });
      CAPTURE(said);
      const std::vector<float> written = out.to_vector<float>();
      const bool any = std::count(written.begin(), written.end(), -1.0F) < 20'000;
      CHECK((said.find("nothing was written") == std::string::npos || !any));
    }
  });
}

TEST_CASE("chunked: what cannot be is told before anything runs") {
  const auto disc = kiln::chunked(discriminant(), {.chunk_bytes = 256});
  const Array a = uniform({100}, 1);
  const Array wide = uniform({200}, 1);
  CHECK(message_of([&] { static_cast<void>(kiln::chunked(Ufunc())); }).find("empty") != std::string::npos);
  CHECK(message_of([&] { static_cast<void>(kiln::chunked(discriminant(), {.chunk_bytes = -1})); }) ==
        "disc: .chunk_bytes of chunked() is -1; give a number of bytes, or 0 for what suits the device");
  CHECK(message_of([&] { static_cast<void>(disc(a, a, kiln::to_device(a, kiln::Device::cpu()))); }) ==
        "disc: chunked() takes host arrays, and input 2 (c) is on cpu; call the function itself, or give the array's "
        "copy_to_host()");
  // Any stream: none is asked for its device.
  const kiln::Stream stream = has_cpu() ? kiln::Stream(kiln::Device::cpu()) : kiln::Stream(kiln::Device::best());
  CHECK(message_of([&] { static_cast<void>(disc(a, a, a, {.stream = stream})); }) ==
        "disc: the chunks of a chunked() call have streams of their own; leave .stream and .device out, and name devices "
        "in .devices of chunked()");
  CHECK(message_of([&] {
          static_cast<void>(disc(a, a, a, {.device = kiln::Device::best()}));
        }).find("leave .stream and .device out") != std::string::npos);
  CHECK(message_of([&] { disc(wide[Slice{0, 100}], a, a, {.out = wide[Slice{1, 101}]}); }) ==
        "disc: output 0 overlaps input 0 (a), which a later chunk may have to read; give another array");
  CHECK(message_of([&] { static_cast<void>(disc(a, wide, a)); }).find("do not broadcast") != std::string::npos);
  CHECK(message_of([&] { static_cast<void>(disc.outputs<2>(a, a, a)); }).find("output") != std::string::npos);
  const kiln::Reduction odd = kiln::reduction({.name = "odd",
                                               .signatures = {"float32(float32 x)"},
                                               .accumulator = "float32 s[2];",
                                               .map = "return {{x, x}};",
                                               .reduce = "return {{a.s[0] + b.s[0], a.s[1]}};",
                                               .post = "return a.s[0];",
                                               .reorderable = true});
  CHECK(message_of([&] { static_cast<void>(kiln::chunked(odd, {.chunk_bytes = 64})(a)); }) ==
        "odd: the accumulators of parts cannot be kept in arrays, since its declaration has more than plain members; declare "
        "plain members of kiln's dtypes (\"float64 n, mean; int64 at;\"), or give larger .chunk_bytes");
}

TEST_CASE("chunked: a call that a GPU has no room for goes in chunks by itself") {
  const Array a = uniform({300, 1000}, 1);
  const Array b = uniform({1000}, 2);
  const kiln::Gufunc sums =
      kiln::guvectorize("(n)->()", "void(float32[:] x, float32 y)", "y = 0; for (index i = 0; i < n; ++i) y += x(i);");
  const kiln::Reduction most = kiln::reduction(
      {.name = "most", .signatures = {"float32(float32 x)"}, .reduce = "return a > b ? a : b;", .reorderable = true});
  const Array expected = discriminant()(a, b, 0.5F);
  const Array integers = a.astype(DType::float64).astype(DType::int32);
  on_each_device([&](const kiln::Device& device) {
    if (device.is_cpu()) return;  // which computes in the host's memory
    kiln::trim(device);
    kiln::set_memory_limit(device, kiln::memory_stats(device).used + (600 << 10));
    const kiln::Stream stream(device);
    CHECK(same_bits(discriminant()({a, b, 0.5F}, {.stream = stream}), expected));
    const Array out = Array::zeros({300, 1000}, DType::float32);
    discriminant()({a, b, 0.5F}, {.out = out, .stream = stream});
    CHECK(same_bits(out, expected));
    CHECK(same_bits(sums(a, {.stream = stream}), sums(a)));
    CHECK(most(a, {.stream = stream}).item<float>() == most(a).item<float>());
    CHECK(same_bits(kiln::math::add.reduce(integers, {.axis = 0, .stream = stream}), kiln::math::add.reduce(integers)));
    CHECK(same_bits(kiln::math::add.accumulate(integers, {.axis = 0, .stream = stream}), kiln::math::add.accumulate(integers)));
    // Arrays of the device are the caller's: there is nothing to go around.
    CHECK(message_of([&] {
            static_cast<void>(kiln::device_array({300, 1000}, DType::float32, device));
          }).find("the limit is") != std::string::npos);
    kiln::set_memory_limit(device, std::nullopt);
  });
}

TEST_CASE("chunked: from a file into a file") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("kiln-chunked-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Array a = uniform({100, 300}, 1);
  kiln::save_npy(folder / "a.npy", a);
  on_each_device([&](const kiln::Device& device) {
    const Array in = kiln::open_npy(folder / "a.npy");
    const Array out = kiln::create_npy(folder / "out.npy", {100, 300}, DType::float32);
    kiln::chunked(discriminant(), {.chunk_bytes = 10'000, .devices = {device}})(in, in, 1.0F, {.out = out});
    CHECK(same_bits(kiln::load_npy(folder / "out.npy"), discriminant()(a, a, 1.0F)));
    // A file that becomes shorter is the error of the chunk that meets it.
    kiln::save_npy(folder / "short.npy", a);
    const Array torn = kiln::open_npy(folder / "short.npy");
    std::filesystem::resize_file(folder / "short.npy", 4096);
    const std::string said = message_of([&] {
      static_cast<void>(kiln::chunked(discriminant(), {.chunk_bytes = 30'000, .devices = {device}})(torn, torn, 1.0F));
    });
    CHECK(said.find("the file became shorter") != std::string::npos);
    CHECK(said.find("; of ") != std::string::npos);
    // Also where the chunk is the only one.
    kiln::save_npy(folder / "short.npy", a);
    const Array once = kiln::open_npy(folder / "short.npy");
    std::filesystem::resize_file(folder / "short.npy", 4096);
    CHECK(message_of([&] {
            static_cast<void>(kiln::chunked(discriminant(), {.devices = {device}})(once, once, 1.0F));
          }).find("the file became shorter") != std::string::npos);
  });
  std::filesystem::remove_all(folder);
}
