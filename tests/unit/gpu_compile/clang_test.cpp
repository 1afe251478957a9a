// What Clang makes of kernels for GPUs, with neither CUDA nor ROCm: every architecture, what the code objects and the PTX hold,
// and, where the CUDA toolkit is there, that its assembler takes the PTX.
#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../../support/sample.hpp"
#include "all_functions.hpp"
#include "binary/code_object.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/compiler_choice.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"

namespace {

using namespace kiln;
using backend::gpu::CompilerName;

constexpr const char* kAmd[] = {"gfx906",  "gfx908",  "gfx90a",  "gfx90a:sramecc+:xnack-",
                                "gfx942",  "gfx1030", "gfx1100", "gfx1101",
                                "gfx1151", "gfx1200", "gfx1201"};
constexpr const char* kNvidia[] = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"};

std::shared_ptr<const backend::Compiler> clang_for(const std::string& target) {
  return backend::gpu::choose_compiler({.target = target, .wanted = CompilerName::clang});
}

/// The path of the CUDA toolkit's assembler; empty where there is none.
std::string ptxas() {
  const char* const home = std::getenv("CUDA_PATH");
  for (const std::string& path :
       {std::string(home == nullptr ? "" : home) + "/bin/ptxas", std::string("/usr/local/cuda/bin/ptxas")}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

/// What it says of a text; empty where it takes it.
std::string assemble(const std::string& program, const std::string& arch, const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("kiln-ptx-" + std::to_string(getpid()));
  std::ofstream(file) << text;
  const std::string command = program + " --gpu-name " + arch + " -o /dev/null '" + file.string() + "' 2>&1 || echo failed";
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) said.append(buffer.data(), got);
  pclose(pipe);
  std::filesystem::remove(file);
  return said.find("failed") == std::string::npos ? "" : said;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

std::vector<test::Body> bodies() {
  return {{"return a * b + sin(a);"},
          {"return a / b;", DType::float64},
          {"return a + b;", DType::float16},
          {"return a * b;", DType::bfloat16},
          {"return a / b + a % b;", DType::int64},
          {"return a * exp(b);", DType::complex64},
          {test::body_of_all_functions("float32"), DType::float32},
          {test::body_of_all_functions("float64"), DType::float64}};
}

}  // namespace

TEST_CASE("clang: every function of bodies compiles for every AMD architecture") {
  if (!backend::have_clang()) return;
  test::Sample sample(5);
  for (const std::string target : kAmd) {
    if (!sample.takes_next()) continue;
    const auto compiler = clang_for(target);
    CHECK(compiler->name() == "Clang");
    CHECK(compiler->target() == target);
    CHECK(compiler->kind() == DeviceKind::hip);
    for (const test::Body& body : bodies()) {
      CAPTURE(target);
      CAPTURE(body.text);
      const backend::CompileResult result = compiler->compile(test::request_of(body, DeviceKind::hip));
      CHECK(result.log == "");
      const backend::StoredCode code{.name = "body", .target = target, .bytes = result.code};
      const inspect::Resources resources = backend::gpu::code_object_resources(code);
      CHECK(resources.registers.value_or(0) > 0);
      CHECK(resources.max_threads == 256);
      CHECK(resources.wave_size == (target.starts_with("gfx9") ? 64 : 32));
      CHECK(resources.code_bytes > 0);
      // Runtimes of every version launch what asks them for nothing.
      CHECK(result.code.find("hidden_") == std::string::npos);
    }
    const backend::CompileResult plain = compiler->compile(test::request_of({"return a + b;"}, DeviceKind::hip));
    const std::string assembly = backend::gpu::code_object_assembly({.name = "body", .target = target, .bytes = plain.code});
    CHECK(assembly.starts_with("kiln_kernel:\n"));
    CHECK(assembly.find("v_add_f32") != std::string::npos);
    CHECK(assembly.find(".byte") == std::string::npos);
  }
}

TEST_CASE("clang: every function of bodies compiles for NVIDIA's architectures, and the toolkit's assembler takes it") {
  if (!backend::have_clang()) return;
  const std::string assembler = ptxas();
  if (assembler.empty()) std::printf("KILN-NOT-RUN ptxas 1\n");
  test::Sample sample(5);
  for (const std::string target : kNvidia) {
    if (!sample.takes_next()) continue;
    const auto compiler = clang_for(target);
    CHECK(compiler->name() == "Clang");
    CHECK(compiler->kind() == DeviceKind::cuda);
    const std::string arch = target == "sm_100" || target == "sm_120" ? "sm_90" : target;
    CHECK(compiler->target() == target + " (PTX for " + arch + ")");
    CHECK(compiler->short_target() == target);
    for (const test::Body& body : bodies()) {
      CAPTURE(target);
      CAPTURE(body.text);
      const backend::CompileResult result = compiler->compile(test::request_of(body, DeviceKind::cuda));
      CHECK(result.log == "");
      CHECK(result.code.find(".target " + arch + "\n") != std::string::npos);
      CHECK(count_of(result.code, ".entry kiln_kernel") == 1);
      CHECK(count_of(result.code, ".extern .func") == 0);
      if (!assembler.empty() && target != "sm_87") CHECK(assemble(assembler, target, result.code) == "");
    }
  }
}

TEST_CASE("clang: divisions and roots are exact, subnormal numbers stay, and nothing is fused unless it is asked for") {
  if (!backend::have_clang()) return;
  const auto nvidia = clang_for("sm_90");
  backend::CompileRequest plain = test::request_of({"return sqrt(a) / b + a * b;"}, DeviceKind::cuda);
  const std::string ptx = nvidia->compile(plain).code;
  CHECK(count_of(ptx, "div.rn.f32") > 0);
  CHECK(count_of(ptx, "sqrt.rn.f32") > 0);
  CHECK(count_of(ptx, "fma") == 0);
  CHECK(count_of(ptx, "mul.f32") == 0);  // ptxas fuses what has no rounding in its name
  CHECK(count_of(ptx, "ftz") == 0);
  CHECK(count_of(ptx, "approx") == 0);
  plain.arithmetic.contract = true;
  CHECK(count_of(nvidia->compile(plain).code, "fma.rn.f32") > 0);

  const auto amd = clang_for("gfx90a");
  backend::CompileRequest product = test::request_of({"return a * b + a;"}, DeviceKind::hip);
  const auto assembly = [&] {
    const std::string code = amd->compile(product).code;
    return backend::gpu::code_object_assembly({.name = "body", .target = "gfx90a", .bytes = code});
  };
  CHECK(count_of(assembly(), "_fma") == 0);
  product.arithmetic.contract = true;
  CHECK(count_of(assembly(), "_fma") > 0);
  const std::string ir = amd->emit(product, inspect::Form::llvm_ir);
  CHECK(ir.find("target triple = \"amdgcn-amd-amdhsa\"") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(amd->emit(product, inspect::Form::ptx)), TypeError);
  CHECK(nvidia->emit(plain, inspect::Form::ptx) == nvidia->compile(plain).code);
}

TEST_CASE("clang: with fast mathematics, too, kiln's own functions compute as they are written") {
  if (!backend::have_clang()) return;
  for (const char* target : {"sm_90", "gfx90a"}) {
    const auto compiler = clang_for(target);
    backend::CompileRequest scaled = test::request_of({"return ldexp(a, int(b));", DType::float64}, compiler->kind());
    scaled.arithmetic.fast_math = true;
    const std::string own = compiler->emit(scaled, inspect::Form::llvm_ir);
    CHECK(count_of(own, "fmul double") > 0);
    CHECK(count_of(own, "fmul reassoc") == 0);
    backend::CompileRequest product = test::request_of({"return a * b + a;"}, compiler->kind());
    product.arithmetic.fast_math = true;
    CHECK(count_of(compiler->emit(product, inspect::Form::llvm_ir), "reassoc") > 0);
  }
}

TEST_CASE("clang: with fast mathematics NVIDIA's code has the approximate instructions that NVRTC's has") {
  if (!backend::have_clang()) return;
  const auto compiler = clang_for("sm_90");
  const auto ptx = [&](const test::Body& body, bool fast_math = true) {
    backend::CompileRequest fast = test::request_of(body, DeviceKind::cuda);
    fast.arithmetic.fast_math = fast_math;
    return compiler->compile(fast).code;
  };
  struct Expected {
    const char* body;
    std::vector<const char*> instructions;
  };
  const Expected bodies[] = {{"return a / b;", {"div.approx.ftz.f32"}},
                             {"return 1 / a;", {"rcp.approx.ftz.f32"}},
                             {"return sqrt(a);", {"sqrt.approx.ftz.f32"}},
                             {"return rsqrt(a);", {"rsqrt.approx.ftz.f32"}},
                             {"return exp(a);", {"mul.rn.ftz.f32", "ex2.approx.ftz.f32"}},
                             {"return exp2(a);", {"ex2.approx.ftz.f32"}},
                             {"return log(a);", {"lg2.approx.ftz.f32", "mul.rn.ftz.f32"}},
                             {"return log2(a);", {"lg2.approx.ftz.f32"}},
                             {"return log10(a);", {"lg2.approx.ftz.f32", "mul.rn.ftz.f32"}},
                             {"return sin(a);", {"sin.approx.ftz.f32"}},
                             {"return cos(a);", {"cos.approx.ftz.f32"}},
                             {"return tan(a);", {"sin.approx.ftz.f32", "cos.approx.ftz.f32", "div.approx.ftz.f32"}},
                             {"return pow(a, b);", {"lg2.approx.ftz.f32", "mul.rn.ftz.f32", "ex2.approx.ftz.f32"}},
                             {"return a * b + a;", {"fma.rn.ftz.f32"}}};
  for (const auto& [body, instructions] : bodies) {
    CAPTURE(body);
    const std::string code = ptx({body});
    std::size_t expected = 0;
    for (const char* const each : instructions) {
      CHECK_MESSAGE(count_of(code, each) > 0, each);
      expected += count_of(code, each);
    }
    // And no other arithmetic.
    std::size_t all = 0;
    for (const char* const each : {".ftz.f32", ".rn.f32", "fma", "div.rn", "setp.lt.f", "selp.f"}) all += count_of(code, each);
    all -= count_of(code, "fma.rn.ftz.f32");
    CHECK(all == expected);
    CHECK(count_of(ptx({body}, false), "approx") == 0);
    CHECK(count_of(ptx({body}, false), "ftz") == 0);
  }
  // float64 has none, and kiln's own functions stay as they are written.
  CHECK(count_of(ptx({"return exp(a) / sqrt(b);", DType::float64}), "approx") == 0);
  CHECK(count_of(ptx({"return fmod(a, b);"}), "approx") == 0);
  CHECK(count_of(ptx({"return a / b;", DType::float16}), "div.approx.ftz.f32") > 0);
}

TEST_CASE("clang: AMD's code has no quotient that LLVM 19 makes wrong") {
  if (!backend::have_clang()) return;
  const auto ir = [](const test::Body& body) {
    return clang_for("gfx90a")->emit(test::request_of(body, DeviceKind::hip), inspect::Form::llvm_ir);
  };
  // Of halves by a reciprocal, and of numbers of 8 bits in 8 bits.
  CHECK(count_of(ir({"return a / b;", DType::float16}), "fdiv half") == 0);
  const std::string narrow = ir({"return a / b;", DType::int8});
  CHECK(count_of(narrow, "sdiv") == 0);
  CHECK(count_of(narrow, "fdiv") > 0);
}

TEST_CASE("clang: a function that nobody defines is a compile error, for both vendors") {
  if (!backend::have_clang()) return;
  for (const char* target : {"sm_90", "gfx942"}) {
    const auto compiler = clang_for(target);
    const test::Body body{"return mystery(a) + b;", DType::float32, "float mystery(float x);"};
    try {
      static_cast<void>(compiler->compile(test::request_of(body, compiler->kind())));
      FAIL_CHECK("compiled for ", target);
    } catch (const CompileError& error) {
      REQUIRE(error.diagnostics().size() == 1);
      CHECK(error.diagnostics().front().text ==
            "undefined function 'mystery(float)': it is declared and used, but nothing defines it for a GPU");
      CHECK(error.compiler() == "Clang " + backend::clang_release());
      CHECK(error.target() == target);
    }
  }
}

TEST_CASE("clang: what NVIDIA's targets lack for __int128 is told, and AMD's have it") {
  if (!backend::have_clang()) return;
  const auto compile = [](const char* target) {
    const auto compiler = clang_for(target);
    return compiler->compile(test::request_of({"return float((__int128)a);"}, compiler->kind())).code;
  };
  CHECK_FALSE(compile("gfx942").empty());
  try {
    static_cast<void>(compile("sm_90"));
    FAIL_CHECK("compiled for sm_90");
  } catch (const CompileError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics().front().text ==
          "clang gave up: Undefined external symbol \"\": NVIDIA's targets convert no __int128 from or to floating numbers; "
          "convert an int64");
  }
}

TEST_CASE("clang: errors have the user's place") {
  if (!backend::have_clang()) return;
  for (const char* target : {"sm_90", "gfx942"}) {
    const auto compiler = clang_for(target);
    try {
      static_cast<void>(compiler->compile(test::request_of({"float t = a;\n\treturn t + z;"}, compiler->kind())));
      FAIL_CHECK("compiled for ", target);
    } catch (const CompileError& error) {
      const Diagnostic& first = error.diagnostics().front();
      CHECK(first.file == "body");
      CHECK(first.line == 2);
      CHECK(first.column == 13);
      CHECK(first.source_line == "\treturn t + z;");
    }
  }
}

TEST_CASE("clang: CUDA's names of warps, barriers and atomic operations are there") {
  if (!backend::have_clang()) return;
  const std::string text = R"(#include "kiln/core/types.hpp"
template <class T> __device__ T sum(T x) {
  x += __shfl_sync(0xffffffffu, x, 3);
  x += __shfl_up_sync(0xffffffffu, x, 1);
  x += __shfl_down_sync(0xffffffffu, x, 2, 16);
  return x + __shfl_xor_sync(0xffffffffu, x, 4);
}
extern "C" __global__ void __launch_bounds__(128, 4) kiln_kernel(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  __shared__ int cells[128];
  extern __shared__ int dynamic[];
  const unsigned t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z + blockIdx.y + blockIdx.z + gridDim.y + gridDim.z + blockDim.y + blockDim.z;
  cells[threadIdx.x] = i[t];
  dynamic[threadIdx.x] = warpSize;
  __syncthreads();
  __syncwarp();
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  i[t] = sum(cells[127 - threadIdx.x]) + dynamic[0] + __syncthreads_count(i[t]) + __syncthreads_and(i[t]) + __syncthreads_or(i[t]);
  f[t] = sum(f[t]);
  d[t] = sum(d[t]);
  u[t] = __ballot_sync(0xffffffffu, i[t] > 0) + __any_sync(0xffffffffu, i[t]) + __all_sync(0xffffffffu, i[t]) + __activemask() +
         __ffs(i[t]) + __clz(i[t]) + __popc(u[t]) + __brev(u[t]);
  l[t] = __ffsll(l[t]) + __clzll(l[t]) + __popcll(l[t]) + clock64();
  atomicAdd(i, 1); atomicMin(i, 1); atomicMax(i, 1); atomicAnd(i, 1); atomicOr(i, 1); atomicXor(i, 1); atomicExch(i, 1); atomicCAS(i, 1, 2);
  atomicAdd(u, 1u); atomicMin(u, 1u); atomicMax(u, 1u); atomicExch(u, 1u);
  atomicAdd(l, 1ull); atomicMin(l, 1ull); atomicMax(l, 1ull); atomicExch(l, 1ull); atomicCAS(l, 1ull, 2ull);
  atomicAdd(f, 1.f); atomicAdd(d, 1.);
}
)";
  const std::string assembler = ptxas();
  for (const std::string target : {"sm_75", "sm_90"}) {
    const std::string ptx =
        clang_for(target)
            ->compile({.name = "k", .source = text, .headers = codegen::resolve_includes({{"k", text}}, {}, {})})
            .code;
    for (const char* part :
         {"shfl.sync.idx.b32", "shfl.sync.up.b32", "shfl.sync.down.b32", "shfl.sync.bfly.b32", "vote.sync.ballot.b32",
          "bar.sync", "membar.gl", "activemask.b32", ".minnctapersm 4", ".maxntid 128", "atom.global.add.f32",
          "atom.global.add.f64", "atom.global.min.s32", "atom.global.cas.b64", ".extern .shared"}) {
      CHECK_MESSAGE(ptx.find(part) != std::string::npos, part);
    }
    if (!assembler.empty()) CHECK(assemble(assembler, target, ptx) == "");
  }
}

