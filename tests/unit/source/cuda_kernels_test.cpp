#include "source/cuda_kernels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "source/cuda_words.hpp"

using kiln::codegen::CudaSource;
using kiln::codegen::CudaWords;

namespace {

std::string signature(const std::string& code, std::string_view expression) {
  const CudaSource source("k", code);
  const kiln::codegen::CudaKernel* const kernel = source.find(expression);
  return kernel == nullptr ? "none" : source.signature_of(*kernel, expression);
}
std::string of_parameters(const std::string& parameters) {
  return signature("__global__ void f(" + parameters + ") {}", "f");
}

}  // namespace

TEST_CASE("cuda kernels: parameters as a signature") {
  CHECK(of_parameters("") == "void()");
  CHECK(of_parameters("void") == "void()");
  CHECK(of_parameters("const float* __restrict__ x, float *y, unsigned n") == "void(const float32* x, float32* y, uint32 n)");
  CHECK(of_parameters("double const * x, double* const y") == "void(const float64* x, float64* y)");
  CHECK(of_parameters("unsigned long long a, long b, short int c, signed char d, unsigned char* e") ==
        "void(uint64 a, int64 b, int16 c, int8 d, Type_e* e)");
  CHECK(of_parameters("size_t, int item, int thread") == "void(uint64 argument0, int32 item_, int32 thread_)");
  CHECK(of_parameters("float x[3], const int y[]") == "void(float32* x, const int32* y)");
  CHECK(of_parameters("void* p, float** q, float4 v, const float2* w") ==
        "void(Type_p* p, Type_q* q, const Type_v* v, const Type_w* w)");
  CHECK(of_parameters("const thrust::complex<float>* z, complex<double> w, half h") ==
        "void(const complex64* z, complex128 w, float16 h)");
  CHECK(of_parameters("cuda::std::mdspan<const float, cuda::std::extents<int, 3, cuda::std::dynamic_extent>, layout_left> a, "
                      "std::mdspan<T, std::dextents<long, 3>> b, const mdspan<cuDoubleComplex, extents<int, 2>> c") ==
        "void(const float32[:,:] a, Type_b[:,:,:] b, complex128[:] c)");
  CHECK(of_parameters("Unknown u, int n = 3, bool b") == "void(Type_u u, int32 n, bool b)");
}

TEST_CASE("cuda kernels: what names mean in the text") {
  constexpr const char* kText = R"(
    typedef float real; using index_t = unsigned long long;
    struct __align__(16) P { float x; }; typedef struct { int a; } Q;
    namespace a { namespace b { template <class T, int N, typename U = int>
    __global__ void __launch_bounds__(128, 2) f(const T* x, U u, real r, index_t n, P p, Q* q) { if (x) {} } } }
    extern "C" { __global__ void g(real* x); __global__ void g(real* x) {} }
    // __global__ void h() {}
    static __global__ __launch_bounds__(BLOCK) void i() {}
    __constant__ float w[2][3]; static __constant__ int s; __constant__ int t = 3; __constant__ P one;)";
  const CudaSource source("k", kText);
  CHECK(source.names() == "a::b::f (a template), g, i");
  CHECK(source.find("a::b::f<float, 3>")->bounds == "128, 2");
  CHECK(source.find("i")->bounds.empty());
  CHECK(source.find("h") == nullptr);
  CHECK(source.find("f<float, 3>") == nullptr);
  CHECK(source.constants() == std::vector<std::string>{"w", "one"});
  CHECK(signature(kText, "a::b::f<double, 3, long long>") ==
        "void(const float64* x, int64 u, float32 r, uint64 n, const Type_p* p, Type_q* q)");
  CHECK(signature(kText, "g") == "void(float32* x)");
  CHECK(source.structures_of(*source.find("a::b::f"), "a::b::f<double, 3>") == std::vector<std::size_t>{4});
}

