// Twenty calls of one element, one by one and as a graph; what it costs to make an array and free it.
#include <benchmark/benchmark.h>

#include <kiln/kiln.hpp>

namespace kiln::bench {
namespace {

constexpr int kCalls = 20;

struct Calls {
  Ufunc saxpy =
      vectorize({.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"});
  Array x = to_device(Array::full({1}, 2.0F), Device::cpu());
  Array out = to_device(Array::zeros({1}, DType::float32), Device::cpu());

  void run(const Stream& stream) const {
    const CallOptions options{.out = out, .stream = stream};
    for (int i = 0; i < kCalls; ++i) saxpy({0.5F, x, out}, options);
  }
};

void twenty_calls(benchmark::State& state) {
  const Calls calls;
  for (auto _ : state) calls.run({});
}
BENCHMARK(twenty_calls);

void twenty_calls_as_a_graph(benchmark::State& state) {
  const Calls calls;
  const Graph graph = capture({}, [&] { calls.run({}); });
  for (auto _ : state) graph.launch();
}
BENCHMARK(twenty_calls_as_a_graph);

void twenty_calls_on_a_stream(benchmark::State& state) {
  const Calls calls;
  const Stream stream{Device::cpu()};
  for (auto _ : state) {
    calls.run(stream);
    stream.synchronize();
  }
}
BENCHMARK(twenty_calls_on_a_stream)->UseRealTime();

void twenty_calls_as_a_graph_on_a_stream(benchmark::State& state) {
  const Calls calls;
  const Stream stream{Device::cpu()};
  const Graph graph = capture(stream, [&] { calls.run(stream); });
  for (auto _ : state) {
    graph.launch();
    stream.synchronize();
  }
}
BENCHMARK(twenty_calls_as_a_graph_on_a_stream)->UseRealTime();

/// Of as many float32: 1e6 and more are blocks of the page pool.
void allocation(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(device_array({state.range(0)}, DType::float32, Device::cpu()));
}
BENCHMARK(allocation)->Arg(1)->Arg(1000)->Arg(1'000'000)->Arg(10'000'000);

}  // namespace
}  // namespace kiln::bench
