// Kernels in CuPy's notation: the texts of cupy.ElementwiseKernel.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "../unit/base/temporary_directory.hpp"
#include "devices.hpp"
#include "kiln/cupy_elementwise.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;
using kiln::cupy::elementwise;

TEST_CASE("cupy: the kernels of its guide") {
  const Ufunc squared_diff = elementwise({.in_params = "float32 x, float32 y",
                                          .out_params = "float32 z",
                                          .operation = "z = (x - y) * (x - y)",
                                          .name = "squared_diff"});
  const Ufunc generic = elementwise({.in_params = "T x, T y",
                                     .out_params = "T z",
                                     .operation = "T diff = x - y; z = diff * diff;",
                                     .name = "squared_diff_generic"});
  const Ufunc add_reverse = elementwise(
      {.in_params = "T x, raw T y", .out_params = "T z", .operation = "z = x + y[_ind.size() - i - 1]", .name = "add_reverse"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}));
    const Array y = target.place(Array::from(std::vector<float>{2, 0, 1}, {3}));
    const std::vector<float> wanted = {4, 1, 1, 1, 16, 16};
    CHECK(values_of<float>(target, target.call(squared_diff, {x, y})) == wanted);
    CHECK(values_of<float>(target, target.call(generic, {x, y})) == wanted);
    CHECK(values_of<float>(target, target.call(generic, {x, 5})) == std::vector<float>{25, 16, 9, 4, 1, 0});
    CHECK(
        values_of<float>(target, target.call(add_reverse, {y, target.place(Array::from(std::vector<float>{1, 2, 3}, {3}))})) ==
        std::vector<float>{5, 2, 2});
  });
}

TEST_CASE("cupy: the place of an element, whatever order the arrays lie in") {
  const Ufunc places = elementwise({.in_params = "T x",
                                    .out_params = "int64 number, int64 row, int64 column, int64 all",
                                    .operation = "number = i; row = _ind.get()[0]; column = _ind.get()[_ind.ndim - 1];"
                                                 "all = n + _ind.shape()[0] * 1000 + _ind.size() * 1000000;",
                                    .name = "places"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::zeros({4, 3}, DType::float32)).transpose();
    const std::vector<Array> results = target.outputs(places, {x});
    for (std::int64_t k = 0; k < 12; ++k) {
      const auto at = static_cast<std::size_t>(k);
      CHECK(values_of<std::int64_t>(target, results[0])[at] == k);
      CHECK(values_of<std::int64_t>(target, results[1])[at] == k / 4);
      CHECK(values_of<std::int64_t>(target, results[2])[at] == k % 4);
      CHECK(values_of<std::int64_t>(target, results[3])[at] == 12003012);
    }
  });
}

TEST_CASE("cupy: continue, return, what stands around the loop, and outputs that are read") {
  const Ufunc positive = elementwise({.in_params = "T x",
                                      .out_params = "T y",
                                      .operation = "if (x < 0) continue;\nif (x > limit) return;\ny += x * two();",
                                      .name = "positive",
                                      .preamble = "__device__ int two() { return 2; }",
                                      .loop_prep = "const T limit = 3"});
  const Ufunc after = elementwise(
      {.in_params = "T x", .out_params = "T y", .operation = "T z = x; y = z", .name = "after", .after_loop = "y = y + 1;"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{-1, 1, 2, 4}, {4}));
    CHECK(values_of<float>(target, target.call(positive, {x})) == std::vector<float>{0, 2, 4, 0});
    const Array y = target.place(Array::from(std::vector<float>{10, 20, 30, 40}, {4}));
    target.call(positive, {x}, {.out = y});
    CHECK(values_of<float>(target, y) == std::vector<float>{10, 22, 34, 40});
    CHECK(values_of<float>(target, target.call(after, {x})) == std::vector<float>{0, 2, 3, 5});
  });
}

TEST_CASE("cupy: CUDA's meaning of min and max, narrowing in braces, and intrinsics") {
  const Ufunc f =
      elementwise({.in_params = "float32 x, float64 y",
                   .out_params = "float32 least, int32 bits",
                   .operation = "float narrow[] = {y}; least = max(min(x, narrow[0]), -1.f); bits = __popc(__float_as_int(x));",
                   .name = "f"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{NAN, 3, 1}, {3}));
    const Array y = target.place(Array::from(std::vector<double>{2, NAN, -4}, {3}));
    const std::vector<Array> results = target.outputs(f, {x, y});
    CHECK(values_of<float>(target, results[0]) == std::vector<float>{2, 3, -1});
    CHECK(values_of<int>(target, results[1])[1] == 2);
  });
}

