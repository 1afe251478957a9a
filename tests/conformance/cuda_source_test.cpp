// Whole sources in CUDA's language, as CuPy's RawKernel and RawModule take them, on every device. Expected values are computed
// one thread after the other.
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/cupy_raw.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
namespace cupy = kiln::cupy;

namespace {

template <class T>
std::vector<T> ramp(std::size_t n) {
  std::vector<T> list;
  while (list.size() < n) list.push_back(static_cast<T>(static_cast<int>(list.size() % 29) - 11));
  return list;
}

}  // namespace

TEST_CASE("cuda source: a kernel of CuPy's documentation, with device functions and a constant table") {
  static const cupy::Function kernel = cupy::raw_kernel({.code = "#include <math_constants.h>"
                                                                 R"(
#define SCALE 2
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
struct Range { int begin, end; };
static __device__ __forceinline__ bool inside(Range r, int i) { return i >= r.begin && i < r.end; }
__device__ float at(const float* __restrict__ x, Range r, int i) { return inside(r, i) ? __ldg(x + i) : 0.0f; }
extern "C" __global__ void __launch_bounds__(128)
smooth(const float* __restrict__ x, float* __restrict__ y, unsigned int n, float scale) {
  const int tid = blockDim.x * blockIdx.x + threadIdx.x;
  if (tid >= n) return;
  const Range all = {0, (int)n}; float sum = 0;
#pragma unroll
  for (int k = -1; k <= 1; k++) sum += weights[k + 1] * at(x, all, tid + k);
  y[tid] = fminf(SCALE * scale * sum, CUDART_INF_F);
})",
                                                         .name = "smooth"});
  CHECK(kernel.signature() == "void(const float32* x, float32* y, uint32 n, float32 scale)");
  on_every_device([&](const Target& target) {
    const std::vector<float> x = ramp<float>(1000);
    const Array y = target.place(Array::zeros({1000}, DType::float32));
    kernel(8, 128, {target.place(Array::from(x)), y, 1000, 0.5}, 0, target.options().stream);
    std::vector<float> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = 0.25F * (i > 0 ? x[i - 1] : 0) + 0.5F * x[i] + 0.25F * (i + 1 < x.size() ? x[i + 1] : 0);
    CHECK(target.fetch(y).to_vector<float>() == expected);
  });
}

TEST_CASE("cuda source: templates by name expressions, in namespaces, with numbers") {
  static const cupy::RawModule module = cupy::raw_module({.code = R"(
namespace ops {
template <typename T, int Times = 1>
__global__ void axpy(const T* x, T* y, const T a, const long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; i < n && k < Times; ++k) y[i] += a * x[i];
}
}  // namespace ops
typedef double real;
extern "C" __global__ void halve(real* y, size_t n) { for (size_t i = threadIdx.x; i < n; i += blockDim.x) y[i] /= 2; })",
                                                          .options = {"--std=c++17", "-fmad=false"},
                                                          .name_expressions = {"ops::axpy<float>", "ops::axpy<double, 3>"}});
  CHECK(module.names() == std::vector<std::string>{"ops::axpy", "halve"});
  CHECK(module.get_function("ops::axpy<double, 3>").signature() == "void(const float64* x, float64* y, float64 a, int64 n)");
  CHECK(module.get_function("halve").signature() == "void(float64* y, uint64 n)");
  on_every_device([&](const Target& target) {
    const auto check = [&]<class T>(const char* name, int times, T) {
      const std::vector<T> x = ramp<T>(300);
      const Array y = target.place(Array::from(std::vector<T>(300, T{1})));
      module.get_function(name)(3, 100, {target.place(Array::from(x)), y, 2, 300}, 0, target.options().stream);
      std::vector<T> expected;
      for (const T v : x) expected.push_back(1 + 2 * T(times) * v);
      CHECK(target.fetch(y).to_vector<T>() == expected);
    };
    check("ops::axpy<float>", 1, float{});
    check("ops::axpy<double, 3>", 3, double{});
    const Array y = target.place(Array::from(std::vector<double>{1, 3, 5}));
    module.get_function("halve")(1, 2, {y, 3}, 0, target.options().stream);
    CHECK(target.fetch(y).to_vector<double>() == std::vector<double>{0.5, 1.5, 2.5});
  });
}

