// What one call costs when there is almost nothing to compute, and what new results cost when there is much.
#include <benchmark/benchmark.h>

#include <kiln/c/kiln.h>

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

/// The least call of every other kind, into an output that exists.
template <class Call>
void small_calls(benchmark::State& state, const Call& call) {
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
}

/// On memory of the caller's, described anew for each call, and on views that are made for it.
void small_call_on_refs(benchmark::State& state) {
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, out[4];
  const std::int64_t shape[] = {4};
  small_calls(state, [&] {
    const ArrayRef of_x{.data = x, .dtype = DType::float32, .shape = shape};
    const ArrayRef of_y{.data = y, .dtype = DType::float32, .shape = shape};
    const ArrayRef of_out{.data = out, .dtype = DType::float32, .shape = shape};
    const Arg both[] = {of_x, of_y};
    const CallOptions options{.out = of_out};
    math::add.ufunc().call(both, &options, {});
  });
}
BENCHMARK(small_call_on_refs);

void small_call_on_views(benchmark::State& state) {
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, out[4];
  small_calls(state, [&] { math::add(Array::view(x, {4}), Array::view(y, {4}), {.out = Array::view(out, {4})}); });
}
BENCHMARK(small_call_on_views);

void small_call_on_kept_arrays(benchmark::State& state) {
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, out[4];
  const Array of_x = Array::view(x, {4}), of_y = Array::view(y, {4}), of_out = Array::view(out, {4});
  small_calls(state, [&] { math::add(of_x, of_y, {.out = of_out}); });
}
BENCHMARK(small_call_on_kept_arrays);

/// The same from C, on tensors of DLPack that are described anew for each call.
void small_call_from_c(benchmark::State& state) {
  struct Tensor {
    float* data;
    kiln_device device;
    std::int32_t ndim;
    kiln_dtype dtype;
    const std::int64_t* shape;
    const std::int64_t* strides;
    std::uint64_t byte_offset;
  };
  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, out[4];
  const std::int64_t shape[] = {4}, strides[] = {1};
  kiln_function* f = nullptr;
  if (kiln_function_math(&f, "add", KILN_NUL, nullptr) != KILN_OK) return state.SkipWithError("no function");
  const auto tensor = [&](float* data) { return Tensor{data, {KILN_CPU, 0}, 1, {KILN_FLOAT, 32, 1}, shape, strides, 0}; };
  small_calls(state, [&] {
    const Tensor of_x = tensor(x), of_y = tensor(y), of_out = tensor(out);
    const kiln_arg inputs[] = {kiln_tensor_arg(&of_x), kiln_tensor_arg(&of_y)};
    kiln_arg output = kiln_tensor_arg(&of_out);
    if (kiln_call(f, &output, 1, inputs, 2, nullptr, nullptr) != KILN_OK) state.SkipWithError("the call failed");
  });
  kiln_function_release(f);
}
BENCHMARK(small_call_from_c);

/// An array that goes to another library and comes back.
void dlpack_round_trip(benchmark::State& state) {
  const Array array = Array::ones({4, 4}, DType::float32);
  for (auto _ : state) benchmark::DoNotOptimize(Array::from_dlpack(array.to_dlpack()).data());
}
BENCHMARK(dlpack_round_trip);

void small_reduce(benchmark::State& state) {
  const Prepared arrays(1);
  const ReduceOptions options{.out = arrays.out[{0}]};
  small_calls(state, [&] { static_cast<void>(math::add.reduce(arrays.x, options)); });
}
BENCHMARK(small_reduce);

void small_accumulate(benchmark::State& state) {
  const Prepared arrays(1);
  const AccumulateOptions options{.out = arrays.out};
  small_calls(state, [&] { static_cast<void>(math::add.accumulate(arrays.x, options)); });
}
BENCHMARK(small_accumulate);

void small_reduction(benchmark::State& state) {
  const Prepared arrays(1);
  const Reduction sum =
      reduction({.name = "sum", .signatures = {"float32(float32 x)"}, .reduce = "return a + b;", .identity = "0"});
  const ReductionOptions options{.out = arrays.out[{0}]};
  small_calls(state, [&] { sum(arrays.x, options); });
}
BENCHMARK(small_reduction);

void small_gufunc(benchmark::State& state) {
  const Prepared arrays(4);
  const Gufunc inner = guvectorize("(n),(n)->()", "void(float32[:] a, float32[:] b, float32 r)",
                                   "float32 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;");
  const GufuncOptions options{.out = arrays.out[{0}]};
  small_calls(state, [&] { inner(arrays.x, arrays.y, options); });
}
BENCHMARK(small_gufunc);

void small_raw_kernel(benchmark::State& state) {
  const Prepared arrays(1);
  const RawKernel fill = kernel({.name = "fill", .signature = "void(float32[:] y)", .body = "y[item] = 1;"});
  small_calls(state, [&] { fill({.size = 1}, arrays.out); });
}
BENCHMARK(small_raw_kernel);

}  // namespace
}  // namespace kiln::bench