TEST_CASE("cupy: min and max of halves, which are not parameters") {
  const Ufunc f =
      elementwise({.in_params = "float16 x",
                   .out_params = "float16 least, float16 most",
                   .operation = "held<float16> a{x}, b{2}; least = min(a.value, b.value); most = max(a.value, b.value)",
                   .name = "f",
                   .preamble = "template <class T> struct held { T value; };"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{NAN, 3, -1}).astype(DType::float16));
    const std::vector<Array> results = target.outputs(f, {x});
    CHECK(list_of(target.fetch(results[0])) == std::vector<double>{2, 2, -1});
    CHECK(list_of(target.fetch(results[1])) == std::vector<double>{2, 3, 2});
  });
}

TEST_CASE("cupy: halves convert to float by themselves, as CuPy's do") {
  const auto make = [](const char* operation) {
    return elementwise({.in_params = "T x, raw T a",
                        .out_params = "T z",
                        .operation = operation,
                        .name = "halves",
                        .preamble = "__device__ float helper(float v) { return v + 1; }"});
  };
  // Of each the operation and its result for x = -2.25 and a[i] = 1.5.
  const std::vector<std::pair<const char*, float>> operations = {{"T y = x; float f = y; z = f * 2", -4.5F},
                                                                 {"float f = T(2); z = f", 2},
                                                                 {"z = 1; float f = z; z = f + 1", 2},
                                                                 {"T y[2] = {x, a[i]}; float f = y[1]; z = f", 1.5F},
                                                                 {"T y = x; z = helper(y)", -1.25F},
                                                                 {"T y = x; double d = y; int n = y; z = d + n", -4.25F},
                                                                 {"T y = x; bool b = y; z = b", 1},
                                                                 {"z = sqrtf(a[i] * 1.5)", 1.5F},
                                                                 {"z = x > 0 ? x : a[i]", 1.5F},
                                                                 {"T y = a[i]; z = x < 0 ? y : T(7)", 1.5F},
                                                                 {"z = x < 0 ? -x : x", 2.25F},
                                                                 {"float f = a[i]; z = f + helper(a[i])", 4},
                                                                 {"z = fmaxf(x, a[i])", 1.5F},
                                                                 {"z = max(x, 1.0f) + min(a[i], T(1))", 2},
                                                                 {"T y = a[i]; z = isnan(y) + !y + (y && true)", 1},
                                                                 {"auto y = x; y += 1; y *= a[i]; z = y", -1.875F}};
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32}) {
      const Array x = target.place(Array::from(std::vector<float>{-2.25F}).astype(dtype));
      const Array a = target.place(Array::from(std::vector<float>{1.5F}).astype(dtype));
      for (const auto& [operation, wanted] : operations) {
        CAPTURE(operation);
        CHECK(target.fetch(target.call(make(operation), {x, a})).astype(DType::float32).to_vector<float>() ==
              std::vector<float>{wanted});
      }
    }
  });
}

TEST_CASE("cupy: a raw parameter may be a number") {
  const Ufunc shifted =
      elementwise({.in_params = "raw T x, raw int32 by", .out_params = "T y", .operation = "y = x[(i + by) % n]"});
  const Ufunc scaled = elementwise({.in_params = "T x, raw T by", .out_params = "T y", .operation = "y = x * by"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<float>{0, 1, 2, 3}, {4}));
    CHECK(values_of<float>(target, target.call(shifted, {x, 3}, {.size = 4})) == std::vector<float>{3, 0, 1, 2});
    CHECK(values_of<float>(target, target.call(scaled, {x, 3})) == std::vector<float>{0, 3, 6, 9});
  });
}

