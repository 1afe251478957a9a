// Calls that their .stop or .timeout ends: of each kind, before they begin, while they run, and what comes after. The calls
// that are ended would take minutes on a CPU.
#include <doctest/doctest.h>
#include <kiln/chunked.hpp>
#include <kiln/error.hpp>
#include <kiln/graph.hpp>
#include <kiln/kernel.hpp>
#include <kiln/math.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "devices.hpp"

using namespace std::chrono_literals;
using conformance::message_of, conformance::Mode, conformance::on_every_device, conformance::Target;
using kiln::Array, kiln::Stopped;

namespace {

constexpr std::int64_t kElements = std::int64_t{1} << 20;
constexpr int kLong = 100'000;  // iterations for each element

const kiln::Ufunc& spin() {
  static const kiln::Ufunc ufunc = kiln::vectorize(
      "float32 spin(float32 a, int32 n) { for (int k = 0; k < n; ++k) a = sqrt(a * a + 1.0f) * 0.5f; return a; }");
  return ufunc;
}

/// Combines by a sum, after `spin` of nothing.
kiln::Ufunc slow_add(int iterations) {
  return kiln::vectorize(
      {.name = "slow_add",
       .signatures = {"int32(int32 a, int32 b)"},
       .body = "volatile int n = 0; for (int k = 0; k < " + std::to_string(iterations) + "; ++k) n = n + 1; return a + b;",
       .identity = "0"});
}

const std::string kRequested = "stopped: its .stop was requested; ";
const std::string kLate = "stopped: it took longer than its .timeout of 20 ms; ";
const std::string kPartly = "its outputs are partly written";
const std::string kNothing = "nothing was written";

std::stop_token requested() {
  static std::stop_source source;  // GCC 12 takes one of its own frame for uninitialized
  source.request_stop();
  return source.get_token();
}

/// What a call says that is ended while it runs. On a busy machine it may be ended before it begins, and is made again.
template <class Call>
std::string said_midway(const Call& call) {
  std::string said;
  for (int tries = 0; tries < 20; ++tries) {
    said = message_of<Stopped>(call);
    if (!said.ends_with(kNothing)) break;
  }
  return said;
}

bool is_cpu(const Target& target) {
  return target.device().is_cpu();
}

/// Results after a Stopped call are right.
void check_spin(const Target& target) {
  const Array a = target.place(Array::full({1000}, 3.0F));
  const std::vector<float> got = target.fetch(target.call(spin(), {a, 0})).to_vector<float>();
  CHECK(got == std::vector<float>(1000, 3.0F));
}

}  // namespace

TEST_CASE("stop: a request that is there before the call, and times that suffice") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::full({300}, 2.0F));
    const Array out = target.place(Array::full({300}, -1.0F));
    const std::string said =
        message_of<Stopped>([&] { static_cast<void>(target.call(spin(), {a, 0}, {.out = out, .stop = requested()})); });
    CHECK(said == "spin: " + kRequested + kNothing);
    CHECK(target.fetch(out).to_vector<float>() == std::vector<float>(300, -1.0F));
    const std::stop_source open;
    const Array result = target.call(spin(), {a, 0}, {.out = out, .stop = open.get_token(), .timeout = 10min});
    CHECK(target.fetch(result).to_vector<float>() == std::vector<float>(300, 2.0F));
    // So long a time that no clock has it.
    CHECK(target.fetch(target.call(spin(), {a, 0}, {.timeout = std::chrono::nanoseconds::max()})).to_vector<float>()[299] ==
          2.0F);
  });
}

TEST_CASE("stop: a negative time") {
  CHECK(message_of<kiln::TypeError>([] { static_cast<void>(spin()(1.0F, 0, {.timeout = -5ms})); }) ==
        "spin: .timeout is -5 ms; give a time above 0, or 0 for no limit");
}

