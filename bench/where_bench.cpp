// What masks and casts cost: the same call with and without, on prepared arrays, all threads.
#include <benchmark/benchmark.h>

#include <functional>
#include <kiln/kiln.hpp>

namespace kiln::bench {
namespace {

const Ufunc saxpy = vectorize("T(T a, T x, T y)", "return a * x + y;");
const Ufunc gaussian = vectorize("float32(float32 x)", "return 0.39894228f * exp(-0.5f * x * x);");
const Device cpu = Device::cpu();

enum class Mask { none, fresh, kept };

Array ones(std::int64_t n, DType dtype = DType::float32) {
  return to_device(Array::full({n}, 1.5F).astype(dtype), cpu);
}

/// Three of four elements, in no order that a branch could be predicted by.
Array mask_of(std::int64_t n) {
  const Array mask = Array::zeros({n}, DType::bool_);
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    static_cast<bool*>(mask.data())[i] = state >> 30 != 0;
  }
  return to_device(mask, cpu);
}

void repeat(benchmark::State& state, std::int64_t n, const std::function<void()>& call) {
  call();
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}

// Fresh results are allocated in both, so that the difference is the mask's.
void masked(benchmark::State& state, Mask mask, bool slow, bool out) {
  const std::int64_t n = state.range(0);
  const Array x = ones(n);
  const Array y = ones(n);
  const Array where = mask_of(n);
  CallOptions options;
  if (out) options.out = ones(n);
  if (mask != Mask::none) options.where = where;
  repeat(state, n, [&] { slow ? gaussian({x}, options) : saxpy({2.0F, x, y}, options); });
}

void cast(benchmark::State& state, DType dtype) {
  const std::int64_t n = state.range(0);
  const Array x = ones(n, dtype);
  const Array y = ones(n);
  const Array out = ones(n);
  repeat(state, n, [&] { saxpy({2.0F, x, y}, {.out = out}); });
}

#define KILN_SIZES ->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000)->UseRealTime()
BENCHMARK_CAPTURE(masked, saxpy_out, Mask::none, false, true) KILN_SIZES;
BENCHMARK_CAPTURE(masked, saxpy_out_where, Mask::kept, false, true) KILN_SIZES;
BENCHMARK_CAPTURE(masked, saxpy_fresh, Mask::none, false, false) KILN_SIZES;
BENCHMARK_CAPTURE(masked, saxpy_fresh_where, Mask::fresh, false, false) KILN_SIZES;
BENCHMARK_CAPTURE(masked, gaussian_out, Mask::none, true, true) KILN_SIZES;
BENCHMARK_CAPTURE(masked, gaussian_out_where, Mask::kept, true, true) KILN_SIZES;
BENCHMARK_CAPTURE(cast, float32, DType::float32) KILN_SIZES;
BENCHMARK_CAPTURE(cast, int16, DType::int16) KILN_SIZES;
BENCHMARK_CAPTURE(cast, int8, DType::int8) KILN_SIZES;
BENCHMARK_CAPTURE(cast, float16, DType::float16) KILN_SIZES;
BENCHMARK_CAPTURE(cast, int32, DType::int32) KILN_SIZES;

}  // namespace
}  // namespace kiln::bench
