#include "record_program.hpp"

#include <bit>
#include <complex>
#include <cstdint>
#include <exception>

#include "kiln/kiln.hpp"

namespace kiln::test {
namespace {

Array floats(std::int64_t count) {
  return Array::full(Shape{count}, 1.5F);
}

using Attempt = std::function<void(const std::function<void()>&)>;

/// The methods: the ways in which a GPU's threads share a reduction, masks, casts, places, ordered operations.
void run_methods(const Ufunc& ordered, const Attempt& attempt) {
  const Ufunc sum = vectorize({.name = "sum", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  const Ufunc largest = vectorize({.name = "largest",
                                   .signatures = {"float32(float32 a, float32 b)", "int32(int32, int32)"},
                                   .expression = "a > b ? a : b",
                                   .reorderable = true});
  const Ufunc half = vectorize({.name = "half", .signatures = {"float32(float32 a)"}, .body = "return a / 2;"});
  const Array a = floats(1000);
  const Array grid = Array::full(Shape{48, 600}, 1.5F);
  const Array cube = Array::full(Shape{6, 20, 64}, 1.5F);
  const Array i16 = Array::full(Shape{1000}, std::int16_t{3});
  for (const Array& x : {a, grid, cube, grid.transpose(), to_device(a, Device::best()), to_device(grid, Device::best()),
                         a[{Slice{.start = 1}}], grid[{all, Slice{.step = -2}}], cube[{Slice{.stop = 0}}],
                         to_device(cube, Device::best())[{all, all, Slice{.start = 1, .step = 3}}]}) {
    for (const Axes& axes : {Axes(0), Axes(-1), all_axes, no_axes}) {
      attempt([&] { sum.reduce(x, {.axis = axes}); });
      if (x.size() > 0) attempt([&] { largest.reduce(x, {.axis = axes, .keepdims = true}); });
    }
    if (x.size() > 0) attempt([&] { ordered.reduce(x, {.axis = 0}); });
    attempt([&] { sum.accumulate(x, {.axis = -1}); });
  }
  attempt([&] { sum.reduce(cube, {.axis = {0, 2}}); });
  attempt([&] { sum.reduce(grid[{all, Slice{.stop = 8}}], {.axis = 1}); });
  attempt([&] { sum.reduce(grid[{all, Slice{.stop = 101}}], {.axis = 1}); });
  attempt([&] { sum.reduce(floats(1).broadcast_to({300, 40}), {.axis = 1}); });
  attempt([&] { sum.reduce(grid, {.axis = 1, .initial = 2.0F, .where = Array::full(Shape{600}, true)}); });
  attempt([&] { largest.reduce(grid, {.axis = 0, .initial = 2, .where = Array::full(Shape{48, 1}, true)}); });
  attempt([&] { sum.reduce(i16, {.dtype = DType::float64}); });
  attempt([&] { sum.reduce(a, {.out = Array::empty({}, DType::float64)}); });
  const Array shared = Array::full(Shape{40, 300}, 1.0F);
  attempt([&] { sum.reduce(shared, {.axis = 1, .out = shared[{all, 0}]}); });
  attempt([&] { sum.reduceat(a, Array::from(std::vector<std::int64_t>{0, 10, 5, 300, 999})); });
  attempt([&] { sum.reduceat(grid, Array::from(std::vector<std::int64_t>{0, 10, 5}), {.axis = 1}); });
  attempt([&] { ordered.reduceat(grid, Array::from(std::vector<std::int64_t>{0, 40}), {.axis = 0}); });
  attempt([&] { sum.outer(a, floats(7)); });
  attempt([&] { largest.accumulate(i16, {.dtype = DType::int32}); });
  attempt([&] { ordered.accumulate(a, {.out = Array::empty({1000}, DType::float64)}); });
  attempt([&] { math::add.accumulate(i16); });
  attempt([&] { math::add.reduce(i16); });
  attempt([&] { math::logical_and.reduce(i16); });
  const Array bins = Array::from(std::vector<std::int32_t>{1, 2, 1});
  for (const DType dtype : {DType::float32, DType::int64, DType::float16, DType::complex128}) {
    attempt([&] { sum.at(Array::zeros({10}, dtype), bins, 1); });
    attempt([&] { ordered.at(Array::zeros({10}, dtype), bins, Array::full(Shape{3}, std::int8_t{2})); });
  }
  attempt([&] { half.at(floats(10), bins); });
  attempt([&] { math::maximum.at(to_device(floats(10), Device::best()), bins, 2); });
}

/// Reductions in parts: elements to accumulators, those to fewer, and to results.
void run_parts(const Attempt& attempt, const Reduction& argmax, const Reduction& moments) {
  const Array a = floats(1000);
  const Array grid = Array::full(Shape{48, 600}, 1.5F);
  const Array mask = Array::full(Shape{600}, true);
  for (const Array& x : {a, a.astype(DType::float16)}) {
    attempt([&] {
      const Partial left = partial(math::add, x[Slice{0, 300}], {.global_size = 1000});
      static_cast<void>(left.combine(partial(math::add, x[Slice{300, {}}], {.global_offset = 300})).finish());
      static_cast<void>(accumulate_part(math::add, x[Slice{300, {}}], left, {.global_offset = 300}));
    });
    attempt([&] {
      const Partial left = partial(argmax, x[Slice{0, 300}], {.global_size = 1000});
      static_cast<void>(left.combine(partial(argmax, x[Slice{300, {}}], {.global_offset = 300})).finish());
    });
  }
  attempt([&] { static_cast<void>(partial(math::maximum, grid, {.axis = 1, .where = mask}).finish({.initial = 0})); });
  attempt([&] { static_cast<void>(partial(moments, {grid, 1}).finish_all()); });
  attempt([&] { static_cast<void>(partial(moments, {grid, floats(600)}, {.axis = 1, .where = mask}).finish_all()); });
}

/// Reductions of stages and of two ufuncs: with scalars, operands of one value, masks, casts, several outputs.
void run_reductions(const Attempt& attempt) {
  const Reduction argmax = reduction({.name = "argmax",
                                      .signatures = {"int64(T x)"},
                                      .accumulator = "T best; int64 at;",
                                      .map = "return {x, i};",
                                      .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
                                      .post = "return a.at;",
                                      .reorderable = true});
  const Reduction moments =
      reduction({.name = "moments",
                 .signatures = {"(float64 mean, float64 power)(float64 x, float64 w)"},
                 .accumulator = "float64 n, sum, squares;",
                 .map = "return {w, w * x, SCALE * w * x * x};",
                 .reduce = "return {a.n + b.n, a.sum + b.sum, a.squares + b.squares};",
                 .post = "mean = a.sum / a.n; power = half_of(a.squares);",
                 .identity = "{0, 0, 0}",
                 .compile = {.functions = "#include \"half_of.h\"\n",
                             .headers = {{"half_of.h", "template <class T> KILN_FN T half_of(T x) { return x / 2; }"}},
                             .defines = {"SCALE=2"}}});
  const Reduction last = reduction({.name = "last", .signatures = {"T(T x)"}, .reduce = "return b;"});
  const Reduction dot = reduction(math::multiply, math::add);
  const Reduction norm = reduction(math::abs, math::maximum, "norm");
  const Array a = floats(1000);
  const Array grid = Array::full(Shape{48, 600}, 1.5F);
  const Array cube = Array::full(Shape{6, 20, 64}, 1.5F);
  for (const Array& x : {a, grid, cube, grid.transpose(), to_device(grid, Device::best()), a[{Slice{.start = 1}}],
                         grid[{all, Slice{.step = -2}}], to_device(a, Device::best())[{Slice{.start = 1}}]}) {
    for (const Axes& axes : {Axes(0), Axes(-1), all_axes}) {
      attempt([&] { argmax({x}, {.axis = axes}); });
      attempt([&] { static_cast<void>(moments.outputs<2>({x, 1}, {.axis = axes})); });
      attempt([&] { dot({x, x}, {.axis = axes, .keepdims = true}); });
    }
    attempt([&] { last({x}, {.axis = 0}); });
  }
  const Array one = floats(1);
  attempt([&] { static_cast<void>(moments.outputs<2>({grid, floats(600)}, {.axis = 0})); });
  attempt([&] { static_cast<void>(moments.outputs<2>({grid, one.broadcast_to({48, 600})})); });
  attempt([&] { static_cast<void>(moments.outputs<2>({one, grid[{all, Slice{.stop = 101}}]}, {.axis = 1})); });
  attempt([&] { static_cast<void>(moments.outputs<2>({grid, 1}, {.axis = 1, .where = Array::full(Shape{600}, true)})); });
  attempt([&] { argmax({a.astype(DType::float16)}, {.out = Array::empty({}, DType::float32)}); });
  attempt([&] { dot({a, a.astype(DType::int8)}, {.dtype = DType::float64}); });
  attempt([&] { dot({grid, 2.0F}, {.axis = 1, .where = Array::full(Shape{48, 1}, true)}); });
  attempt([&] { norm({a.astype(DType::complex64)}); });
  run_parts(attempt, argmax, moments);
}

/// Raw kernels in every form, with type variables and without, and one whose threads share memory.
void run_raw_kernels(const Attempt& attempt) {
  const RawKernel scale =
      kernel({.name = "raw_scale",
              .signature = "void(T[:] x, T a)",
              .body = "x[item] = times(x[item], a);",
              .compile = {.preamble = "#include \"times.h\"\n",
                          .headers = {{"times.h", "template <class T> T times(T x, T a) { return T(x * a); }"}},
                          .defines = {"UNUSED"}}});
  const RawKernel waits = kernel({.name = "raw_waits",
                                  .signature = "void(float32[:] x)",
                                  .body = "KILN_SHARED float32 own[4];\nown[0] = x[block.x];\nbarrier();\nx[block.x] = own[0];",
                                  .compile = {.contract = true}});
  const Array a = floats(100);
  attempt([&] { scale({.size = 100}, a, 2.0F); });
  attempt([&] { scale({.size = 100}, to_device(a, Device::best()), 2.0F); });
  attempt([&] { scale({.size = 100}, a.astype(DType::int32), 2); });
  attempt([&] { scale({.grid = {100}}, a, 2.0F); });
  attempt([&] { scale({.grid = {10}, .block = {10}}, a, 2.0F); });
  attempt([&] { waits({.grid = {100}}, a); });
  const Array gaps = a[{Slice{.step = 2}}];
  attempt([&] { scale({.size = 50}, to_device(a, Device::best())[{Slice{.step = 2}}], 2.0F); });
  attempt([&] { scale({.size = 50}, gaps, 2.0F); });
  attempt([&] { scale({.size = 50}, gaps.astype(DType::int16)[{Slice{.step = -1}}], std::int16_t{2}); });
  attempt([&] { scale({.size = 0}, a.astype(DType::int8), std::int8_t{2}); });
}

/// Constants of kernels: several values, one that needs its bits, and more than have kernels of their own.
void run_constants(const Attempt& attempt) {
  const Ufunc power = vectorize({.name = "constant_power",
                                 .signatures = {"T(T x, constant int32 n)"},
                                 .body = "T r = 1; for (int32 i = 0; i < n; ++i) r *= x; return r;",
                                 .compile = {.constant_variants = 3}});
  const Ufunc shift = vectorize({.name = "constant_shift", .signatures = {"T(T x, constant T by)"}, .body = "return x + by;"});
  const Gufunc box = guvectorize({.name = "constant_box",
                                  .layout = "(n),()->(n)",
                                  .signatures = {"void(T[:] x, constant T r, T[:] y)"},
                                  .body = "for (index i = 0; i < n; ++i) y(i) = x(i) * r;"});
  const Reduction sum = reduction({.name = "constant_sum",
                                   .signatures = {"T(T x, constant T k)"},
                                   .map = "return x * k;",
                                   .reduce = "return a + b;",
                                   .identity = "0"});
  const Reduction composed = reduction(shift, math::add, "constant_composed");
  const Ufunc fused =
      fuse({.name = "constant_fused", .parameters = {"x", "constant k"}}, [&](Expr x, Expr k) { return shift(x, k) * k; });
  const RawKernel raise = kernel({.name = "constant_raise",
                                  .signature = "void(T[:] x, constant T by, constant int32 n)",
                                  .body = "x[item] += T(by * n);"});
  const Array a = floats(1000);
  for (const int n : {2, 3, 2, 4, 5, 6}) attempt([&] { power(a, n); });
  attempt([&] { power(a[{Slice{.step = 2}}], 3); });
  const float quiet = std::bit_cast<float>(std::uint32_t{0x7fc12345});
  for (const float by : {0.1F, -0.0F, quiet}) {
    attempt([&] { shift(a, by); });
    attempt([&] { raise({.size = 1000}, a, by, 7); });
  }
  attempt([&] { shift(a.astype(DType::complex64), std::complex<float>(0.1F, -2)); });
  attempt([&] { shift(a.astype(DType::float16), 0.1); });
  attempt([&] { box(Array::full(Shape{48, 600}, 1.5F), 3); });
  attempt([&] { box(Array::full(Shape{48, 6}, 1.5F), 3); });
  attempt([&] { sum(a, 2); });
  attempt([&] { composed(a, 2); });
  attempt([&] { fused(a, 2.5F); });
  attempt([&] { raise({.grid = {100}}, a, 1.0F, 7); });
}

/// CuPy's notation, with names and without: kernels of elements, reductions, one kernel of a source, and several.
void run_cupy(const Attempt& attempt) {
  const Ufunc reversed = cupy::elementwise({.in_params = "T x, raw T y",
                                            .out_params = "T z",
                                            .operation = "z = x + SCALE * y[n - i - 1]",
                                            .options = {"-DSCALE=2"}});
  const Ufunc filled = cupy::elementwise({.out_params = "raw float32 y", .operation = "y[i] = i", .name = "filled"});
  const Reduction norm = cupy::reduction({.in_params = "T x",
                                          .out_params = "T y",
                                          .map_expr = "squared(x)",
                                          .reduce_expr = "a + b",
                                          .post_map_expr = "y = sqrt(a)",
                                          .identity = "0",
                                          .preamble = "template <class T> __device__ T squared(T x) { return x * x; }"});
  const cupy::Function one = cupy::raw_kernel(
      {.code = "extern \"C\" __global__ void one(float* x) { x[threadIdx.x] = N; }", .name = "one", .options = {"-DN=7"}});
  const cupy::RawModule several =
      cupy::raw_module({.code = "#include \"two.h\"\n"
                                "template <class T> __global__ void two(T* x) { x[threadIdx.x] *= TWO; }\n"
                                "__global__ void three(int* x) { x[blockIdx.x] += 3; }",
                        .name_expressions = {"two<float>", "two<int>"},
                        .compile = {.headers = {{"two.h", "#define TWO 2\n"}}}});
  const Array a = floats(1000);
  const Array i32 = Array::full(Shape{1000}, std::int32_t{7});
  attempt([&] { reversed(a, a); });
  attempt([&] { reversed(to_device(a, Device::best()), a[{Slice{.step = 2}}]); });
  attempt([&] { reversed(i32, i32); });
  attempt([&] { filled({}, {.out = floats(64), .size = 64}); });
  attempt([&] { norm(a); });
  attempt([&] { norm({Array::full(Shape{48, 600}, 1.5F)}, {.axis = 1}); });
  attempt([&] { one(1, 256, {floats(256)}); });
  attempt([&] { one(1, 1, {floats(1)}); });
  attempt([&] { several.get_function("two<float>")(1, 256, {floats(256)}); });
  attempt([&] { several.get_function("two<int>")(1, 256, {i32}); });
  attempt([&] { several.get_function("three")(1000, 1, {i32}); });
}

}  // namespace

void run_recorded_program(const std::string& headers, const std::function<void(const std::string&)>& failed) {
  const auto attempt = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (const std::exception& error) {
      failed(error.what());
    }
  };
  run_cupy(attempt);
  const Ufunc add = vectorize({.name = "add", .signatures = {"T(T a, T b)"}, .body = "return a + b;"});
  const Ufunc same_text = vectorize({.name = "add", .signatures = {"T(T a, T b)"}, .body = "return a + b;"});
  const Ufunc fixed =
      vectorize({.name = "fixed", .signatures = {"float32(float32 a)", "float64(float64)"}, .expression = "a * a"});
  const Ufunc slow =
      vectorize({.name = "slow", .signatures = {"R(R a) where R: float32, float64"}, .body = "R x = a; return exp(x);"});
  const Ufunc divmod =
      vectorize({.name = "divmod", .signatures = {"(int32 q, int32 r)(int32 a, int32 b)"}, .body = "q = a / b; r = a % b;"});
  const Ufunc included = vectorize({.name = "included",
                                    .signatures = {"float32(float32 a)"},
                                    .body = "return FACTOR * twice(a) + OFFSET; // caf\xe9",
                                    .compile = {.preamble = "#include \"factor.h\"\n",
                                                .functions = "inline float twice(float x) { return x + x; }",
                                                .include_dirs = {headers},
                                                .defines = {"OFFSET=1"},
                                                .contract = true}});
  const Ufunc fused = fuse({.name = "fused", .parameters = {"a", "b"}, .compile = {.contract = true}}, [&](Expr x, Expr y) {
    const auto [quotient, rest] = math::divmod.outputs<2>(x, y);
    return std::array{included(rest) * quotient, x + 0.5};
  });
  const Array a = floats(1000);
  const Array b = floats(1000);
  const Array i32 = Array::full(Shape{1000}, std::int32_t{7});
  const Array f16 = floats(1000).astype(DType::float16);
  const Array grid = Array::zeros({30, 64}, DType::float32);
  const Array cube = Array::zeros({6, 5, 64}, DType::float32);
  // Contiguous, and the same kernel for another definition of the same text.
  attempt([&] { add(a, b); });
  attempt([&] { same_text(a, b); });
  attempt([&] { fixed(a); });
  attempt([&] { fixed(a.astype(DType::float64)); });
  attempt([&] { slow(a); });
  attempt([&] { static_cast<void>(divmod.outputs<2>(i32, i32)); });
  attempt([&] { included(a); });
  // Made of others, for each combination of dtypes a kernel of its own.
  attempt([&] { static_cast<void>(fused.outputs<2>(a, b)); });
  attempt([&] { static_cast<void>(fused.outputs<2>(f16, i32.astype(DType::int16)[{Slice{.step = 2}}].reshape({500, 1}))); });
  attempt([&] { static_cast<void>(fused.outputs<2>(a, 3)); });
  // Scalars, casts in registers, casts of the output.
  attempt([&] { add(a, 2.0F); });
  attempt([&] { add(1, 2); });
  attempt([&] { add(a, f16); });
  attempt([&] { add({a, b}, {.out = Array::empty({1000}, DType::float64)}); });
  // Strided, reversed, not aligned, of a single element.
  attempt([&] { add(a[{Slice{.step = 2}}], b[{Slice{.step = 2}}]); });
  attempt([&] { add(a[{Slice{.step = -1}}], b); });
  attempt([&] { add(a[{Slice{.start = 1}}], b[{Slice{.start = 1}}]); });
  attempt([&] { add({a[{Slice{.start = 1}}], 1}, {.out = b[{Slice{.start = 1}}]}); });
  attempt([&] { add(a[{Slice{.stop = 1}}], b[{Slice{.stop = 1}}]); });
  // Broadcast operands and several dimensions; rows that are whole packs, and rows that are not.
  attempt([&] { add(a, Array::scalar(1.0F)); });
  attempt([&] { add(grid, floats(64)); });
  attempt([&] { add(grid, floats(30).reshape({30, 1})); });
  attempt([&] { add(grid.transpose(), grid.transpose()); });
  attempt([&] { add(grid.transpose(), Array::zeros({64, 30}, DType::float32)); });
  attempt([&] { add(grid[{Slice{.step = 2}, Slice{.stop = 61}}], floats(61)); });
  attempt([&] { add(cube, Array::zeros({5, 1}, DType::float32)); });
  attempt([&] { add(cube[{all, Slice{.step = 2}, Slice{.stop = 32}}], floats(32)); });
  attempt([&] { add(cube[{all, all, Slice{.stop = 31}}], floats(31)); });
  // With a mask: fresh results and kept ones, a row of it, every second, broadcast, cast outputs.
  const Array mask = Array::full(Shape{1000}, true);
  attempt([&] { add({a, b}, {.where = mask}); });
  attempt([&] { add({a, b}, {.out = floats(1000), .where = mask}); });
  attempt([&] { add({a, 2.0F}, {.out = Array::empty({1000}, DType::float64), .where = mask[{Slice{.step = -1}}]}); });
  attempt([&] { add({grid, floats(64)}, {.where = Array::full(Shape{30, 1}, true)}); });
  attempt([&] { add({grid.transpose(), grid.transpose()}, {.out = grid.transpose(), .where = Array::full(Shape{30}, true)}); });
  attempt([&] { static_cast<void>(divmod.outputs<2>({i32, i32}, {.where = mask})); });
  // In place, and over an input's window that is not the same.
  attempt([&] { add({a, b}, {.out = a}); });
  attempt([&] { add({a[{Slice{.start = 1}}], b[{Slice{.start = 1}}]}, {.out = a[{Slice{.stop = -1}}]}); });
  // Arrays that were placed on a device keep their layout there.
  const Array placed = to_device(a, Device::best());
  const Array placed_grid = to_device(grid, Device::best());
  const Array placed_cube = to_device(cube, Device::best());
  attempt([&] { add(placed, placed); });
  attempt([&] { add(placed[{Slice{.step = 2}}], placed[{Slice{.step = -2}}]); });
  attempt([&] { add(placed[{Slice{.start = 1}}], placed[{Slice{.stop = -1}}]); });
  attempt([&] { add({placed, 1}, {.out = placed}); });
  attempt([&] { add(placed_grid[{all, Slice{.stop = 32}}], placed_grid[{all, Slice{.stop = 32}}]); });
  attempt([&] { add(placed_grid[{all, Slice{.stop = 31}}], placed_grid[{all, Slice{.start = 33}}]); });
  attempt([&] { add(placed_grid[{all, Slice{.stop = 32}}], placed_grid[{all, Slice{.start = 1, .stop = 33}}]); });
  attempt([&] { add(placed_grid.transpose(), placed_grid.transpose()); });
  attempt([&] { add(placed_cube[{all, Slice{.stop = 4}, Slice{.stop = 32}}], placed_cube[{0, 0, Slice{.stop = 32}}]); });
  attempt([&] { add(placed_cube[{all, Slice{.stop = 4}, Slice{.step = 2}}], 1); });
  // More than the cache holds: stored past it, unless arithmetic takes the time.
  attempt([&] { add(floats(8'500'000), floats(8'500'000)); });
  attempt([&] { slow(floats(13'000'000)); });
  // Generalized ufuncs: small sizes and large ones, scalars, casts, masks, cores that lie in other ways.
  const Gufunc matmul =
      guvectorize({.name = "matmul",
                   .layout = "(m,n),(n,p)->(m,p)",
                   .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                   .body = "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { T s = 0; for (index k ="
                           " 0; k < n; ++k) s += A(i, k) * B(k, j); C(i, j) = s; }"});
  const Gufunc scaled = guvectorize({.name = "scaled",
                                     .layout = "(n),()->(n),()",
                                     .signatures = {"void(float32[:] x, float32 k, float32[:] y, int32 count)"},
                                     .body = "for (index i = 0; i < n; ++i) y(i) = FACTOR * x(i) * k; count = n;",
                                     .compile = {.preamble = "#include \"factor.h\"\n", .include_dirs = {headers}}});
  const Gufunc transposed = guvectorize({.name = "transposed",
                                         .layout = "(m,n)->(n,m)",
                                         .signatures = {"void(int32[:,:] a, int32[:,:] b)"},
                                         .each = "i:m, j:n",
                                         .body = "b(j, i) = a(i, j);"});
  const Gufunc cross =
      guvectorize({.name = "cross",
                   .layout = "(3),(3)->(3)",
                   .signatures = {"void(float32[:] a, float32[:] b, float32[:] c)"},
                   .body = "c(0) = a(1) * b(2) - a(2) * b(1); c(1) = a(2) * b(0) - a(0) * b(2); c(2) = a(0) * b(1);"});
  const Gufunc decay = guvectorize({.name = "decay",
                                    .layout = "(n),()->(n)",
                                    .signatures = {"void(T[:] x, T k, T[:] y)"},
                                    .body = "T now = 0; for (index i = 0; i < n; ++i) { now = now * k + x(i); y(i) = now; }"});
  const Array items = Array::zeros({10, 4, 6}, DType::float32);
  const Array vectors = Array::zeros({200, 3}, DType::float32);
  const Array ints = to_device(Array::zeros({10, 40, 6}, DType::int32), Device::best());
  attempt([&] { matmul(items, Array::zeros({6, 3}, DType::float32)); });
  attempt([&] { matmul(items, Array::zeros({10, 6, 300}, DType::float32)); });
  attempt([&] { matmul(items.astype(DType::float16), Array::zeros({6, 3}, DType::float32)); });
  attempt([&] { matmul({items, Array::zeros({6, 3}, DType::float32)}, {.where = Array::full(Shape{10}, true)}); });
  attempt([&] { matmul(placed_grid, placed_grid.transpose()); });
  attempt([&] { static_cast<void>(scaled.outputs<2>(cube, 2.0F)); });
  attempt([&] { static_cast<void>(scaled.outputs<2>(cube, Array::zeros({5}, DType::float32))); });
  attempt([&] { cross(vectors, vectors); });
  attempt([&] { cross(vectors, floats(3)); });
  // Items side by side, turned beside a scalar, and with the indices of .each as loops.
  const auto across = [](std::int64_t size, DType dtype) { return Array::zeros({size, 200}, dtype).transpose(); };
  attempt([&] { cross(across(3, DType::float32), vectors); });
  attempt([&] { cross({vectors, across(3, DType::float32)}, {.out = across(3, DType::float32)}); });
  attempt([&] { decay(Array::zeros({200, 40}, DType::float32), 0.5F); });
  attempt([&] { decay(across(40, DType::float32), 0.5F); });
  attempt([&] { decay({across(40, DType::float64), 0.5}, {.out = across(40, DType::float64)}); });
  attempt([&] { matmul(Array::zeros({200, 3, 3}, DType::float32), Array::zeros({3, 3, 200}, DType::float32).transpose()); });
  // One operand for all items, and tiny items that lie apart.
  attempt([&] { decay({across(40, DType::float32), Array::zeros({1}, DType::float32)}, {.out = across(40, DType::float32)}); });
  attempt([&] { matmul(Array::zeros({3, 3, 200}, DType::float32).transpose(), Array::zeros({3, 3}, DType::float32)); });
  const Array spaced = to_device(Array::zeros({600, 3}, DType::float32), Device::best())[{Slice{.step = 3}}];
  const Array spaced_out = to_device(Array::zeros({600, 3}, DType::float32), Device::best())[{Slice{.step = -3}}];
  attempt([&] { cross(spaced, vectors); });
  attempt([&] { cross({spaced, spaced}, {.out = spaced_out}); });
  attempt([&] { transposed(ints); });
  attempt([&] { transposed(ints.transpose({0, 2, 1})); });
  attempt([&] { transposed({ints}, {.axes = {{0, 2}, {1, 2}}}); });
  // Nothing to do is nothing used.
  attempt([&] { add(floats(0), floats(0)); });
  run_methods(add, attempt);
  run_reductions(attempt);
  run_raw_kernels(attempt);
  run_constants(attempt);
}

}  // namespace kiln::test