TEST_CASE("stop: methods, reductions, generalized and raw kernels") {
  const kiln::Ufunc add = slow_add(0);
  const kiln::Reduction sum =
      kiln::reduction({.name = "total", .signatures = {"int32(int32 x)"}, .reduce = "return a + b;", .identity = "0"});
  const kiln::Gufunc twice = kiln::guvectorize({.name = "twice",
                                                .layout = "(n)->(n)",
                                                .signatures = {"void(int32[:] x, int32[:] y)"},
                                                .body = "for (index i = 0; i < n; ++i) y(i) = 2 * x(i);"});
  const kiln::RawKernel raw = kiln::kernel({.name = "raw", .signature = "void(int32* x)", .body = "x[item] += 1;"});
  on_every_device([&](const Target& target) {
    const kiln::Stream stream = target.options().stream;
    const Array x = target.place(Array::full({4, 5000}, std::int32_t{1}));
    const Array at = target.place(Array::full({1}, std::int64_t{2}));
    const auto refused = [&](const auto& call, const std::string& what) {
      CHECK(message_of<Stopped>(call) == what + ": " + kRequested + kNothing);
    };
    const std::stop_token now = requested();
    refused([&] { static_cast<void>(add.reduce(x, {.axis = 1, .stream = stream, .stop = now})); }, "slow_add.reduce");
    refused([&] { static_cast<void>(add.accumulate(x, {.axis = 1, .stream = stream, .stop = now})); }, "slow_add.accumulate");
    refused([&] { static_cast<void>(add.reduceat(x, at, {.stream = stream, .stop = now})); }, "slow_add.reduceat");
    refused([&] { add.at(x, at, 1, {.stream = stream, .stop = now}); }, "slow_add.at");
    refused([&] { static_cast<void>(sum(x, {.stream = stream, .stop = now})); }, "total");
    refused([&] { static_cast<void>(twice(x, {.stream = stream, .stop = now})); }, "twice");
    refused([&] { raw({.size = 20000, .stream = stream, .stop = now}, x); }, "raw");

    // Cut finer, and the same.
    const auto values = [&](const Array& array) { return target.fetch(array).to_vector<std::int32_t>(); };
    const auto limit = 10min;
    CHECK(values(add.reduce(x, {.axis = 1, .stream = stream, .timeout = limit})) == std::vector<std::int32_t>(4, 5000));
    CHECK(values(add.accumulate(x, {.axis = 1, .stream = stream, .timeout = limit})) ==
          values(add.accumulate(x, {.axis = 1, .stream = stream})));
    CHECK(values(add.reduceat(x, at, {.stream = stream, .timeout = limit})) == std::vector<std::int32_t>(5000, 2));
    CHECK(values(sum(x, {.stream = stream, .timeout = limit})) == std::vector<std::int32_t>{20000});
    CHECK(values(twice(x, {.stream = stream, .timeout = limit})) == std::vector<std::int32_t>(20000, 2));
    raw({.size = 20000, .stream = stream, .timeout = limit}, x);
    add.at(x, at, 1, {.stream = stream, .timeout = limit});
    const std::vector<std::int32_t> written = values(x);
    CHECK(written[0] == 2);
    CHECK(written[9999] == 2);
    CHECK(written[10000] == 3);
  });
}

TEST_CASE("stop: floating sums do not depend on it") {
  std::vector<float> numbers(1 << 18);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1.0F / static_cast<float>(i + 1);
  const Array a = Array::from(numbers);
  const kiln::Reduction sum =
      kiln::reduction({.name = "total", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(a);
    const kiln::Stream stream = target.options().stream;
    CHECK(target.fetch(sum(x, {.stream = stream, .timeout = 10min})).to_vector<float>() ==
          target.fetch(sum(x, {.stream = stream})).to_vector<float>());
    CHECK(target.fetch(kiln::math::add.accumulate(x, {.stream = stream, .timeout = 10min})).to_vector<float>() ==
          target.fetch(kiln::math::add.accumulate(x, {.stream = stream})).to_vector<float>());
  });
}

