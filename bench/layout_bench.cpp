// Strided, broadcast and transposed operands, one thread, against hand-written loops in the best order.
#include <benchmark/benchmark.h>

#include <kiln/kiln.hpp>

#include "plain_loops.hpp"

namespace kiln::bench {
namespace {

const Ufunc add = vectorize("float32(float32 a, float32 b)", "return a + b;");
const Device one = Device::cpu({.threads = 1});

Array ones(const Shape& shape) {
  return to_device(Array::full(shape, 1.5F), one);
}

template <class F>
void repeat(benchmark::State& state, std::int64_t n, F&& f) {
  f();
  for (auto _ : state) {
    f();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void strided(benchmark::State& state, bool plain) {
  const std::int64_t n = state.range(0);
  const Array a = ones({2 * n});
  const Array b = ones({n});
  const Array out = ones({n});
  const Array every_other = a[{Slice{.step = 2}}];
  const void* in[] = {a.data(), b.data()};
  repeat(state, n, [&] {
    if (plain) {
      plain_strided_add(in, nullptr, out.data(), n);
    } else {
      add({every_other, b}, {.out = out});
    }
  });
}

void column(benchmark::State& state, bool plain) {
  const std::int64_t rows = state.range(0);
  const std::int64_t columns = state.range(1);
  const Array a = ones({rows, 1});
  const Array b = ones({rows, columns});
  const Array out = ones({rows, columns});
  repeat(state, rows * columns, [&] {
    if (plain) {
      plain_column_add(a.as<float>(), b.as<float>(), out.as<float>(), rows, columns);
    } else {
      add({a, b}, {.out = out});
    }
  });
}

void row(benchmark::State& state, bool plain) {
  const std::int64_t rows = state.range(0);
  const std::int64_t columns = state.range(1);
  const Array a = ones({1, columns});
  const Array b = ones({rows, columns});
  const Array out = ones({rows, columns});
  repeat(state, rows * columns, [&] {
    if (plain) {
      plain_row_add(a.as<float>(), b.as<float>(), out.as<float>(), rows, columns);
    } else {
      add({a, b}, {.out = out});
    }
  });
}

void transposed(benchmark::State& state, bool plain) {
  const std::int64_t rows = state.range(0);
  const Array a = ones({rows, rows});
  const Array b = ones({rows, rows});
  const Array out = ones({rows, rows});
  const Array turned = a.transpose();
  repeat(state, rows * rows, [&] {
    if (plain) {
      plain_transposed_add(a.as<float>(), b.as<float>(), out.as<float>(), rows, rows);
    } else {
      add({turned, b}, {.out = out});
    }
  });
}

BENCHMARK_CAPTURE(strided, kiln, false)->Arg(100'000)->Arg(10'000'000);
BENCHMARK_CAPTURE(strided, plain, true)->Arg(100'000)->Arg(10'000'000);
BENCHMARK_CAPTURE(column, kiln, false)->Args({1000, 1000})->Args({100'000, 3})->Args({10'000, 37});
BENCHMARK_CAPTURE(column, plain, true)->Args({1000, 1000})->Args({100'000, 3})->Args({10'000, 37});
BENCHMARK_CAPTURE(row, kiln, false)->Args({1000, 1000})->Args({10'000, 37});
BENCHMARK_CAPTURE(row, plain, true)->Args({1000, 1000})->Args({10'000, 37});
BENCHMARK_CAPTURE(transposed, kiln, false)->Arg(300)->Arg(2000);
BENCHMARK_CAPTURE(transposed, plain, true)->Arg(300)->Arg(2000);

}  // namespace
}  // namespace kiln::bench
