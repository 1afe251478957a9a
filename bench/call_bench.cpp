// What one call costs when there is almost nothing to compute, and what new results cost when there is much.
#include <benchmark/benchmark.h>

#include <kiln/kiln.hpp>

namespace kiln::bench {
namespace {

const Ufunc saxpy =
    vectorize({.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"});

struct Prepared {
  explicit Prepared(std::int64_t n)
      : x(to_device(Array::full({n}, 2.0F), Device::cpu())),
        y(to_device(Array::full({n}, 3.0F), Device::cpu())),
        out(to_device(Array::zeros({n}, DType::float32), Device::cpu())) {}
  Array x, y, out;
};

void call_with_out(benchmark::State& state) {
  const Prepared arrays(state.range(0));
  const CallOptions options{.out = arrays.out};
  const Arg args[] = {2.0F, arrays.x, arrays.y};
  for (auto _ : state) {
    saxpy(std::span<const Arg>(args), options);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(call_with_out)->Arg(1)->Arg(64)->Arg(1000)->Arg(2000000)->Arg(10000000);

void call_with_out_braces(benchmark::State& state) {
  const Prepared arrays(state.range(0));
  for (auto _ : state) {
    saxpy({2.0F, arrays.x, arrays.y}, {.out = arrays.out});
    benchmark::ClobberMemory();
  }
}
BENCHMARK(call_with_out_braces)->Arg(1);

void call_allocating(benchmark::State& state) {
  const Prepared arrays(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(saxpy(2.0F, arrays.x, arrays.y));
}
BENCHMARK(call_allocating)->Arg(1)->Arg(64)->Arg(1000)->Arg(2000000)->Arg(10000000);

void call_broadcasting(benchmark::State& state) {
  const Prepared arrays(state.range(0));
  const Array column = arrays.x.reshape({state.range(0), 1});
  const Array row = arrays.y.reshape({1, state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(saxpy(2.0F, column, row));
}
BENCHMARK(call_broadcasting)->Arg(2);

}  // namespace
}  // namespace kiln::bench
