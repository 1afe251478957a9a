// Generalized ufuncs on one and two threads, beside plain loops on one: nanoseconds of an item.
#include <benchmark/benchmark.h>

#include <kiln/kiln.hpp>

#include <cstdint>

#include "plain_loops.hpp"

namespace kiln::bench {
namespace {

constexpr std::int64_t kItems = 10'000;

Array numbers(const Shape& shape, std::int64_t threads = 1) {
  const Array array = Array::empty(shape, DType::float32);
  for (std::int64_t i = 0; i < array.size(); ++i) array.as<float>()[i] = static_cast<float>(i % 1000) / 1000;
  return to_device(array, Device::cpu({.threads = static_cast<int>(threads)}));
}

const Gufunc& product() {
  static const Gufunc gufunc =
      guvectorize({.name = "matmul",
                   .layout = "(m,n),(n,p)->(m,p)",
                   .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                   .each = "i:m, j:p",
                   .body = "float32 acc = 0; for (index k = 0; k < n; ++k) acc += A(i, k) * B(k, j); C(i, j) = acc;"});
  return gufunc;
}
const Gufunc& inner() {
  static const Gufunc gufunc =
      guvectorize({.name = "inner1d",
                   .layout = "(n),(n)->()",
                   .signatures = {"void(float32[:] a, float32[:] b, float32 r)"},
                   .body = "float32 sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;"});
  return gufunc;
}
const Gufunc& running_sum() {
  static const Gufunc gufunc =
      guvectorize({.name = "running_sum",
                   .layout = "(n)->(n)",
                   .signatures = {"void(float32[:] x, float32[:] y)"},
                   .body = "float32 sum = 0; for (index i = 0; i < n; ++i) { sum += x(i); y(i) = sum; }"});
  return gufunc;
}

void finish(benchmark::State& state, std::int64_t items) {
  state.SetItemsProcessed(state.iterations() * items);
  state.counters["ns"] = benchmark::Counter(static_cast<double>(state.iterations() * items) * 1e-9,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void small_product(benchmark::State& state, const Array& a, const Array& b) {
  const std::int64_t side = a.shape().back();
  const Array c = numbers({kItems, side, side}, state.range(0));
  for (auto _ : state) product()({to_device(a, c.device()), to_device(b, c.device())}, {.out = c});
  finish(state, kItems);
}

void products(benchmark::State& state) {
  small_product(state, numbers({kItems, state.range(1), state.range(1)}), numbers({kItems, state.range(1), state.range(1)}));
}
void products_of_every_second_item(benchmark::State& state) {
  small_product(state, numbers({2 * kItems, 8, 8})[{Slice{.step = 2}}], numbers({kItems, 8, 8}));
}
void products_with_one_matrix(benchmark::State& state) {
  small_product(state, numbers({kItems, 8, 8}), numbers({8, 8}));
}
void plain_products(benchmark::State& state) {
  const std::int64_t side = state.range(1);
  const Array a = numbers({kItems, side, side});
  const Array b = numbers({kItems, side, side});
  const Array c = numbers({kItems, side, side});
  for (auto _ : state) {
    plain_matmul(a.as<float>(), b.as<float>(), c.as<float>(), kItems, side);
    benchmark::ClobberMemory();
  }
  finish(state, kItems);
}

void large_product(benchmark::State& state) {
  const std::int64_t side = state.range(1);
  const Array a = numbers({side, side}, state.range(0));
  const Array b = numbers({side, side}, state.range(0));
  const Array c = numbers({side, side}, state.range(0));
  for (auto _ : state) product()({a, b}, {.out = c});
  finish(state, 1);
}
void plain_large_product(benchmark::State& state) {
  const std::int64_t side = state.range(1);
  const Array a = numbers({side, side});
  const Array b = numbers({side, side});
  const Array c = numbers({side, side});
  for (auto _ : state) {
    plain_matmul(a.as<float>(), b.as<float>(), c.as<float>(), 1, side);
    benchmark::ClobberMemory();
  }
  finish(state, 1);
}

void inner_products(benchmark::State& state) {
  const Array a = numbers({kItems, 64}, state.range(0));
  const Array b = numbers({kItems, 64}, state.range(0));
  const Array c = numbers({kItems}, state.range(0));
  for (auto _ : state) inner()({a, b}, {.out = c});
  finish(state, kItems);
}
void plain_inner_products(benchmark::State& state) {
  const Array a = numbers({kItems, 64});
  const Array b = numbers({kItems, 64});
  const Array c = numbers({kItems});
  for (auto _ : state) {
    plain_inner(a.as<float>(), b.as<float>(), c.as<float>(), kItems, 64);
    benchmark::ClobberMemory();
  }
  finish(state, kItems);
}

void running_sums(benchmark::State& state) {
  const Array x = numbers({kItems, 64}, state.range(0));
  const Array y = numbers({kItems, 64}, state.range(0));
  for (auto _ : state) running_sum()({x}, {.out = y});
  finish(state, kItems);
}
void plain_running_sums(benchmark::State& state) {
  const Array x = numbers({kItems, 64});
  const Array y = numbers({kItems, 64});
  for (auto _ : state) {
    plain_running_sum(x.as<float>(), y.as<float>(), kItems, 64);
    benchmark::ClobberMemory();
  }
  finish(state, kItems);
}

BENCHMARK(products)->Name("gufunc/matmul")->ArgsProduct({{1, 2}, {3, 8, 16}})->UseRealTime();
BENCHMARK(plain_products)->Name("gufunc/matmul/plain")->ArgsProduct({{1}, {3, 8, 16}})->UseRealTime();
BENCHMARK(products_of_every_second_item)->Name("gufunc/matmul 8/every second")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(products_with_one_matrix)->Name("gufunc/matmul 8/one matrix")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(large_product)->Name("gufunc/large matmul")->ArgsProduct({{1, 2}, {1000, 1024}})->UseRealTime();
BENCHMARK(plain_large_product)->Name("gufunc/large matmul/plain")->ArgsProduct({{1}, {1000, 1024}})->UseRealTime();
BENCHMARK(inner_products)->Name("gufunc/inner1d 64")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(plain_inner_products)->Name("gufunc/inner1d 64/plain")->Arg(1)->UseRealTime();
BENCHMARK(running_sums)->Name("gufunc/cumsum 64")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(plain_running_sums)->Name("gufunc/cumsum 64/plain")->Arg(1)->UseRealTime();

}  // namespace
}  // namespace kiln::bench