TEST_CASE("cuda source: shared memory, static and dynamic, and warps") {
  static const cupy::RawModule module = cupy::raw_module({.code = R"(
__device__ float warp_total(float v) {
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}
extern "C" __global__ void total(const float* x, float* sums, int n) {
  __shared__ float parts[32];
  extern __shared__ float copy[];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  copy[threadIdx.x] = v;
  __syncthreads();
  v = warp_total(copy[blockDim.x - 1 - threadIdx.x]);
  if (threadIdx.x % warpSize == 0) parts[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = warp_total(threadIdx.x < blockDim.x / warpSize ? parts[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) atomicAdd(sums, v);
  }
})"});
  on_every_device([&](const Target& target) {
    for (const int threads : {32, 96, 256}) {
      const Array sum = target.place(Array::zeros({1}, DType::float32));
      module.get_function("total")(3, threads, {target.place(Array::from(ramp<float>(5000))), sum, 5000}, 4 * threads,
                                   target.options().stream);
      float expected = 0;
      for (const float v : ramp<float>(5000)) expected += v;
      CAPTURE(threads);
      CHECK(target.fetch(sum).to_vector<float>() == std::vector<float>{expected});
    }
  });
}

TEST_CASE("cuda source: structures and vectors as elements, structures by value, complex numbers and halves") {
  static const cupy::RawModule module = cupy::raw_module({.code = "#include <cupy/complex.cuh>\n#include <cuda_fp16.h>"
                                                                  R"(
struct Body { float3 at; float mass; };
struct Step { double dt; int count; };
extern "C" __global__ void move(Body* bodies, const float4* speeds, const Step step) {
  for (int k = 0, i = threadIdx.x; k < step.count; ++k) {
    bodies[i].at.x += speeds[i].x * step.dt;
    bodies[i].at.z += speeds[i].z * step.dt;
  }
  bodies[threadIdx.x].mass = make_float2(speeds[threadIdx.x].w, 0).x;
}
extern "C" __global__ void turn(const complex<float>* z, thrust::complex<double>* w, complex<float> by) {
  const int i = threadIdx.x;
  const complex<float> p = z[i] * by;
  w[i] = thrust::complex<double>(p.real(), p.imag()) + conj(complex<double>(z[i]));
}
template <class T> __global__ void narrow(const T* x, half* y) {
  y[threadIdx.x] = __float2half(2.0f * (float)x[threadIdx.x]);
})"});
  on_every_device([&](const Target& target) {
    const kiln::Stream stream = target.options().stream;
    const Array bodies = target.place(Array::from(ramp<float>(40)).reshape({10, 4}));
    const std::vector<float> speeds = ramp<float>(40);
    struct {
      double dt = 0.5;
      std::int32_t count = 2;
    } step;
    const cupy::Function move = module.get_function("move");
    const Array bytes = target.place(cupy::structure(step));
    move(1, 10, {bodies, target.place(Array::from(speeds)), bytes}, 0, stream);
    CHECK(message_of([&] { move(1, 10, {bodies, bodies, bytes[kiln::Slice(0, 12)]}, 0, stream); }) ==
          "move: argument 2 (step) has 12 bytes, and the kernel's structure 16; give cupy::structure() of one with the same "
          "members");
    std::vector<float> expected = ramp<float>(40);
    for (std::size_t i = 0; i < 10; ++i) {
      expected[4 * i] += speeds[4 * i];
      expected[4 * i + 2] += speeds[4 * i + 2];
      expected[4 * i + 3] = speeds[4 * i + 3];
    }
    CHECK(target.fetch(bodies).to_vector<float>() == expected);

    using Complex = std::complex<float>;
    const std::vector<Complex> z{{1, 2}, {-3, 0.5F}};
    const Array w = target.place(Array::zeros({2}, DType::complex128));
    module.get_function("turn")(1, 2, {target.place(Array::from(z)), w, Complex(0, 1)}, 0, stream);
    CHECK(target.fetch(w).to_vector<std::complex<double>>() == std::vector<std::complex<double>>{{-1, -1}, {-3.5, -3.5}});

    const Array y = target.place(Array::zeros({3}, DType::float16));
    module.get_function("narrow<int>")(1, 3, {target.place(Array::from(std::vector<std::int32_t>{1, -2, 300})), y}, 0, stream);
    CHECK(target.fetch(y).astype(DType::float32).to_vector<float>() == std::vector<float>{2, -4, 600});
  });
}

TEST_CASE("cuda source: cuComplex.h") {
  static const cupy::RawModule module = cupy::raw_module({.code = "#include <cuComplex.h>"
                                                                  R"(
extern "C" __global__ void mix(const cuFloatComplex* x, cuDoubleComplex* y) {
  const cuComplex p = cuCmulf(x[0], x[1]);
  const cuDoubleComplex q = cuComplexFloatToDouble(cuComplexDoubleToFloat(make_cuDoubleComplex(cuCrealf(p), cuCimagf(p))));
  y[0] = cuCadd(q, cuConj(q));
  y[1] = cuCdiv(q, make_cuDoubleComplex(0, 2));
  y[2] = make_cuDoubleComplex(cuCabsf(cuCsubf(x[0], x[1])), 0);
}
extern "C" __global__ void shift(cuFloatComplex* x, cuFloatComplex by, cuDoubleComplex scale) {
  x[threadIdx.x] = cuCadd(cuCmulf(x[threadIdx.x], cuComplexDoubleToFloat(scale)), by);  // as CuPy translates cuCadd
})"});
  CHECK(module.get_function("shift").signature() == "void(complex64* x, complex64 by, complex128 scale)");
  on_every_device([&](const Target& target) {
    using Complex = std::complex<double>;
    const Array x = target.place(Array::from(std::vector<std::complex<float>>{{1, 2}, {4, 6}}));
    const Array y = target.place(Array::zeros({3}, DType::complex128));
    module.get_function("mix")(1, 1, {x, y}, 0, target.options().stream);
    CHECK(target.fetch(y).to_vector<Complex>() == std::vector<Complex>{{-16, 0}, {7, 4}, {5, 0}});
    module.get_function("shift")(1, 2, {x, std::complex<float>(0, 5), Complex(0, 2)}, 0, target.options().stream);
    CHECK(target.fetch(x).to_vector<std::complex<float>>() == std::vector<std::complex<float>>{{-4, 7}, {-12, 13}});
  });
}

TEST_CASE("cuda source: an mdspan is an array with its strides") {
  static const cupy::RawModule module = cupy::raw_module({.code = "#include <cuda/std/mdspan>"
                                                                  R"(
namespace span = cuda::std;
template <class T, class Index>
__global__ void turn(span::mdspan<const T, span::extents<Index, span::dynamic_extent, span::dynamic_extent>, span::layout_stride> in,
                     cuda::std::mdspan<T, cuda::std::dextents<Index, 2>> out, T by) {
  using Span = decltype(in);
  static_assert(Span::rank() == 2 && Span::rank_dynamic() == 2 && sizeof(Span) == sizeof(void*) + 4 * sizeof(Index));
  for (Index i = threadIdx.x; i < in.extent(0); i += blockDim.x) {
    for (Index j = 0; j < in.extent(1); ++j) out(j, i) = (in(i, j) + in.data_handle()[i * in.stride(0) + j * in.stride(1)]) * (by / 2) + in.size();
  }
})",
                                                          .name_expressions = {"turn<float, int>", "turn<double, long long>"}});
  CHECK(module.get_function("turn<float, int>").signature() == "void(const float32[:,:] in, float32[:,:] out, float32 by)");
  const auto check = [&]<class T>(const Target& target, const char* name, T) {
    const Array whole = target.place(Array::from(ramp<T>(60)).reshape({6, 10}));
    const Array in = whole[{kiln::Slice(0, {}, 2), kiln::Slice({}, {}, -3)}];  // 3 by 4
    const Array out = target.place(Array::zeros({4, 3}, kiln::dtype_of<T>));
    module.get_function(name)(1, 2, {in, out, 2}, 0, target.options().stream);
    std::vector<T> expected;
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t i = 0; i < 3; ++i) expected.push_back(2 * ramp<T>(60)[20 * i + 9 - 3 * j] + 12);
    }
    CHECK(target.fetch(out).to_vector<T>() == expected);
  };
  on_every_device([&](const Target& target) {
    check(target, "turn<float, int>", float{});
    check(target, "turn<double, long long>", double{});
  });
}

TEST_CASE("cuda source: functions beside CUDA's of the same name, and names added to std") {
  static const cupy::Function kernel = cupy::raw_kernel({.code = "#include <cuda_fp16.h>\n#include <limits>"
                                                                 R"(
namespace std {
template <class T, class U> inline constexpr bool are_alike = is_same<T, U>::value;
}
__device__ unsigned abs(unsigned x) { return x + 1; }
__device__ half abs(half x) { return __habs(x); }
extern "C" __global__ void sizes(const double* x, const half* h, double* y) {
  y[0] = abs(x[0]) + (std::are_alike<int, float> ? 100 : 0);
  y[1] = abs(int(x[1]));
  y[2] = abs(7u);
  y[3] = (float)abs(h[0]) + std::numeric_limits<float>::digits;
})",
                                                         .name = "sizes"});
  on_every_device([&](const Target& target) {
    const Array y = target.place(Array::zeros({4}, DType::float64));
    const Array h = target.place(Array::from(std::vector<float>{-1.5F}).astype(DType::float16));
    kernel(1, 1, {target.place(Array::from(std::vector<double>{-1e300, -3.5})), h, y}, 0, target.options().stream);
    CHECK(target.fetch(y).to_vector<double>() == std::vector<double>{1e300, 3, 8, 25.5});
  });
}