TEST_CASE("cupy: raw outputs, sizes, atomics, and no inputs") {
  const Ufunc scatter = elementwise({.in_params = "raw T x, int32 count",
                                     .out_params = "raw T y",
                                     .operation = "atomicAdd(&y[i % count], x[i])",
                                     .name = "scatter_add"});
  const Ufunc fill = elementwise({.in_params = "", .out_params = "T y", .operation = "y = i % 5", .name = "fill"});
  on_every_device([&](const Target& target) {
    std::vector<float> values(300);
    std::vector<float> wanted(7, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i % 11);
      wanted[i % 7] += values[i];
    }
    const Array y = target.place(Array::zeros({7}, DType::float32));
    target.call(scatter, {target.place(Array::from(values, {300})), 7}, {.out = y, .size = 300});
    CHECK(values_of<float>(target, y) == wanted);
    const Array z = target.place(Array::zeros({2, 3}, DType::int16));
    target.call(fill, {}, {.out = z});
    CHECK(values_of<std::int16_t>(target, z) == std::vector<std::int16_t>{0, 1, 2, 3, 4, 0});
  });
}

TEST_CASE("cupy: names of CuPy's headers, which texts have without including them") {
  const Ufunc divided = elementwise({.in_params = "T x, T y", .out_params = "T z", .operation = "z = _floor_divide(x, y)"});
  const Ufunc parts = elementwise(
      {.in_params = "T x", .out_params = "complex64 z", .operation = "z.real(x); z.imag(2 * x); z.real(z.real() + 1)"});
  const Ufunc extrema =
      elementwise({.in_params = "T x", .out_params = "raw T y", .operation = "atomicMax(&y[0], x); atomicMin(&y[1], x)"});
  const Ufunc sum = elementwise({.in_params = "T x", .out_params = "raw T y", .operation = "atomicAdd(&y[1], x)"});
  const Ufunc count = elementwise({.in_params = "T x", .out_params = "raw int64 y", .operation = "atomicAdd(&y[0], 1)"});
  const Ufunc rounded =
      elementwise({.in_params = "float32 x", .out_params = "float32 y", .operation = "const half h = x; y = 2 * float(h)"});
  const Ufunc constants =
      elementwise({.in_params = "uint64 p", .out_params = "float64 y", .operation = "y = p == NULL ? CUDART_PI : CUDART_NAN"});
  on_every_device([&](const Target& target) {
    const auto place = [&]<class T>(std::vector<T> values) { return target.place(Array::from(values)); };
    using Floats = std::vector<float>;
    using Ints = std::vector<int>;
    CHECK(values_of<int>(target, target.call(divided, {place(Ints{7, -7, 5, -8}), place(Ints{2, 2, 0, -2})})) ==
          Ints{3, -4, 0, 4});
    CHECK(values_of<float>(target, target.call(divided, {place(Floats{7, -7, 1}), place(Floats{2, 2, 0})})) ==
          Floats{3, -4, INFINITY});
    CHECK(values_of<std::complex<float>>(target, target.call(parts, {place(Floats{3})})) ==
          std::vector<std::complex<float>>{{4, 6}});
    CHECK(values_of<float>(target, target.call(rounded, {place(Floats{2049})})) == Floats{4096});
    const Array number = target.place(Array::zeros({1}, DType::int64));
    target.call(count, {place(Floats{1, 2, 3})}, {.out = number});
    CHECK(values_of<std::int64_t>(target, number) == std::vector<std::int64_t>{3});
    const Array ends = place(Floats{NAN, 100});
    target.call(extrema, {place(Floats{3, NAN, -5, 2})}, {.out = ends});
    CHECK(values_of<float>(target, ends) == Floats{3, -5});
    const Array wide = place(std::vector<double>{-1e300, 1e300});
    target.call(extrema, {place(std::vector<double>{0.1, 0.7})}, {.out = wide});
    CHECK(values_of<double>(target, wide) == std::vector<double>{0.7, 0.1});
    const Array halves = target.place(Array::zeros({3}, DType::float16));
    target.call(sum, {place(Floats{1, 2, 3, 4}).astype(DType::float16)}, {.out = halves});
    CHECK(list_of(target.fetch(halves)) == std::vector<double>{0, 10, 0});
    const Array y = target.call(constants, {place(std::vector<std::uint64_t>{0, 1})});
    CHECK(values_of<double>(target, y)[0] == 3.14159265358979323846);
    CHECK(std::isnan(values_of<double>(target, y)[1]));
  });
}

