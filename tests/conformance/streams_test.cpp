// Explicit streams: calls return before their work is done, the work keeps its order and what it needs.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "kiln/math.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Ufunc;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Takes some tens of milliseconds on 100,000 elements.
const Ufunc& slow() {
  static const Ufunc ufunc =
      kiln::vectorize({.name = "slow",
                       .signatures = {"float64(float64 a)"},
                       .body = "for (int i = 0; i < 300; ++i) a = a * 0.5 + sqrt(a) / (1.0 + a);\nreturn a;"});
  return ufunc;
}

}  // namespace

TEST_CASE("streams: a call returns before its work is done") {
  on_every_device(
      [&](const Target& target) {
        const kiln::Stream stream(target.device());
        CHECK(!stream.is_default());
        CHECK(stream.device() == target.device());
        const Array x = kiln::to_device(Array::full({50'000}, 2.0), target.device());
        const Array out = kiln::to_device(Array::zeros({50'000}, DType::float64), target.device());
        slow()({x}, {.out = out, .stream = stream});
        stream.synchronize();
        // A busy machine may stop this thread at any place: once is enough.
        bool early = false;
        for (int attempt = 0; attempt < 10 && !early; ++attempt) {
          const auto start = std::chrono::steady_clock::now();
          for (int i = 0; i < 5; ++i) slow()({x}, {.out = out, .stream = stream});
          const double called = seconds_since(start);
          stream.synchronize();
          early = called < 0.5 * seconds_since(start);
        }
        CHECK(early);
      },
      {Mode::stream});
}

TEST_CASE("streams: a wait for an event ends after its time") {
  using namespace std::chrono_literals;
  on_every_device(
      [&](const Target& target) {
        const kiln::Event event(target.device());
        CHECK(event.wait_for(0ns));  // nothing was recorded
        const kiln::Stream stream(target.device());
        const Array x = kiln::to_device(Array::full({50'000}, 2.0), target.device());
        const Array out = kiln::to_device(Array::zeros({50'000}, DType::float64), target.device());
        // A busy machine may stop this thread at any place: once is enough.
        bool waited = false;
        for (int attempt = 0; attempt < 10 && !waited; ++attempt) {
          for (int i = 0; i < 5; ++i) slow()({x}, {.out = out, .stream = stream});
          event.record(stream);
          const auto start = std::chrono::steady_clock::now();
          waited = !event.wait_for(-1ns) && !event.wait_for(1ms) && seconds_since(start) >= 0.001;
          CHECK(event.wait_for(std::chrono::nanoseconds::max()));
          CHECK(event.done());
          CHECK(event.wait_for(0ns));
        }
        if (target.device().is_cpu()) CHECK(waited);  // an emulated GPU has done its work when a call returns
        stream.synchronize();
      },
      {Mode::stream});
}

TEST_CASE("streams: work keeps its order, and its arrays alive") {
  const Ufunc step = kiln::vectorize("int64(int64 a, int64 b)", "return 3 * a + b;");
  on_every_device([&](const Target& target) {
    Array x = target.place(Array::full({50'000}, std::int64_t{1}));
    std::int64_t expected = 1;
    for (std::int64_t i = 0; i < 20; ++i) {
      // The input's last handle goes while the work may still wait.
      x = target.call(step, {x, target.place(Array::full({50'000}, i))});
      expected = 3 * expected + i;
    }
    const Array host = target.fetch(x);
    std::size_t wrong = 0;
    for (const std::int64_t value : host.to_vector<std::int64_t>()) wrong += value == expected ? 0U : 1U;
    CHECK(wrong == 0);
  });
}

TEST_CASE("streams: an overlap that needs a copy waits for what is queued") {
  const Ufunc next = kiln::vectorize("int64(int64 a)", "return a + 1;");
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::zeros({100'001}, DType::int64));
    const Array low = x[{kiln::Slice{.stop = 100'000}}];
    const Array high = x[{kiln::Slice{.start = 1}}];
    for (int i = 0; i < 10; ++i) target.call(next, {low}, {.out = high});
    // Each call adds 1 and moves everything up by one: element i has been through min(i, 10) of them.
    const Array host = target.fetch(x);
    const auto* values = host.as<std::int64_t>();
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < host.size(); ++i) wrong += values[i] == std::min<std::int64_t>(i, 10) ? 0U : 1U;
    CHECK(wrong == 0);
  });
}

TEST_CASE("streams: what a method reads on the host is what earlier work of the stream writes") {
  static const Ufunc whole = kiln::vectorize("int64(float64 a)", "return a;");
  on_every_device(
      [&](const Target& target) {
        const auto place = [&](const Array& array) { return kiln::to_device(array, target.device()); };
        const kiln::Stream stream(target.device());
        const Array x = place(make(DType::int64, {1, 10, 100, 1000, 10000, 100000}));
        const Array late = place(Array::full({100'000}, 2.0));
        const Array fives = place(Array::full({2}, 5.0));
        const Array indices = place(Array::zeros({2}, DType::int64));
        const Array start = place(Array::zeros({}, DType::int64));
        CHECK(target.fetch(kiln::math::add.reduceat(x, indices)).to_vector<std::int64_t>()[0] == 1);  // compiled before
        for (int i = 0; i < 4; ++i) slow()({late}, {.out = late, .stream = stream});
        whole({fives}, {.out = indices, .stream = stream});
        const Array sums = kiln::math::add.reduceat(x, indices, {.stream = stream});
        for (int i = 0; i < 4; ++i) slow()({late}, {.out = late, .stream = stream});
        whole({fives[{0}]}, {.out = start, .stream = stream});
        const Array sum = kiln::math::add.reduce(x, {.initial = start, .stream = stream});
        stream.synchronize();
        CHECK(sums.to_vector<std::int64_t>() == std::vector<std::int64_t>{100000, 100000});
        CHECK(sum.item<std::int64_t>() == 111116);
      },
      {Mode::stream});
}

TEST_CASE("streams: dropping a stream with work in it loses nothing") {
  on_every_device(
      [&](const Target& target) {
        const Array out = kiln::to_device(Array::zeros({1000}, DType::float64), target.device());
        {
          const kiln::Stream stream(target.device());
          // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): two handles of one stream are dropped.
          const kiln::Stream same = stream;
          slow()({kiln::to_device(Array::full({1000}, 2.0), target.device())}, {.out = out, .stream = same});
        }
        target.device().synchronize();
        double expected = 2.0;
        for (int i = 0; i < 300; ++i) expected = expected * 0.5 + std::sqrt(expected) / (1.0 + expected);
        CHECK(difference(read(out.copy_to_host()), std::vector<Exact>(1000, expected), 1e-12L) == "");
      },
      {Mode::stream});
}

TEST_CASE("streams: a host program's stream and memory are shared") {
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu()) {
          CHECK(kiln::Stream(target.device()).native() == nullptr);
          CHECK(message_of<kiln::DeviceError>([&] {
                  int other = 0;
                  static_cast<void>(kiln::Stream::wrap(target.device(), &other));
                }) == "cannot wrap a stream for the CPU, which has none of a vendor's: give Device::cuda() or Device::hip()");
          return;
        }
        // Stands for one that the host program made.
        const kiln::Stream made(target.device());
        const kiln::Stream shared = kiln::Stream::wrap(target.device(), made.native());
        CHECK(shared.native() == made.native());
        CHECK(shared.device() == target.device());
        const Array owner = kiln::to_device(Array::from<double>({1, 4, 9}), target.device());
        const Array x = Array::view(owner.data(), {3}, DType::float64, {.device = target.device()});
        CHECK(x.native() == reinterpret_cast<std::uintptr_t>(owner.data()));
        kiln::math::sqrt(x, {.out = x, .stream = shared});
        made.synchronize();
        CHECK(list_of(owner.copy_to_host()) == std::vector<double>{1, 2, 3});
        CHECK(kiln::Stream().native() == nullptr);
        CHECK_THROWS_AS(static_cast<void>(kiln::Stream::wrap(target.device(), nullptr)), kiln::DeviceError);
      },
      {Mode::device});
}