TEST_CASE("cuda source: min and max lose a NaN, and numbers become narrower in braces") {
  static const cupy::Function kernel = cupy::raw_kernel({.code = R"(
extern "C" __global__ void extrema(const double* x, double* y, int n) {
  const float both[2] = {x[0], x[1]};
  y[0] = min(x[0], x[1]) + both[1];
  y[1] = max(x[1], x[0]);
  y[2] = max(n, 7u);
})",
                                                         .name = "extrema"});
  on_every_device([&](const Target& target) {
    const Array y = target.place(Array::zeros({3}, DType::float64));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    kernel(1, 1, {target.place(Array::from(std::vector<double>{nan, 3})), y, 5}, 0, target.options().stream);
    CHECK(target.fetch(y).to_vector<double>() == std::vector<double>{6, 3, 7});
  });
}

TEST_CASE("cuda source: messages show the user's own line") {
  const auto shown = [](const char* code) {
    return message_of([&] { cupy::raw_kernel({.code = code, .name = "f"}).compile("native"); });
  };
  constexpr const char* kBroken = "extern \"C\" __global__ void __launch_bounds__(64) f(float* y) { y[0] = nothing; }";
  CHECK(shown(kBroken).find(std::string("\n  ") + kBroken + "\n") != std::string::npos);
  constexpr const char* kShared = "extern \"C\" __global__ void f(float* y) { extern __shared__ int s[]; y[0] = s + nothing; }";
  CHECK(shown(kShared).find(std::string("\n  ") + kShared + "\n") != std::string::npos);
  const cupy::Function warned =
      cupy::raw_kernel({.code = "__constant__ int c; __global__ void f(int* y) { y[0] = c + (1 << 40); }", .name = "f"});
  warned.compile("native");
  REQUIRE(warned.kernel().warnings().size() == 1);
  CHECK(warned.kernel().warnings()[0].source_line == "__constant__ int c; __global__ void f(int* y) { y[0] = c + (1 << 40); }");
}