TEST_CASE("clang: HIP's names of waves, barriers and atomic operations are there") {
  if (!backend::have_clang()) return;
  const std::string text = R"(#include "kiln/core/types.hpp"
template <class T> __device__ T sum(T x) {
  x += __shfl(x, 3);
  x += __shfl_up(x, 1);
  x += __shfl_down(x, 2, 16);
  return x + __shfl_xor(x, 4);
}
extern "C" __global__ void __launch_bounds__(128, 2) kiln_kernel(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  __shared__ int cells[128];
  extern __shared__ int dynamic[];
  const unsigned t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z + blockIdx.y + blockIdx.z + gridDim.y + gridDim.z + blockDim.y + blockDim.z;
  cells[threadIdx.x] = i[t];
  dynamic[threadIdx.x] = warpSize;
  __syncthreads();
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  i[t] = sum(cells[127 - threadIdx.x]) + dynamic[0];
  f[t] = sum(f[t]);
  d[t] = sum(d[t]);
  l[t] = __ballot(i[t] > 0) + __any(i[t]) + __all(i[t]) + __ffsll(l[t]) + __clzll(l[t]) + __popcll(l[t]) + clock64() + __lane_id();
  atomicAdd(i, 1); atomicMin(i, 1); atomicExch(i, 1); atomicCAS(i, 1, 2);
  atomicAdd(l, 1ull); atomicMax(l, 1ull); atomicCAS(l, 1ull, 2ull);
  atomicAdd(f, 1.f); atomicAdd(d, 1.);
  atomicSub(i, 1); atomicInc(u, 9u); atomicDec(u, 9u); atomicMax((long long*)l, 1ll); atomicExch(f, 1.f);
  u[t] = __umulhi(u[t], 7u) + __brev(u[t]) + __umul24(u[t], 3u) + __usad(u[t], 5u, 1u) + __float_as_uint(f[t]) + __mulhi(i[t], 7) + __sad(i[t], 5, 1u);
  l[t] = __umul64hi(l[t], 7ull) + __brevll(l[t]) + __mul64hi(i[t], 7) + __double_as_longlong(d[t]) + __double2hiint(d[t]) + __mul24(i[t], 3);
  float4 four = make_float4(f[t], __fmaf_rn(f[t], 2, 1), __fmul_rn(f[t], 3), __saturatef(__int_as_float(i[t])));
  *(float4*)(f + 4 * t) = four;
  d[t] = __hiloint2double(i[t], 3) + __fma_rn(d[t], 2, 1) + __ldg(d) + __dadd_rn(d[t], 1);
}
)";
  for (const std::string target : {"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"}) {
    const std::string bytes =
        clang_for(target)
            ->compile({.name = "k", .source = text, .headers = codegen::resolve_includes({{"k", text}}, {}, {})})
            .code;
    const backend::StoredCode code{.name = "k", .target = target, .bytes = bytes};
    CHECK(backend::gpu::code_object_resources(code).max_threads == 128);
    CHECK(backend::gpu::code_object_resources(code).shared_bytes == 512);
    const std::string assembly = backend::gpu::code_object_assembly(code);
    CHECK(assembly.find("s_barrier") != std::string::npos);
    CHECK(assembly.find("ds_bpermute_b32") != std::string::npos);
    CHECK(assembly.find("atomic_add") != std::string::npos);
    CHECK(bytes.find("hidden_") == std::string::npos);
  }
}