TEST_CASE("cupy: CuPy's and libcu++'s headers by their names, also from include folders") {
  const Ufunc turned = elementwise({.in_params = "T x",
                                    .out_params = "T y",
                                    .operation = "y = turned(x)",
                                    .preamble = "#include <cuda/std/bit>\n#include <cuda/std/utility>\n"
                                                "#include <cupy/cuda_workaround.h>\n#include <cupy/atomics.cuh>\n"
                                                "template <class T> __device__ auto turned(T&& x) {\n"
                                                "  static_assert(!std::is_signed<std::decay_t<T>>::value);\n"
                                                "  return cuda::std::byteswap(cuda::std::forward<T>(x));\n}"});
  // Files as CuPy has them: theirs give way to kiln's, and a function may ignore arguments of any number.
  const kiln::test::TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "cupy/xsf");
  kiln::test::write_text(folder / "cupy/xsf/config.h", "#include <cuda/std/cmath_of_libcuxx>\n");
  kiln::test::write_text(folder / "cupy/complex.cuh", "#error \"CuPy's\"\n");
  kiln::test::write_text(
      folder / "cupy/xsf/half.h",
      "#pragma once\n#include \"config.h\"\n#include \"../complex.cuh\"\nnamespace xsf {\n"
      "XSF_HOST_DEVICE inline void note(const char* name, ...) {}\n"
      "template <typename T> XSF_HOST_DEVICE T half(T x) { note(\"half\", 1); return std::abs(x) / T(2); }\n}\n");
  const Ufunc half = elementwise({.in_params = "complex64 x",
                                  .out_params = "float32 y, complex64 z",
                                  .operation = "y = xsf::half(x.real()); z = xsf::remove_complex_t<complex64>(xsf::imag(x))",
                                  .preamble = "#include <cupy/xsf/half.h>",
                                  .options = {"-I" + folder.path()}});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<std::uint32_t>{0x01020304, 0xff}));
    CHECK(values_of<std::uint32_t>(target, target.call(turned, {x})) == std::vector<std::uint32_t>{0x04030201, 0xff000000});
    const Array z = target.place(Array::from(std::vector<std::complex<float>>{{-3, 4}}));
    const std::vector<Array> results = target.outputs(half, {z});
    CHECK(values_of<float>(target, results[0]) == std::vector<float>{1.5});
    CHECK(values_of<std::complex<float>>(target, results[1]) == std::vector<std::complex<float>>{{4, 0}});
  });
}

TEST_CASE("cupy: what cannot be read is said, with its place") {
  const auto message = [](kiln::cupy::ElementwiseDefinition definition) {
    if (definition.operation.empty()) definition.operation = "y = x";
    return message_of([&] { (void)elementwise(definition); });
  };
  CHECK(message({.in_params = "T", .out_params = "T y"}) == "kernel: expected a type and a name, as in \"T x\"\nT\n^");
  CHECK(message({.in_params = "T x,", .out_params = "T y"}).starts_with("kernel: expected a type and a name"));
  CHECK(message({.in_params = "T x, raws T z", .out_params = "T y"}) ==
        "kernel: the word \"raws\" is unknown; before a type stands \"raw\" or nothing\nT x, raws T z\n     ^");
  CHECK(message({.in_params = "T x, float23 z", .out_params = "T y"}).find("\"float23\"") != std::string::npos);
  CHECK(message({.in_params = "T i", .out_params = "T y"}) ==
        "kernel: \"i\" cannot be a parameter's name: bodies have it of their own\nT i\n  ^");
  CHECK(message({.in_params = "T x", .out_params = "T y", .options = {"--unknown"}})
            .starts_with("kernel: the option \"--unknown\" is none that kiln knows"));
  CHECK(message({.in_params = "T x", .out_params = "T y", .loop_prep = "if (1) {"}).find("kernel.loop_prep") !=
        std::string::npos);
  CHECK(message({.in_params = "T x, T x", .out_params = "T y"}) == "kernel: the name \"x\" is used twice\nT x, T x\n       ^");
  CHECK(message({.in_params = "T x", .out_params = "T x"}) == "kernel: the name \"x\" is used twice\nT x\n  ^");
  CHECK(message({.in_params = "t x", .out_params = "T y"}) == "kernel: a type variable is one capital letter\nt x\n^");
  CHECK(message({.in_params = "T x, cudaTextureObject_t t", .out_params = "T y"}) ==
        "kernel: \"cudaTextureObject_t\": kernels have no textures and surfaces; pass the array and its extents, and read its "
        "elements by index, clamped or interpolated in the kernel\nT x, cudaTextureObject_t t\n     ^");
  const Ufunc open = elementwise({.in_params = "T x", .out_params = "U y", .operation = "y = x"});
  CHECK(message_of([&] { (void)open(Array::zeros({2}, DType::float32)); }).find("nothing decides the type variable \"U\"") !=
        std::string::npos);
  const Ufunc wrong =
      elementwise({.in_params = "T x", .out_params = "T y", .operation = "y = x;\ny = unknown;", .name = "wrong"});
  CHECK(message_of([&] { (void)wrong(Array::zeros({2}, DType::float32)); }).find("wrong:2:5: error") != std::string::npos);
}