TEST_CASE("cuda kernels: variables that several kernels would share") {
  const auto refused = [](const std::string& code, const std::vector<std::string>& expressions = {}) -> std::string {
    try {
      CudaSource("k", code).check_variables(code, expressions);
    } catch (const kiln::codegen::ScanError& error) {
      return std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + ": " + error.what();
    }
    return "none";
  };
  const std::string next = "__device__ int next() { return atomicAdd(&count, 1); }\n",
                    f = "__global__ void f(int* x) { x[0] = next(); }\n";
  const std::string g = "__global__ void g(int* x) { x[1] = count; }\n", h = "__global__ void h(int* x) { x[2] = 3; }\n";
  CHECK(refused("__device__ int a[2],\n  count;\n" + next + f + g + h) ==
        "2:3: the kernels \"f\" and \"g\" share the variable \"count\", and each kernel is compiled by itself; pass an "
        "array instead, or the values by a __constant__ variable");
  CHECK(refused("namespace a { __device__ int count = 0; }\nusing namespace a;\n" + next + f + g) != "none");
  CHECK(refused("__device__ int count;\n" + next + f + h) == "none");
  CHECK(refused("__device__ int count = 3;\n" + g + "__global__ void f(int* x) { x[0] = count == 3; }") == "none");
  CHECK(refused("__device__ int count = 3;\n" + g + "__global__ void f(int* x) { count += 2; }") != "none");
  CHECK(refused("__device__ int count[2] = {1, 2};\n" + g +
                "extern \"C\" { __global__ void f(int* x) { count[x[0]] = 2; } }") != "none");
  CHECK(refused("__device__ const int count[2] = {1, 2};\n__constant__ int a;\n" + g +
                "__global__ void f(int* x) { x[0] = count[a]; }") == "none");
  const std::string t = "__device__ int count;\ntemplate <class T> __global__ void t(T* x) { x[0] = count++; }";
  CHECK(refused(t, {"t<int>"}) == "none");
  CHECK(refused(t, {"t<int>", "t<float>"}) ==
        "1:16: the kernels \"t\" and \"t of other types\" share the variable \"count\", and each kernel is compiled by "
        "itself; pass an array instead, or the values by a __constant__ variable");
}

TEST_CASE("cuda kernels: the text for one of them keeps its lines") {
  const std::string f = "template <class T>\n__global__ void f(T* x) {}", g = "extern \"C\" __global__ void g() {}";
  const std::string rest =
      "\n__global__ void h() {\n#define N 1\n}\n__global__ void i() {}\ntemplate <class T> __global__ void j(T*) {}\n"
      "template __global__ void j<int>(int*);";
  const CudaSource source("k", f + "\nint a;\n" + g + rest);
  CHECK(source.text_for(*source.find("i"), f + "\nint a;\n" + g + rest) ==
        std::string(18, ' ') + "\n" + std::string(26, ' ') + "\nint a;\n" + std::string(g.size(), ' ') + rest);
}

TEST_CASE("cuda words: what a text uses") {
  const auto words = [](std::string_view text) { return kiln::codegen::cuda_words_of({&text, 1}); };
  for (const char* const none : {"y[i] = a * x[i]; // threadIdx", "float5 atomics int0"}) CHECK_FALSE(words(none).any);
  for (const char* const any : {"threadIdx.x", "atomicAdd_block(p, 1)", "make_float4(0, 0, 0, 0)"}) {
    CHECK((words(any).any && !words(any).shares));
  }
  CHECK((words("__shared__ int a[3];").shares && words("__shfl_down_sync(m, v, 1)").warps && words("warp_sum(v)").shares));
  CHECK(words("__global__ void f() {}").source);
  for (const char* const group : {"#include <cooperative_groups.h>", "auto t = cooperative_groups::this_thread_block();"}) {
    CHECK((words(group).groups && words(group).warps && words(group).shares && !words("groups").groups));
  }
}

TEST_CASE("cuda words: a text keeps its columns") {
  using kiln::codegen::with_dynamic_memory;
  using kiln::codegen::with_kernels_as_functions;
  CHECK(with_dynamic_memory("extern __shared__ float s[];") == "__extern_shared__ float s[];");
  CHECK(with_dynamic_memory("a; extern   __shared__ float s[];") == "a; __extern_shared__   float s[];");
  CHECK(with_dynamic_memory("__shared__ extern int s[]; __shared__ int t;") == "__extern_shared__ int s[]; __shared__ int t;");
  CHECK(with_dynamic_memory("// extern __shared__") == "// extern __shared__");
  CHECK(with_kernels_as_functions("__global__ void __launch_bounds__(3) f() {}") ==
        "__kernel__ void __kernel_bounds__(3) f() {}");
  CHECK(with_kernels_as_functions("__constant__ int a; __constant__ int b[2] = {}; __global__ void f() {}") ==
        "__exported__ int a; __constant__ int b[2] = {}; __kernel__ void f() {}");
  for (const char* line : {"extern __shared__ float s[];", "__global__ void __launch_bounds__(3) f() {}",
                           "__constant__ int a; __global__ void g(); __global__ void f() {}", "int kernel;"}) {
    CHECK(kiln::codegen::with_words_of_cuda(with_dynamic_memory(with_kernels_as_functions(line))) == line);
  }
}
