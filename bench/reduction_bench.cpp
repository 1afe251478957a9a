// Reductions of stages beside the same loops written by hand: 1e8 float32 on one and two threads.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <kiln/kiln.hpp>

#include <cstdint>

#include "plain_loops.hpp"

namespace kiln::bench {
namespace {

constexpr std::int64_t kBig = 100'000'000;
constexpr std::int64_t kSide = 10'000;
constexpr std::int64_t kPiece = 1 << 18;

const Reduction mean_var = reduction({.name = "mean_var",
                                      .signatures = {"(float64 mean, float64 var)(float32 x)"},
                                      .accumulator = "float64 n, mean, m2;",
                                      .map = "return {1, x, 0};",
                                      .reduce = "const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;\n"
                                                "return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};",
                                      .post = "mean = a.mean; var = a.m2 / a.n;",
                                      .identity = "{0, 0, 0}"});
const Reduction argmax = reduction({.name = "argmax",
                                    .signatures = {"int64(T x)"},
                                    .accumulator = "T best; int64 at;",
                                    .map = "return {x, i};",
                                    .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
                                    .post = "return a.at;",
                                    .reorderable = true});
const Reduction dot = reduction(
    {.name = "dot", .signatures = {"T(T x, T y)"}, .map = "return x * y;", .reduce = "return a + b;", .identity = "0"});

const Array& numbers() {
  static const Array array = Array::full({kBig}, 1.5F);
  return array;
}

Array on(std::int64_t threads) {
  return to_device(numbers(), Device::cpu({.threads = static_cast<int>(threads)}));
}

// A loop by hand over pieces, on as many threads.
template <class Loop>
void by_hand(benchmark::State& state, const Loop& loop) {
  const float* const data = numbers().as<float>();
  oneapi::tbb::task_arena arena(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    arena.execute([&] {
      oneapi::tbb::parallel_for(std::int64_t{0}, (kBig + kPiece - 1) / kPiece, [&](std::int64_t i) {
        benchmark::DoNotOptimize(loop(data + i * kPiece, i * kPiece + kPiece > kBig ? kBig - i * kPiece : kPiece));
      });
    });
  }
  state.SetBytesProcessed(state.iterations() * kBig * 4);
}

template <class Call>
void by_kiln(benchmark::State& state, const Call& call) {
  const Array array = on(state.range(0));
  for (auto _ : state) call(array);
  state.SetBytesProcessed(state.iterations() * kBig * 4);
}

void read_only(benchmark::State& state) {
  by_hand(state, plain_read);
}
void mean_var_by_hand(benchmark::State& state) {
  by_hand(state, plain_mean_var);
}
void argmax_by_hand(benchmark::State& state) {
  by_hand(state, plain_argmax);
}
void dot_by_hand(benchmark::State& state) {
  by_hand(state, plain_square_sum);
}
void mean_var_all(benchmark::State& state) {
  by_kiln(state, [](const Array& x) { benchmark::DoNotOptimize(mean_var.outputs<2>(x)); });
}
void argmax_all(benchmark::State& state) {
  by_kiln(state, [](const Array& x) { benchmark::DoNotOptimize(argmax(x)); });
}
// Of an array with itself: the same bytes as the others.
void dot_all(benchmark::State& state) {
  by_kiln(state, [](const Array& x) { benchmark::DoNotOptimize(dot(x, x)); });
}
void mean_var_side(benchmark::State& state, int axis) {
  by_kiln(state, [axis](const Array& x) {
    benchmark::DoNotOptimize(mean_var.outputs<2>({x.reshape({kSide, kSide})}, {.axis = axis}));
  });
}
void argmax_side(benchmark::State& state, int axis) {
  by_kiln(state, [axis](const Array& x) { benchmark::DoNotOptimize(argmax({x.reshape({kSide, kSide})}, {.axis = axis})); });
}

BENCHMARK(read_only)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(mean_var_by_hand)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(mean_var_all)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(argmax_by_hand)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(argmax_all)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(dot_by_hand)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(dot_all)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(mean_var_side, axis_0, 0)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(mean_var_side, axis_1, 1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(argmax_side, axis_0, 0)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(argmax_side, axis_1, 1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace kiln::bench
