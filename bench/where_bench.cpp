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

/// How a mask of (n, n) lies in memory.
enum class MaskLayout {
  none,
  contiguous,
  for_rows,
  for_columns,
  backwards,
  every_second_column,
  every_second_row,
  window,
  transposed
};

Array laid_out(std::int64_t n, MaskLayout layout) {
  const auto square = [&](std::int64_t rows, std::int64_t columns) { return mask_of(rows * columns).reshape({rows, columns}); };
  switch (layout) {
    case MaskLayout::for_rows:
      return square(n, 1);
    case MaskLayout::for_columns:
      return square(1, n);
    case MaskLayout::backwards:
      return square(n, n)[{all, Slice{.step = -1}}];
    case MaskLayout::every_second_column:
      return square(n, 2 * n)[{all, Slice{.step = 2}}];
    case MaskLayout::every_second_row:
      return square(2 * n, n)[{Slice{.step = 2}}];
    case MaskLayout::window:
      return square(n, n + 10)[{all, Slice{.stop = n}}];
    case MaskLayout::transposed:
      return square(n, n).transpose();
    default:
      return square(n, n);
  }
}

// One thread, so that what a layout costs is not hidden behind the memory.
void mask_layout(benchmark::State& state, MaskLayout layout) {
  const std::int64_t n = state.range(0);
  const Array x = ones(n * n).reshape({n, n});
  const Array y = ones(n * n).reshape({n, n});
  CallOptions options;
  options.out = ones(n * n).reshape({n, n});
  if (layout != MaskLayout::none) options.where = laid_out(n, layout);
  repeat(state, n * n, [&] { saxpy({2.0F, x, y}, options); });
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
#define KILN_SIDES ->Arg(300)->Arg(1000)->UseRealTime()
BENCHMARK_CAPTURE(mask_layout, none, MaskLayout::none) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, contiguous, MaskLayout::contiguous) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, for_rows, MaskLayout::for_rows) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, for_columns, MaskLayout::for_columns) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, backwards, MaskLayout::backwards) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, every_second_column, MaskLayout::every_second_column) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, every_second_row, MaskLayout::every_second_row) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, window, MaskLayout::window) KILN_SIDES;
BENCHMARK_CAPTURE(mask_layout, transposed, MaskLayout::transposed) KILN_SIDES;

}  // namespace
}  // namespace kiln::bench