TEST_CASE("stop: a call of minutes ends after its time, and others go on") {
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;  // an emulated kernel runs at once, a real one would keep the device
    const Array a = target.place(Array::full({kElements}, 1.0F));
    const auto call = [&] {
      static_cast<void>(target.call(spin(), {a, kLong}, {.timeout = 20ms}));
      target.wait();
    };
    // The first one may end with its compilation.
    CHECK(said_midway(call) == "spin: " + kLate + kPartly);
    CHECK(said_midway(call) == "spin: " + kLate + kPartly);
    check_spin(target);
  });
}

TEST_CASE("stop: another thread ends a call of minutes, which keeps what it has written") {
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;
    const Array a = target.place(Array::full({kElements}, 1.0F));
    const Array out = target.place(Array::full({kElements}, -1.0F));
    std::stop_source source;
    const std::jthread other([&] {
      const auto* const first = static_cast<const volatile float*>(out.data());
      while (*first == -1.0F && !source.stop_requested()) std::this_thread::sleep_for(1ms);
      source.request_stop();
    });
    const auto call = [&] {
      static_cast<void>(target.call(spin(), {a, kLong}, {.out = out, .stop = source.get_token()}));
      target.wait();
    };
    CHECK(message_of<Stopped>(call) == "spin: " + kRequested + kPartly);
    source.request_stop();  // whatever happened
    const std::vector<float> written = target.fetch(out).to_vector<float>();
    const auto left = std::count(written.begin(), written.end(), -1.0F);
    CHECK(left > 0);
    CHECK(left < kElements);
    CHECK(left % 64 == 0);
    check_spin(target);
  });
}

TEST_CASE("stop: long calls of every kind end") {
  // A leaf of a reduction is 65,536 elements.
  const kiln::Ufunc add = slow_add(1000);
  const kiln::Reduction sum = kiln::reduction({.name = "total",
                                               .signatures = {"int32(int32 x)"},
                                               .map = "volatile int n = 0; for (int k = 0; k < 1000; ++k) n = n + 1; return x;",
                                               .reduce = "return a + b;",
                                               .identity = "0"});
  const kiln::Gufunc rows = kiln::guvectorize({.name = "rows",
                                               .layout = "(n)->(n)",
                                               .signatures = {"void(int32[:] x, int32[:] y)"},
                                               .body = "volatile int v = 0; for (int k = 0; k < 1000000; ++k) v = v + 1; "
                                                       "for (index i = 0; i < n; ++i) y(i) = x(i) + v;"});
  const kiln::RawKernel items =
      kiln::kernel({.name = "items",
                    .signature = "void(int32* x)",
                    .body = "volatile int v = 0; for (int k = 0; k < 100000; ++k) v = v + 1; x[item] = v;"});
  const kiln::RawKernel blocks =
      kiln::kernel({.name = "blocks",
                    .signature = "void(int32* x)",
                    .body = "volatile int v = 0; for (int k = 0; k < 100000; ++k) v = v + 1; x[grid(1)] = v;"});
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;
    const kiln::Stream stream = target.options().stream;
    const Array x = target.place(Array::full({16, 1 << 17}, std::int32_t{1}));
    const auto ends = [&](const std::string& what, const auto& call) {
      INFO(what);
      // The first one may end with its compilation.
      for (int times = 0; times < 2; ++times) {
        const std::string said = said_midway([&] {
          call();
          target.wait();
        });
        CHECK(said == what + ": " + kLate + kPartly);
      }
    };
    ends("slow_add.accumulate", [&] { static_cast<void>(add.accumulate(x, {.axis = 1, .stream = stream, .timeout = 20ms})); });
    ends("total", [&] { static_cast<void>(sum(x, {.axis = 1, .stream = stream, .timeout = 20ms})); });
    ends("rows", [&] { static_cast<void>(rows(x.reshape({1 << 17, 16}), {.stream = stream, .timeout = 20ms})); });
    ends("items", [&] { items({.size = 1 << 20, .stream = stream, .timeout = 20ms}, x); });
    ends("blocks", [&] { blocks({.grid = 1 << 14, .block = 64, .stream = stream, .timeout = 20ms}, x); });
    check_spin(target);
  });
}

