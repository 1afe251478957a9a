// kiln against plain loops, element by element: every operation, several sizes, one thread and two, plain and non-temporal
// stores. Run it through bench/run.sh, which interleaves repetitions and prints ratios.
#include <benchmark/benchmark.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <string>

#include "operations.hpp"

namespace kiln::bench {
namespace {

constexpr std::int64_t kAlign = 1024;  // elements; keeps halves on lines of their own

void run_plain(PlainLoop loop, const Operation& operation, const std::vector<Array>& inputs, const Array& out,
               std::int64_t begin, std::int64_t end) {
  const auto size = static_cast<std::int64_t>(itemsize(operation.dtype));
  const void* in[4];
  for (std::size_t k = 0; k < inputs.size(); ++k) in[k] = static_cast<const char*>(inputs[k].data()) + begin * size;
  loop(in, operation.scalars.data(), static_cast<char*>(out.data()) + begin * size, end - begin);
}

void plain_bench(benchmark::State& state, const Operation& operation, PlainLoop loop, std::int64_t n, int threads) {
  const auto inputs = make_inputs(operation, n, Device::cpu());
  const Array out = Array::zeros({n}, operation.dtype);
  tbb::task_arena arena(threads);
  const auto run = [&] {
    if (threads == 1) return run_plain(loop, operation, inputs, out, 0, n);
    arena.execute([&] {
      const std::int64_t part = (n / threads + kAlign) / kAlign * kAlign;
      tbb::parallel_for(
          0, threads,
          [&](int t) { run_plain(loop, operation, inputs, out, std::min(n, t * part), std::min(n, (t + 1) * part)); },
          tbb::static_partitioner());
    });
  };
  for (int i = 0; i < 3; ++i) run();
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void kiln_bench(benchmark::State& state, const Operation& operation, std::int64_t n, int threads) {
  const Device device = Device::cpu({.threads = threads});
  const auto inputs = make_inputs(operation, n, device);
  const Array out = to_device(Array::zeros({n}, operation.dtype), device);
  const auto args = arguments(operation, inputs);
  const CallOptions options{.out = out};
  for (int i = 0; i < 3; ++i) operation.ufunc(std::span<const Arg>(args), options);
  for (auto _ : state) {
    operation.ufunc(std::span<const Arg>(args), options);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void register_all() {
  for (const Operation& operation : operations()) {
    for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{100'000}, std::int64_t{1'000'000}, std::int64_t{10'000'000},
                                 std::int64_t{50'000'000}}) {
      for (const int threads : {1, 2}) {
        const std::string where = operation.name + "/" + std::to_string(n) + "/" + std::to_string(threads) + "t/";
        const auto add = [&](const char* what, auto run) {
          benchmark::RegisterBenchmark((where + what).c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
        };
        add("kiln", [&operation, n, threads](benchmark::State& s) { kiln_bench(s, operation, n, threads); });
        add("plain", [&operation, n, threads](benchmark::State& s) { plain_bench(s, operation, operation.plain, n, threads); });
        if (n >= 10'000'000) {
          add("plain_nt",
              [&operation, n, threads](benchmark::State& s) { plain_bench(s, operation, operation.plain_nt, n, threads); });
        }
      }
    }
  }
}

[[maybe_unused]] const int registered = (register_all(), 0);

}  // namespace
}  // namespace kiln::bench