TEST_CASE("cuda source: what it cannot be is told with its place") {
  const auto fails = [](const char* code, const char* name = "f") {
    return message_of([&] { static_cast<void>(cupy::raw_kernel({.code = code, .name = name})); });
  };
  constexpr const char* kTwo = "extern \"C\" __global__ void f(float* x) {}\ntemplate <class T> __global__ void g(T* x) {}";
  CHECK(fails(kTwo, "h") == "h: \"h\" is none of the kernels in the code: f, g (a template)");
  CHECK(fails(kTwo, "g") == "g: the kernel \"g\" is a template; give its arguments, as in \"g<float>\"");
  CHECK(fails(kTwo, "f<float>") == "f: \"f<float>\": the kernel \"f\" is no template");
  CHECK(fails("float f(float x) { return x; }") ==
        "f: the code defines no kernel; write one like extern \"C\" __global__ void scale(float* x, int n) { … }");
  CHECK(fails("__global__ void f(int* x) {}\n__global__ void f(float* x) {}")
            .starts_with("f.functions:2:17: error: two kernels are called \"f\", at lines 1 and 2, and a name means one"));
  CHECK(fails("__global__ void f(float* y, cudaTextureObject_t t) {\n  y[0] = tex2D<float>(t, 0, 0); }")
            .starts_with(
                "f.functions:1:29: error: \"cudaTextureObject_t\": kernels have no textures and surfaces; pass the array"));
  CHECK(fails("__global__ void g() {}\n__global__ void f() {\n  g<<<1, 2>>>(); }")
            .starts_with("f.functions:3:4: error: kernels launch no kernels; launch this one from the host"));
  CHECK(message_of([] {
          static_cast<void>(
              cupy::raw_kernel({.code = "__global__ void f() {}", .name = "f", .options = {"-DN=2", "--ptxas=-v"}}));
        }).starts_with("f: the option \"--ptxas=-v\" is none that kiln knows; there are -DNAME=VALUE"));
  CHECK(message_of([] { static_cast<void>(cupy::raw_module({.code = kTwo, .name_expressions = {"g<float>", "q<int>"}})); }) ==
        "raw_module: \"q<int>\" is none of the kernels in the code: f, g (a template)");
  CHECK(message_of([] { static_cast<void>(cupy::raw_module({.code = kTwo, .name_expressions = {"g<float"}})); }) ==
        "raw_module: \"g<float\": the brackets of the arguments do not close; write it as \"g<float>\"");
  CHECK(fails("__global__ void f(float* y, unsigned long long t) {\n  y[0] = surf1Dread<float>(t, 0); }")
            .starts_with("f.functions:2:10: error: \"surf1Dread\": kernels have no textures and surfaces; pass the array"));
  constexpr const char* kShared =
      "__device__ int n;\n__global__ void f(int* x) { n = x[0]; }\n__global__ void g(int* x) { x[0] = n; }";
  CHECK(message_of([] { static_cast<void>(cupy::raw_module({.code = kShared})); })
            .starts_with(
                "raw_module.functions:1:16: error: the kernels \"f\" and \"g\" share the variable \"n\", and each kernel"));
  CHECK(fails(kShared) == "no error");
  const auto launch_fails = [](const char* code, const std::vector<kiln::Arg>& args) {
    return message_of([&] { cupy::raw_kernel({.code = code, .name = "f"})(1, 1, args); });
  };
  const Array x = Array::zeros({4}, DType::float32);
  CHECK(launch_fails("__global__ void f(double* x) {}", {x})
            .starts_with("f: argument 0 (x) is float32, and the parameter float64; raw kernels cast no arrays"));
  CHECK(launch_fails("#include <cub/cub.cuh>\n__global__ void f(float* x) {}", {x})
            .starts_with("failed to find the header \"cub/cub.cuh\", which f.functions:1 includes: kernels have no CUB"));
  constexpr const char* kSpan =
      "#include <cuda/std/mdspan>\n__global__ void f(cuda::std::mdspan<float, "
      "cuda::std::dextents<int, 2>> x) {}";
  CHECK(launch_fails(kSpan, {x}).starts_with("f: argument 0 (x) has shape (4,), and the parameter 2 dimensions; declare"));
  if (kiln::Device::best().is_cpu()) {
    const kiln::CompileOptions races{.debug = {.race = true}};
    const auto warps =
        cupy::raw_kernel({.code = "__global__ void f(float* x) { __syncwarp(); }", .name = "f", .compile = races});
    CHECK(message_of([&] { warps(1, 1, {x}); }).starts_with("f: races among functions of a warp are not found"));
    CHECK(launch_fails("__global__ void f(float* x) {\n  asm(\"bar.sync 0;\"); }", {x})
              .starts_with("f.functions:2:3: error: PTX in asm() is for NVIDIA's GPUs, and this is compiled for the CPU"));
  }
  if (kiln::Device::best().is_cpu()) {
    CHECK(launch_fails("__global__ void f(float* x) {\n  x[1.5f] = 1; }", {x})
              .starts_with("f.functions:2:4: error: array subscript is not an integer"));
  }
  CHECK(launch_fails("typedef float* P;\n__global__ void f(P x) {}", {x}).find("is an array, and the parameter a scalar") !=
        std::string::npos);
}