TEST_CASE("stop: calls of more work than anybody waits for") {
  constexpr std::int64_t kMany = std::int64_t{1} << 50;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const kiln::RawKernel items =
      kiln::kernel({.name = "items", .signature = "void(int32* x)", .body = "if (item % 1024 == 7) x[0] = 8;"});
  const kiln::RawKernel blocks =
      kiln::kernel({.name = "blocks", .signature = "void(int32* x)", .body = "if (thread.x == 7) x[0] = 8;"});
  const kiln::RawKernel waiting = kiln::kernel({.name = "waiting",
                                                .signature = "void(int32* x)",
                                                .body = "KILN_SHARED int32 t[8]; t[thread.x] = 8; barrier(); x[0] = t[7];"});
  const kiln::Reduction sum =
      kiln::reduction({.name = "total", .signatures = {"int32(int32 x)"}, .reduce = "return a + b;", .identity = "0"});
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;
    const kiln::Stream stream = target.options().stream;
    const auto ends = [&](const std::string& what, const auto& call) {
      INFO(what);
      for (int times = 0; times < 2; ++times) {
        const auto start = std::chrono::steady_clock::now();
        CHECK(said_midway([&] {
                call();
                target.wait();
              }) == what + ": " + kLate + kPartly);
        CHECK(std::chrono::steady_clock::now() - start < 5s);
      }
    };
    const Array x = target.place(Array::full({1}, std::int32_t{1}));
    for (const std::int64_t size : {kMany, kMost - 63, kMost}) {
      x.fill(1);
      ends("items", [&] { items({.size = size, .stream = stream, .timeout = 20ms}, x); });
      CHECK(target.fetch(x).to_vector<std::int32_t>()[0] == 8);
    }
    const kiln::LaunchOptions endless{
        .grid = {(std::int64_t{1} << 31) - 1, 65535, 8}, .block = 8, .stream = stream, .timeout = 20ms};
    for (const kiln::RawKernel* const kernel : {&blocks, &waiting}) {
      x.fill(1);
      ends(kernel == &blocks ? "blocks" : "waiting", [&] { (*kernel)(endless, x); });
      CHECK(target.fetch(x).to_vector<std::int32_t>()[0] == 8);
    }
    const kiln::Ufunc& add = kiln::math::add;
    const Array many = x.broadcast_to({kMany});
    for (const Array& all : {many, x.broadcast_to({kMany / 8, 8}), x.broadcast_to({4, kMany / 8})}) {
      for (int axis = 0; axis < static_cast<int>(all.shape().size()); ++axis) {
        if (all.size() / all.shape()[static_cast<std::size_t>(axis)] > 100) continue;  // a result for each
        ends("add.reduce", [&] { static_cast<void>(add.reduce(all, {.axis = axis, .stream = stream, .timeout = 20ms})); });
      }
    }
    ends("total", [&] { static_cast<void>(sum(many, {.stream = stream, .timeout = 20ms})); });
    const Array begins = target.place(Array::from<std::int64_t>({0, 5}));
    ends("add.reduceat", [&] { static_cast<void>(add.reduceat(many, begins, {.stream = stream, .timeout = 20ms})); });
    const Array index = target.place(Array::full({1}, std::int64_t{0})).broadcast_to({kMany});
    ends("add.at", [&] { add.at(x, index, 1, {.stream = stream, .timeout = 20ms}); });
  });
}

TEST_CASE("stop: a chunked call with a time") {
  if (!conformance::has_cpu()) return;
  const Array a = Array::full({kElements}, 1.0F);
  const auto in_chunks = kiln::chunked(spin(), {.chunk_bytes = 1 << 16, .devices = {kiln::Device::cpu()}});
  const std::string said = message_of<Stopped>([&] { static_cast<void>(in_chunks(a, kLong, {.timeout = 20ms})); });
  CHECK(said.starts_with("spin: " + kLate));
  CHECK(said.find(" chunks ") != std::string::npos);  // how many are done, or as they were
  CHECK(in_chunks(a, 0, {.timeout = 10min}).to_vector<float>() == std::vector<float>(kElements, 1.0F));
}