TEST_CASE("cupy: what calls and devices refuse is said, with its place") {
  const Array x = Array::zeros({2}, DType::float32);
  const auto message = [&](kiln::cupy::ElementwiseDefinition definition, std::initializer_list<kiln::Arg> args,
                           kiln::CallOptions options = {}) {
    if (definition.in_params.empty()) definition.in_params = "T x";
    if (definition.out_params.empty()) definition.out_params = "T y";
    if (definition.operation.empty()) definition.operation = "y = x";
    return message_of([&] { (void)elementwise(definition)(args, options); });
  };
  const kiln::cupy::ElementwiseDefinition raw{.in_params = "raw T x", .out_params = "raw T y", .operation = "y[i] = x[i]"};
  CHECK(message(raw, {x}, {.out = x}) ==
        "kernel: no array decides how many elements there are, as raw ones are not broadcast; give .size");
  CHECK(message(raw, {x}, {.out = x, .size = -3}) == "kernel: .size is -3, which is no number of elements");
  CHECK(message({}, {x}, {.size = 2}) ==
        "kernel: .size is for calls whose shape no array decides, and here one of shape (2,) does; leave .size out");
  const kiln::cupy::ElementwiseDefinition fraction{.in_params = "raw T x, T k", .operation = "y = x[k * 1.5f]"};
  CHECK(message(fraction, {x, x}).starts_with("kernel:1:6: error: the index is no integer; cut off its fraction: index(x)"));
  CHECK(message({.operation = "y =\n  tex1D<float>(0, x)"}, {x}).starts_with("kernel:2:3: error: "));
  CHECK(message({.operation = "y =\n  tex1D<float>(0, x)"}, {x})
            .find("; kernels have no textures and surfaces; pass the array and its extents") != std::string::npos);
  CHECK(message({.preamble = "#include <cub/cub.cuh>\n"}, {x}) ==
        "failed to find the header \"cub/cub.cuh\", which kernel.preamble:1 includes: kernels have no CUB; a warp reduces by "
        "warp_sum() or warp_reduce(), a block with KILN_SHARED and barrier()");
  constexpr const char* kNoThreads =
      "elements know no threads, and share nothing; a kernel of threads is one of kiln::kernel() or kiln::cupy::raw_kernel()";
  CHECK(message({.operation = "y = x;\ny += threadIdx.x"}, {x})
            .starts_with(std::string("kernel:2:6: error: \"threadIdx\": ") + kNoThreads));
  CHECK(message({.preamble = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"}, {x})
            .starts_with(std::string("kernel.preamble:2:16: error: \"cooperative_groups\": ") + kNoThreads));
  CHECK(message({.operation = "__syncthreads(); y = x"}, {x})
            .starts_with(std::string("kernel:1:1: error: \"__syncthreads\": ") + kNoThreads));
  const kiln::cupy::ElementwiseDefinition other{.in_params = "T x", .out_params = "T y", .operation = R"(
#ifdef KILN_NO_SUCH_TARGET
y = threadIdx.x;
#endif
y = x)"};
  CHECK(elementwise(other)(Array::from(std::vector<float>{3}), kiln::CallOptions{}).to_vector<float>() ==
        std::vector<float>{3});
  if (!kiln::Device::best().is_cpu()) return;
  CHECK(
      message({.operation = "y = x;\nasm(\"bar.sync 0;\")"}, {x})
          .starts_with("kernel:2:1: error: PTX in asm() is for NVIDIA's GPUs, and this is compiled for the CPU; write what it "
                       "does in C++, or put it behind #ifdef __CUDA_ARCH__"));
  CHECK(message({.preamble = "__device__ void f() {\n  asm(\"\"); }"}, {x})
            .starts_with("kernel.preamble:2:3: error: PTX in asm() is for NVIDIA's GPUs"));
}
