// Reductions, on one and two threads, beside a plain loop that only reads: the bytes of the array in a second.
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

// One array for all: 400 MB.
const Array& numbers() {
  static const Array array = Array::full({kBig}, 1.5F);
  return array;
}

Array on(std::int64_t threads, const Array& array) {
  return to_device(array, Device::cpu({.threads = static_cast<int>(threads)}));
}

void finish(benchmark::State& state, std::int64_t elements) {
  state.SetBytesProcessed(state.iterations() * elements * 4);
}

// What reading alone takes.
void read(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const float* const data = numbers().as<float>();
  oneapi::tbb::task_arena arena(threads);
  constexpr std::int64_t kPiece = 1 << 18;
  for (auto _ : state) {
    arena.execute([&] {
      oneapi::tbb::parallel_for(std::int64_t{0}, (kBig + kPiece - 1) / kPiece, [&](std::int64_t i) {
        benchmark::DoNotOptimize(plain_read(data + i * kPiece, i * kPiece + kPiece > kBig ? kBig - i * kPiece : kPiece));
      });
    });
  }
  finish(state, kBig);
}

void sum(benchmark::State& state) {
  const Array array = on(state.range(0), numbers());
  for (auto _ : state) benchmark::DoNotOptimize(math::add.reduce(array));
  finish(state, kBig);
}

// The same by the balanced tree, of an array that begins at any element of a larger one.
void sum_of_part(benchmark::State& state) {
  const Array array = on(state.range(0), numbers());
  const PartialOptions options{.global_offset = 12'345, .global_size = kBig + 23'456};
  for (auto _ : state) benchmark::DoNotOptimize(partial(math::add, array, options).states().data());
  finish(state, kBig);
}

void sum_of_parts(benchmark::State& state) {
  const Array array = on(state.range(0), numbers());
  for (auto _ : state) benchmark::DoNotOptimize(partial(math::add, array).finish());
  finish(state, kBig);
}

void largest(benchmark::State& state) {
  const Array array = on(state.range(0), numbers());
  for (auto _ : state) benchmark::DoNotOptimize(math::maximum.reduce(array));
  finish(state, kBig);
}

void side(benchmark::State& state, int axis) {
  const Array array = on(state.range(0), numbers()).reshape({kSide, kSide});
  for (auto _ : state) benchmark::DoNotOptimize(math::add.reduce(array, {.axis = axis}));
  finish(state, kBig);
}

void strided(benchmark::State& state) {
  const Array array = on(state.range(0), numbers())[{Slice{.step = 2}}];
  for (auto _ : state) benchmark::DoNotOptimize(math::add.reduce(array));
  finish(state, kBig);
}

// Rows of a few elements, and columns of them.
void narrow(benchmark::State& state, int axis) {
  const std::int64_t columns = state.range(1);
  const Array array =
      on(state.range(0), numbers())[{Slice{.stop = kBig / columns * columns}}].reshape({kBig / columns, columns});
  for (auto _ : state) benchmark::DoNotOptimize(math::add.reduce(array, {.axis = axis}));
  finish(state, kBig / columns * columns);
}

void small(benchmark::State& state) {
  const Array array = on(1, Array::full({state.range(0)}, 1.5F));
  for (auto _ : state) benchmark::DoNotOptimize(math::add.reduce(array));
  finish(state, state.range(0));
}

BENCHMARK(read)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(sum)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(sum_of_part)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(sum_of_parts)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(largest)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(side, axis_0, 0)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(side, axis_1, 1)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(strided)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(narrow, axis_0, 0)->Args({2, 3})->Args({2, 8})->Args({2, 100})->UseRealTime();
BENCHMARK_CAPTURE(narrow, axis_1, 1)->Args({2, 3})->Args({2, 8})->Args({2, 100})->UseRealTime();
BENCHMARK(small)->Arg(8)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace kiln::bench