TEST_CASE("stop: a capture has none") {
  on_every_device(
      [&](const Target& target) {
        const Array a = target.place(Array::full({100}, 1.0F));
        const Array out = target.place(Array::full({100}, 1.0F));
        const kiln::Stream stream = target.options().stream;
        const std::string said = message_of<kiln::DeviceError>([&] {
          static_cast<void>(
              kiln::capture(stream, [&] { static_cast<void>(spin()(a, 0, {.out = out, .stream = stream, .timeout = 1min})); }));
        });
        CHECK(said == "spin cannot be captured: a graph has no .stop and no .timeout; make the call without them");
      },
      {Mode::stream});
}

TEST_CASE("stop: in debug mode on the CPU loops of bodies end, too") {
  const auto endless = [](const char* loop) {
    return kiln::vectorize({.name = "endless",
                            .signatures = {"int32(int32 a)"},
                            .body = std::string("int32 n = a; ") + loop + " return n;",
                            .compile = {.debug = {.on = true}}});
  };
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;
    const Array a = target.place(Array::full({100}, std::int32_t{3}));
    for (const char* const loop : {"while (true) n = n + 1;", "for (;;) ++n;", "do { ++n; } while (n != 0 || true);",
                                   "if (a > 0) for (;;) { while (a > 0) ++n; } else n = 7;"}) {
      CAPTURE(loop);
      const kiln::Ufunc ufunc = endless(loop);
      CHECK(said_midway([&] { (void)target.call(ufunc, {a}, {.timeout = 20ms}); }) == "endless: " + kLate + kPartly);
      const auto stopped = [&] {
        const auto source = std::make_unique<std::stop_source>();  // GCC 12 takes one of the frame for uninitialized
        const std::jthread stopper([&] {
          std::this_thread::sleep_for(20ms);
          source->request_stop();
        });
        (void)target.call(ufunc, {a}, {.stop = source->get_token()});
      };
      CHECK(said_midway(stopped) == "endless: " + kRequested + kPartly);
    }
    const kiln::Ufunc declares = endless("while (int m = n - 3) n = m; while (n > 0) --n; for (;;) if (++n > 8) break;");
    CHECK(target.fetch(target.call(declares, {a}, {.timeout = 60s})).to_vector<std::int32_t>() ==
          std::vector<std::int32_t>(100, 9));
    // Loops that end by themselves are whole, and a flag of another call is not theirs.
    const kiln::Ufunc counted =
        endless("for (int k = 0, j = 1; k < 1000; k += j) n += 2; int k = 5; do { ++n; } while (--k > 0);");
    for (int round = 0; round < 3; ++round) {
      CHECK(target.fetch(target.call(counted, {a}, {.timeout = 60s})).to_vector<std::int32_t>() ==
            std::vector<std::int32_t>(100, 2008));
    }
  });
}

TEST_CASE("stop: in debug mode on the CPU loops of accumulate and at end, too") {
  on_every_device([&](const Target& target) {
    if (!is_cpu(target)) return;
    const kiln::Ufunc endless = kiln::vectorize({.name = "endless",
                                                 .signatures = {"int32(int32 a, int32 b)"},
                                                 .body = "int32 n = a;\nwhile (n != b || true) ++n;\nreturn n;",
                                                 .compile = {.debug = {.on = true}}});
    const Array a = target.place(Array::full({100}, std::int32_t{3}));
    const kiln::Stream stream = target.options().stream;
    CHECK(said_midway([&] { (void)endless.accumulate(a, {.stream = stream, .timeout = 20ms}); }) ==
          "endless.accumulate: " + kLate + kPartly);
    const Array index = target.place(Array::full({50}, std::int64_t{7}));
    CHECK(said_midway([&] { endless.at(a, index, 1, {.stream = stream, .timeout = 20ms}); }) ==
          "endless.at: " + kLate + kPartly);
  });
}
