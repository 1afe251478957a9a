// What kiln::fuse saves: one kernel made of ufuncs, against the same ufuncs called one after the other, one kernel written by
// hand as a string, and a plain loop. All on kiln's CPU device.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "operations.hpp"

namespace kiln::bench {
namespace {

namespace math = kiln::math;

/// Calls one after the other; `temporaries` are written again and again, as someone would who watches the bytes.
using Composition = void (*)(const std::vector<Array>& in, const std::vector<Array>& temporaries, const Array& out);
/// The same with a fresh array for each result.
using FreshComposition = Array (*)(const std::vector<Array>& in);

struct Formula {
  std::string name;  ///< of the operation with the same meaning
  Ufunc fused;
  Composition reusing;
  FreshComposition fresh;
};

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all = {
      {"discriminant", fuse("discriminant", [](Expr a, Expr b, Expr c) { return math::sqrt(b * b - 4 * a * c); }),
       [](const std::vector<Array>& in, const std::vector<Array>& t, const Array& out) {
         math::multiply({in[1], in[1]}, {.out = t[0]});
         math::multiply({4, in[0]}, {.out = t[1]});
         math::multiply({t[1], in[2]}, {.out = t[1]});
         math::subtract({t[0], t[1]}, {.out = out});
         math::sqrt({out}, {.out = out});
       },
       [](const std::vector<Array>& in) {
         return math::sqrt(math::subtract(math::multiply(in[1], in[1]), math::multiply(math::multiply(4, in[0]), in[2])));
       }},
      {"gaussian_pdf",
       fuse("gaussian_pdf",
            [](Expr x, Expr mean, Expr sigma) {
              const Expr z = (x - mean) / sigma;
              return math::exp(-0.5 * z * z) / (sigma * 2.5066282746F);
            }),
       [](const std::vector<Array>& in, const std::vector<Array>& t, const Array& out) {
         math::subtract({in[0], 0.5F}, {.out = t[0]});
         math::divide({t[0], 1.5F}, {.out = t[0]});
         math::multiply({-0.5, t[0]}, {.out = t[1]});
         math::multiply({t[1], t[0]}, {.out = t[1]});
         math::exp({t[1]}, {.out = t[1]});
         math::divide({t[1], 1.5F * 2.5066282746F}, {.out = out});
       },
       [](const std::vector<Array>& in) {
         const Array z = math::divide(math::subtract(in[0], 0.5F), 1.5F);
         return math::divide(math::exp(math::multiply(math::multiply(-0.5, z), z)), 1.5F * 2.5066282746F);
       }}};
  return all;
}

const Operation& operation_named(const std::string& name) {
  for (const Operation& operation : operations()) {
    if (operation.name == name) return operation;
  }
  std::abort();
}

struct Prepared {
  Prepared(const Operation& operation, std::int64_t n, int threads)
      : device(Device::cpu({.threads = threads})),
        inputs(make_inputs(operation, n, device)),
        args(arguments(operation, inputs)),
        out(fresh(n)),
        temporaries{fresh(n), fresh(n)} {}
  [[nodiscard]] Array fresh(std::int64_t n) const { return to_device(Array::zeros({n}, DType::float32), device); }

  Device device;
  std::vector<Array> inputs;
  std::vector<Arg> args;
  Array out;
  std::vector<Array> temporaries;
};

template <class Run>
void measure(benchmark::State& state, std::int64_t n, const Run& run) {
  for (int i = 0; i < 3; ++i) run();
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

void register_formula(const Formula& formula, std::int64_t n, int threads) {
  const Operation& operation = operation_named(formula.name);
  const auto add = [&](const std::string& what, auto run) {
    const std::string name = "fuse/" + formula.name + "/" + std::to_string(n) + "/" + std::to_string(threads) + "/" + what;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&operation, n, threads, run](benchmark::State& state) {
                                   const Prepared prepared(operation, n, threads);
                                   measure(state, n, [&] { run(prepared); });
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  const auto call = [](const Ufunc& ufunc) {
    return [&ufunc](const Prepared& p) { ufunc(std::span<const Arg>(p.args), {.out = p.out}); };
  };
  add("fused", call(formula.fused));
  add("string", call(operation.ufunc));
  add("calls", [&formula](const Prepared& p) { formula.reusing(p.inputs, p.temporaries, p.out); });
  add("fresh", [&formula](const Prepared& p) { benchmark::DoNotOptimize(formula.fresh(p.inputs)); });
  if (threads > 1) return;
  add("plain", [&operation, n](const Prepared& p) {
    const void* in[4];
    for (std::size_t k = 0; k < p.inputs.size(); ++k) in[k] = p.inputs[k].data();
    operation.plain(in, operation.scalars.data(), p.out.data(), n);
  });
}

[[maybe_unused]] const int registered = [] {
  for (const Formula& formula : formulas()) {
    for (const std::int64_t n : {std::int64_t{1'000'000}, std::int64_t{10'000'000}}) {
      for (const int threads : {1, 2}) register_formula(formula, n, threads);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace kiln::bench
