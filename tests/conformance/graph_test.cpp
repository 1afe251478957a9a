// Graphs: calls that are recorded once and run again, on every device; what takes another's place; what cannot be captured.
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "devices.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "kiln/event.hpp"
#include "kiln/fft.hpp"
#include "kiln/graph.hpp"
#include "kiln/kernel.hpp"
#include "kiln/math.hpp"
#include "kiln/memory.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;

namespace {

kiln::Array ones(const Target& target, std::int64_t n = 1000) {
  return kiln::to_device(Array::full({n}, 1.0F), target.device());
}

/// Every kind of kernel that can be captured, in a chain: what it gives for `x`, on the stream of the target.
struct Chain {
  kiln::Ufunc step = kiln::vectorize("float32(float32 a, float32 b)", "return 2.0f * a + b;");
  kiln::Gufunc dot = kiln::guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 c)",
                                       "c = 0; for (int64 i = 0; i < a.size(); ++i) c += a[i] * b[i];");
  kiln::RawKernel twice = kiln::kernel({.name = "twice", .signature = "void(float32[:] x)", .body = "x[item] *= 2.0f;"});
  kiln::Reduction mean = kiln::reduction({.name = "mean",
                                          .signatures = {"float32(float32 x)"},
                                          .reduce = "return a + b;",
                                          .post = "return a / 1000;",
                                          .identity = "0"});

  struct Results {
    Array stepped, running, sum, segments, dotted, mean;
  };
  [[nodiscard]] Results run(const Array& x, const kiln::Stream& stream) const {
    Results made;
    made.stepped = step({x, 3.0F}, {.stream = stream});
    kiln::LaunchOptions launch{.size = made.stepped.size()};
    launch.stream = stream;
    twice(launch, made.stepped);
    made.running = kiln::math::add.accumulate(made.stepped, {.stream = stream});
    made.sum = kiln::math::add.reduce(made.running, {.stream = stream});
    made.segments = kiln::math::add.reduceat(made.stepped, Array::from<std::int64_t>({0, 10, 500}), {.stream = stream});
    made.dotted = dot({made.stepped, x}, {.stream = stream});
    made.mean = mean({x}, {.stream = stream});
    return made;
  }
};

kiln::Stream stream_of(const Target& target) {
  return target.options().stream;
}

void expect_chain(const Target& target, const Chain::Results& made, float x) {
  const float stepped = 2 * (2 * x + 3);
  CHECK(list_of(target.fetch(made.stepped)) == std::vector<double>(1000, stepped));
  CHECK(target.fetch(made.running[999]).item<float>() == 1000 * stepped);
  CHECK(target.fetch(made.sum).item<float>() == doctest::Approx(stepped * 500.5 * 1000));
  CHECK(list_of(target.fetch(made.segments)) == std::vector<double>{10 * stepped, 490 * stepped, 500 * stepped});
  CHECK(target.fetch(made.dotted).item<float>() == doctest::Approx(1000 * stepped * x));
  CHECK(target.fetch(made.mean).item<float>() == x);
}

}  // namespace

