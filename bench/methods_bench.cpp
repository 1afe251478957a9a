// accumulate beside a copy of the same bytes by a plain loop, and at beside a plain loop: one thread and two.
#include <benchmark/benchmark.h>

#include <functional>
#include <kiln/kiln.hpp>
#include <thread>
#include <vector>

namespace kiln::bench {
namespace {

Device cpu(int threads) {
  return Device::cpu({.threads = threads});
}

void repeat(benchmark::State& state, std::int64_t n, const std::function<void()>& call) {
  call();
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void plain_copy(const float* from, float* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    to[i] = from[i];
  }
}

void copy(benchmark::State& state, int threads) {
  const std::int64_t n = state.range(0);
  const Array from = to_device(Array::full({n}, 1.5F), cpu(1));
  const Array to = to_device(Array::full({n}, 1.5F), cpu(1));
  repeat(state, n, [&] {
    const std::int64_t half = n / threads;
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) {
      others.emplace_back([&, t] { plain_copy(from.as<float>() + t * half, to.as<float>() + t * half, half); });
    }
    plain_copy(from.as<float>(), to.as<float>(), half);
    for (std::thread& other : others) other.join();
  });
}

/// Rows × columns of float32.
void accumulate(benchmark::State& state, const Ufunc& ufunc, int threads, int axis) {
  const Shape shape = {state.range(0), state.range(1)};
  const Array from = to_device(Array::full(shape, 1.5F), cpu(threads));
  const Array out = to_device(Array::full(shape, 1.5F), cpu(threads));
  repeat(state, shape[0] * shape[1], [&] { ufunc.accumulate(from, {.axis = axis, .out = out}); });
}

const Ufunc ordered = vectorize("float32(float32 a, float32 b)", "return a + b;");

void sum(benchmark::State& state, int threads, int axis) {
  accumulate(state, math::add, threads, axis);
}
void in_order(benchmark::State& state, int threads, int axis) {
  accumulate(state, ordered, threads, axis);
}

/// `n` indices into `size` elements.
void at(benchmark::State& state, bool plain) {
  const std::int64_t n = state.range(0);
  const std::int64_t size = state.range(1);
  const Array x = Array::zeros({size}, DType::float64);
  const Array values = Array::full({n}, 1.5);
  const Array indices = Array::zeros({n}, DType::int64);
  auto* const numbers = indices.as<std::int64_t>();
  std::uint64_t seed = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    numbers[i] = static_cast<std::int64_t>((seed >> 33) % static_cast<std::uint64_t>(size));
  }
  const Array target = to_device(x, cpu(1));
  repeat(state, n, [&] {
    if (plain) {
      auto* const to = x.as<double>();
      const auto* const from = values.as<double>();
      for (std::int64_t i = 0; i < n; ++i) to[numbers[i]] += from[i];
    } else {
      math::add.at(target, indices, values);
    }
  });
}

constexpr std::int64_t kBig = 50'000'000;
BENCHMARK_CAPTURE(copy, one, 1)->Arg(100'000)->Arg(kBig)->UseRealTime();
BENCHMARK_CAPTURE(copy, two, 2)->Arg(kBig)->UseRealTime();
BENCHMARK_CAPTURE(sum, one_line, 1, 1)->Args({1, 100'000})->Args({1, kBig})->UseRealTime();
BENCHMARK_CAPTURE(sum, one_line_two, 2, 1)->Args({1, kBig})->UseRealTime();
BENCHMARK_CAPTURE(sum, rows, 1, 1)->Args({7000, 7000})->Args({100'000, 500})->Args({5'000'000, 10})->UseRealTime();
BENCHMARK_CAPTURE(sum, rows_two, 2, 1)->Args({7000, 7000})->UseRealTime();
BENCHMARK_CAPTURE(sum, columns, 1, 0)->Args({7000, 7000})->Args({500, 100'000})->UseRealTime();
BENCHMARK_CAPTURE(sum, columns_two, 2, 0)->Args({7000, 7000})->UseRealTime();
BENCHMARK_CAPTURE(in_order, one_line, 1, 1)->Args({1, kBig})->UseRealTime();
BENCHMARK_CAPTURE(in_order, rows, 1, 1)->Args({7000, 7000})->UseRealTime();
BENCHMARK_CAPTURE(in_order, columns, 1, 0)->Args({7000, 7000})->UseRealTime();
BENCHMARK_CAPTURE(at, kiln, false)
    ->Args({1'000'000, 1000})
    ->Args({1'000'000, 100'000})
    ->Args({1'000'000, 1'000'000})
    ->UseRealTime();
BENCHMARK_CAPTURE(at, plain, true)
    ->Args({1'000'000, 1000})
    ->Args({1'000'000, 100'000})
    ->Args({1'000'000, 1'000'000})
    ->UseRealTime();

}  // namespace
}  // namespace kiln::bench