TEST_CASE("cuda source: constants of C linkage have the values that the host gives") {
  const cupy::RawModule module = cupy::raw_module({.code = R"(extern "C" { __constant__ float some[3];
namespace inner { __constant__ int shift; }
__global__ void apply(float* x) { x[threadIdx.x] = x[threadIdx.x] * some[threadIdx.x] + inner::shift; } })"});
  on_every_device([&](const Target& target) {
    module.get_global("some").set(Array::from(std::vector<float>{1, 10, 100}));
    module.get_global("inner::shift").set(Array::from(std::vector<std::int32_t>{7}));
    const Array x = target.place(Array::from(std::vector<float>{1, 2, 3}));
    module.get_function("apply")(1, 3, {x}, 0, target.options().stream);
    CHECK(target.fetch(x).to_vector<float>() == std::vector<float>{8, 27, 307});
  });
}

TEST_CASE("cuda source: the host gives constants their values, of each module its own") {
  constexpr const char* kCode = R"(namespace filters { __constant__ float weights[4]; }
__constant__ int shift; __constant__ int fixed = 3;
extern "C" __global__ void weigh(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * filters::weights[threadIdx.x % 4] + shift + fixed; }
extern "C" __global__ void last(float* y) { y[0] = filters::weights[3]; })";
  const cupy::RawModule module = cupy::raw_module({.code = kCode});
  const cupy::Constant weights = module.get_global("filters::weights");
  on_every_device([&](const Target& target) {
    const kiln::Stream stream = target.options().stream;
    const Array x = target.place(Array::from(std::vector<float>{1, 2, 3, 4}));
    const auto weighed = [&](const cupy::RawModule& of) {
      const Array y = target.place(Array::zeros({4}, DType::float32));
      of.get_function("weigh")(1, 4, {x, y}, 0, stream);
      return target.fetch(y).to_vector<float>();
    };
    weights.set(Array::from(std::vector<float>{1, 10, 100, 1000}));
    module.get_global("shift").set(Array::from(std::vector<std::int32_t>{7}));
    CHECK(weighed(module) == std::vector<float>{11, 30, 310, 4010});
    // The same kernels, whose constants nobody has set, and then in part.
    const cupy::RawModule other = cupy::raw_module({.code = kCode});
    CHECK(weighed(other) == std::vector<float>{3, 3, 3, 3});
    CHECK(weighed(module) == std::vector<float>{11, 30, 310, 4010});
    other.get_global("filters::weights").set(Array::from(std::vector<float>{2}));
    CHECK(weighed(other) == std::vector<float>{5, 3, 3, 3});
    other.get_global("filters::weights").set(Array::from(std::vector<float>{2, 2, 2, 2}));
    CHECK(weighed(other) == std::vector<float>{5, 7, 9, 11});
    CHECK(weighed(module) == std::vector<float>{11, 30, 310, 4010});
    weights.set(Array::from(std::vector<float>{0, 0, 0, 5}));
    CHECK(weighed(module) == std::vector<float>{10, 10, 10, 30});
    const Array y = target.place(Array::zeros({1}, DType::float32));
    module.get_function("last")(1, 1, {y}, 0, stream);
    CHECK(target.fetch(y).to_vector<float>() == std::vector<float>{5});
    weights.set(Array::zeros({5}, DType::float32));
    CHECK(message_of([&] { static_cast<void>(weighed(module)); }) == "\"filters::weights\" has 16 bytes, and its values 20");
    weights.set(Array::zeros({4}, DType::float32));
  });
  CHECK(message_of([&] { static_cast<void>(module.get_global("fixed")); }) ==
        "raw_module: \"fixed\" is no variable whose values the host gives; such are __constant__ variables without an "
        "initializer, "
        "neither const nor static: filters::weights, shift");
}