TEST_CASE("graph: every kind of call runs when it is launched, with what is in the arrays then") {
  const Chain chain;
  on_every_device(
      [&](const Target& target) {
        const Array x = ones(target);
        Chain::Results made;
        const kiln::Graph graph = kiln::capture(stream_of(target), [&] { made = chain.run(x, stream_of(target)); });
        CHECK(graph.kernels() >= 7);
        made.stepped.fill(-1.0F);
        target.wait();
        CHECK(list_of(target.fetch(made.stepped)) == std::vector<double>(1000, -1));
        for (const float value : {1.0F, 2.0F, 5.0F}) {
          x.fill(value);
          kiln::Device(target.device()).synchronize();
          graph.launch();
          target.wait();
          expect_chain(target, made, value);
        }
        // Calls outside go on as ever, on another stream, too.
        const kiln::Stream other(target.device());
        graph.launch(other);
        other.synchronize();
        expect_chain(target, made, 5);
        const Array outside = chain.step({x, 1.0F}, {.stream = other});
        other.synchronize();
        CHECK(list_of(target.fetch(outside))[0] == 11);
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("graph: it keeps what it uses") {
  const kiln::Ufunc add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  on_every_device(
      [&](const Target& target) {
        Array result;
        kiln::Graph graph;
        {
          const kiln::Ufunc own = kiln::vectorize("float32(float32 a, float32 b)", "return a - b;");
          const Array a = ones(target);
          graph = kiln::capture(stream_of(target), [&] {
            const Array between = add({a, a}, {.stream = stream_of(target)});
            result = own({between, 0.5F}, {.stream = stream_of(target)});
          });
        }
        kiln::trim(target.device());
        const kiln::Graph copy = graph;
        graph.launch();
        graph = {};
        copy.launch();
        target.wait();
        CHECK(list_of(target.fetch(result)) == std::vector<double>(1000, 1.5));
        CHECK_FALSE(graph.valid());
        CHECK(graph.kernels() == 0);
        // Nothing to run is nothing wrong.
        kiln::capture(stream_of(target), [] {}).launch();
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("graph: other arrays take the place of those that were captured") {
  const Chain chain;
  const kiln::Ufunc add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Stream stream = stream_of(target);
        const Array x = ones(target);
        Chain::Results made;
        kiln::Graph graph = kiln::capture(stream, [&] { made = chain.run(x, stream); });
        graph.launch();
        const Array other = kiln::to_device(Array::full({1000}, 4.0F), target.device());
        graph.exchange(x, other);
        graph.launch();
        target.wait();
        expect_chain(target, made, 4);
        const Array output = kiln::device_array({1000}, DType::float32, target.device());
        Chain::Results moved = made;
        moved.stepped = output;
        graph.exchange(made.stepped, output);
        other.fill(3.0F);
        kiln::Device(target.device()).synchronize();
        graph.launch();
        target.wait();
        expect_chain(target, moved, 3);
        CHECK(list_of(target.fetch(made.stepped))[0] == 22);

        // Views follow the array that they are part of; two arrays can change places.
        const Array a = kiln::to_device(Array::full({64}, 1.0F), target.device());
        const Array b = kiln::to_device(Array::full({64}, 10.0F), target.device());
        const Array low = a[{kiln::Slice{.stop = 32}}];
        const Array high = a[{kiln::Slice{.start = 32}}];
        kiln::Graph halves =
            kiln::capture(stream, [&] { add({low, high}, {.out = b[{kiln::Slice{.stop = 32}}], .stream = stream}); });
        halves.launch();
        target.wait();
        CHECK(list_of(target.fetch(b))[0] == 2);
        CHECK(list_of(target.fetch(b))[63] == 10);
        halves.exchange({{a, b}, {b, a}});
        halves.launch();
        target.wait();
        CHECK(list_of(target.fetch(a))[0] == 12);
        CHECK(list_of(target.fetch(a))[32] == 1);
        halves.exchange({{a, b}, {b, a}});
        halves.launch();
        target.wait();
        CHECK(list_of(target.fetch(b))[0] == 13);

        // By tiles: the launch has shapes and strides of its own.
        const Array square = kiln::to_device(Array::full({40, 33}, 1.0F), target.device());
        const Array rows = kiln::to_device(Array::full({33, 40}, 2.0F), target.device());
        const Array sums = kiln::device_array({33, 40}, DType::float32, target.device());
        kiln::Graph turned = kiln::capture(stream, [&] { add({square.transpose(), rows}, {.out = sums, .stream = stream}); });
        std::vector<float> numbers(33 * 40);
        std::iota(numbers.begin(), numbers.end(), 0.0F);
        const Array counted = Array::from(numbers).reshape({40, 33});
        turned.exchange(square, kiln::to_device(counted, target.device()));
        turned.launch();
        target.wait();
        std::vector<double> expected = list_of(counted.transpose().copy());
        for (double& each : expected) each += 2;
        CHECK(list_of(target.fetch(sums)) == expected);
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("graph: exchanges that make no sense change nothing") {
  const kiln::Ufunc add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Stream stream = stream_of(target);
        const Array x = ones(target, 64);
        const Array out = ones(target, 64);
        kiln::Graph graph = kiln::capture(stream, [&] { add({x, x}, {.out = out, .stream = stream}); });
        const auto error = [&](const auto& action) { return message_of<kiln::Error>(action); };
        const Array fresh = ones(target, 80);
        CHECK(error([&] { graph.exchange(x, ones(target, 65)); }) ==
              "exchange: the arrays have shapes (64,) and (65,); capture the calls again for another shape");
        CHECK(error([&] { graph.exchange(x, kiln::to_device(Array::full({64}, std::int32_t{1}), target.device())); }) ==
              "exchange: the arrays have dtypes float32 and int32; the kernels were compiled for the first");
        const Array wide = ones(target, 128);
        CHECK(error([&] { graph.exchange(x, wide[{kiln::Slice{.step = 2}}]); }) ==
              "exchange: the arrays have strides (4,) and (8,); give one that lies in memory like the first");
        CHECK(error([&] { graph.exchange(x, fresh[{kiln::Slice{.start = 1, .stop = 65}}]); }) ==
              "exchange: the arrays are aligned differently, modulo 64 bytes; give a copy() of the second");
        CHECK(error([&] { graph.exchange(wide, ones(target, 128)); }) ==
              "exchange: no captured call uses the first array; give one of those that the calls were given or made");
        CHECK(
            error([&] { graph.exchange(x[{kiln::Slice{.stop = 32}}], ones(target, 32)); }) ==
            "exchange: a captured call uses memory of the first array together with memory beside it; exchange the array that "
            "both are part of");
        CHECK(error([&] { graph.exchange(x, out); }) ==
              "exchange: the second array shares memory with another one of the captured calls; give one of its own");
        CHECK(error([&] { graph.exchange(Array(), out); }).find("empty Array handle") != std::string::npos);
        CHECK(error([&] { kiln::Graph().exchange(x, out); }) == "exchange: this is an empty Graph handle; capture() makes one");
        CHECK(error([&] { kiln::Graph().launch(); }) == "launch: this is an empty Graph handle; capture() makes one");
        graph.launch();
        target.wait();
        CHECK(list_of(target.fetch(out)) == std::vector<double>(64, 2));
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("graph: what cannot be captured is an error, and the stream is as it was") {
  const kiln::Ufunc add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  on_every_device(
      [&](const Target& target) {
        const kiln::Stream stream = stream_of(target);
        const kiln::Stream other(target.device());
        const Array x = ones(target);
        const auto error = [&](const std::function<void()>& calls) {
          return message_of<kiln::Error>([&] { static_cast<void>(kiln::capture(stream, calls)); });
        };
        CHECK(
            error([&] { add({x, x}, {.stream = other}); }) ==
            "capture: a call inside goes to another stream than the one that is captured; give it .stream, or make it outside");
        CHECK(error([&] { stream.synchronize(); }) ==
              "a wait for a stream cannot be captured: the work inside runs only when the graph does; wait after the launch");
        CHECK(error([&] { static_cast<void>(kiln::capture(stream, [] {})); }) ==
              "capture: this thread is in a capture already; end that one first");
        const kiln::Graph graph = kiln::capture(stream, [] {});
        CHECK(error([&] { graph.launch(); }) ==
              "a graph cannot be captured: it is launched as one; make its calls inside instead");
        CHECK(error([&] {
                add.at(x, {Array::from<std::int64_t>({1})}, x[{kiln::Slice{.stop = 1}}], {.stream = stream});
              }).find("cannot be captured: it looks at its indices when it is called") != std::string::npos);
        CHECK(error([&] {
                add({x[{kiln::Slice{.stop = 999}}], 1.0F}, {.out = x[{kiln::Slice{.start = 1}}], .stream = stream});
              }).find("cannot be captured: an output shares memory with an input that would have to be copied first") !=
              std::string::npos);
        kiln::Event event(target.device());
        CHECK(
            error([&] { event.record(stream); }) ==
            "an event cannot be captured: it would be recorded now, and not when the graph runs; record it around the launch");
        CHECK(error([&] { stream.wait(event); }) ==
              "a wait for an event cannot be captured: it would be made now, and not when the graph runs; wait before the "
              "launch");
        CHECK(error([&] { kiln::fft::fft(x, {.stream = stream}); }) ==
              "fft cannot be captured: it is no kernel of kiln's; call it before or after the graph");
        const Array host = Array::full({1000}, 1.0F);
        CHECK(error([&] { static_cast<void>(kiln::chunked(kiln::math::add, {.devices = {target.device()}})(host, host)); }) ==
              "add cannot be captured: chunks are computed at once, by threads of their own; call it outside");
        if (!target.device().is_cpu()) {
          CHECK(error([&] {
                  add({Array::full({1000}, 1.0F), x}, {.stream = stream});
                }).find("cannot be captured: it has arrays of the host and runs on ") != std::string::npos);
          CHECK(error([&] { static_cast<void>(x.copy_to_host()); }).starts_with("a copy to the host cannot be captured: "));
          CHECK(error([&] { static_cast<void>(x.copy()); }).starts_with("a copy on the device cannot be captured: "));
        }
        CHECK_THROWS_WITH_AS(static_cast<void>(kiln::capture(stream,
                                                             [&] {
                                                               static_cast<void>(add({x, x}, {.stream = stream}));
                                                               throw std::runtime_error("the caller's own");
                                                             })),
                             "the caller's own", std::runtime_error);
        CHECK(list_of(target.fetch(add({x, x}, {.stream = stream}))) == std::vector<double>(1000, 2));
        target.wait();
      },
      {Mode::device, Mode::stream});
}
