// What kernels take: answers that follow from their bodies, and those of the vendor's own tools.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/have_cpu.hpp"
#include "base/process.hpp"
#include "kernels.hpp"
#include "kiln/inspect.hpp"
#include "kiln/kernel.hpp"

using kiln::UfuncDefinition;
using kiln::inspect::Resources;
using kiln::inspect::resources;
using kiln::test::compiled;
using kiln::test::contains;
using kiln::test::crowded;
using kiln::test::have_compiler;
using kiln::test::saxpy;

namespace {

UfuncDefinition with_shared_memory() {
  return {.name = "shared",
          .signatures = {"float32(float32 x)"},
          .body = "__shared__ float t[64]; t[threadIdx.x % 64] = x; __syncthreads(); return t[(threadIdx.x + 1) % 64];"};
}

/// With its place; empty where there is none.
[[maybe_unused]] std::string reason_of(const Resources& found) {
  const auto& reason = found.scalar_because;
  if (!reason) return "";
  const std::string at =
      reason->line == 0 ? ""
                        : " at " + reason->file + ":" + std::to_string(reason->line) + ":" + std::to_string(reason->column);
  return reason->text + at;
}

/// The number before `words` in a text; -1 where there is none.
std::int64_t number_before(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos || at == 0) return -1;
  const std::size_t before = text.find_last_not_of("0123456789", at - 1);
  return std::atoll(text.c_str() + (before == std::string::npos ? 0 : before + 1));
}

}  // namespace

TEST_CASE("a plain kernel on NVIDIA keeps everything in registers") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  for (const char* target : {"sm_75", "sm_90", "sm_120"}) {
    CAPTURE(target);
    const Resources found = resources(compiled(saxpy(), target));
    CHECK(found.registers.value_or(0) >= 8);
    CHECK(found.registers.value_or(999) <= 64);
    CHECK(found.spills == 0);
    CHECK(found.shared_bytes == 0);
    CHECK(found.local_bytes == 0);
    CHECK(found.constant_bytes.value_or(0) >= 4 * 8);  // its parameters
    CHECK(found.max_threads == 256);                   // __launch_bounds__ of the template
    CHECK(found.code_bytes > 0);
    CHECK(found.code_bytes % 16 == 0);  // an instruction's size
    CHECK_FALSE(found.scalar_registers.has_value());
    CHECK_FALSE(found.vector_bits.has_value());
  }
}

TEST_CASE("shared memory of a block is told") {
  if (have_compiler(kiln::DeviceKind::cuda)) {
    for (const char* target : {"sm_75", "sm_90", "sm_120"}) {
      CAPTURE(target);
      CHECK(resources(compiled(with_shared_memory(), target)).shared_bytes == 256);
    }
  }
  if (have_compiler(kiln::DeviceKind::hip)) CHECK(resources(compiled(with_shared_memory(), "gfx90a")).shared_bytes == 256);
}

TEST_CASE("spills on NVIDIA are the compiler's own report, and are unknown without it") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  auto kernel = compiled(crowded(150), "sm_90");
  const Resources found = resources(kernel);
  CHECK(found.registers == 255);
  CHECK(found.local_bytes.value_or(0) >= 4 * 40);
  CHECK(found.spills.value_or(0) >= 40);
  kernel.report = {};
  CHECK_FALSE(resources(kernel).spills.has_value());
  CHECK(resources(kernel).local_bytes == found.local_bytes);
}

TEST_CASE("ptxas says the same of NVIDIA's kernels") {
  if (!have_compiler(kiln::DeviceKind::cuda)) return;
  const char* const home = std::getenv("CUDA_PATH");
  const std::string ptxas = std::string(home != nullptr ? home : "/usr/local/cuda") + "/bin/ptxas";
  if (!std::filesystem::exists(ptxas)) return kiln::test::not_run("ptxas");
  const std::pair<UfuncDefinition, const char*> cases[] = {{saxpy(), "sm_80"},
                                                           {saxpy(), "sm_90"},
                                                           {with_shared_memory(), "sm_80"},
                                                           {with_shared_memory(), "sm_90"},
                                                           {crowded(150), "sm_90"}};
  for (const auto& [definition, target] : cases) {
    CAPTURE(definition.name);
    CAPTURE(target);
    const auto kernel = compiled(definition, target);
    const kiln::test::TemporaryDirectory directory;
    kiln::test::write_text(directory / "kernel.ptx", kiln::inspect::text(kernel, kiln::inspect::Form::ptx));
    const auto run = kiln::base::run_program(
        ptxas, {"-v", std::string("-arch=") + target, "-o", directory / "kernel.cubin", directory / "kernel.ptx"});
    REQUIRE(run.end == kiln::base::ProcessResult::End::exited);
    REQUIRE(run.status == 0);
    const std::string log = run.output + run.errors;
    CAPTURE(log);
    const Resources found = resources(kernel);
    CHECK(found.registers == number_before(log, " registers"));
    CHECK(found.local_bytes == number_before(log, " bytes stack frame"));
    CHECK(found.spills == number_before(log, " bytes spill stores") / 4);
    CHECK(found.shared_bytes == std::max<std::int64_t>(0, number_before(log, " bytes smem")));
    // Not told for newer architectures.
    if (const std::int64_t constants = number_before(log, " bytes cmem[0]"); constants >= 0)
      CHECK(found.constant_bytes == constants);
    // The same code, read from ptxas's own file.
    auto other = kernel;
    other.code = kiln::test::read_text(directory / "kernel.cubin");
    CHECK(resources(other).registers == found.registers);
    CHECK(resources(other).constant_bytes == found.constant_bytes);
    CHECK(resources(other).code_bytes == found.code_bytes);
  }
}

TEST_CASE("a plain kernel on AMD, by wave and architecture") {
  if (!have_compiler(kiln::DeviceKind::hip)) return;
  for (const char* target : {"gfx906", "gfx90a", "gfx90a:xnack-", "gfx1030"}) {
    CAPTURE(target);
    const Resources found = resources(compiled(saxpy(), target));
    CHECK(found.registers.value_or(0) >= 4);
    CHECK(found.registers.value_or(999) <= 64);
    CHECK(found.scalar_registers.value_or(0) >= 8);
    CHECK(found.spills == 0);
    CHECK(found.shared_bytes == 0);
    CHECK(found.local_bytes == 0);
    CHECK(found.max_threads == 256);
    CHECK(found.wave_size == (std::string(target) == "gfx1030" ? 32 : 64));
    CHECK(found.code_bytes > 64);
    CHECK_FALSE(found.constant_bytes.has_value());
  }
  const Resources found = resources(compiled(crowded(150), "gfx1030"));
  CHECK(found.registers == 256);
  CHECK(found.spills.value_or(0) >= 40);
  CHECK(found.local_bytes.value_or(0) >= 4 * 40);
}

#if KILN_HAVE_CPU
#if defined(__x86_64__)
TEST_CASE("vectors on the CPU are as wide as the level has them") {
  for (const char* type : {"int8", "int32", "float32", "float64"}) {
    CAPTURE(std::string(type));
    const std::string signature = "T(T a, T b) where T: " + std::string(type);
    const UfuncDefinition sum{.name = "sum", .signatures = {signature}, .body = "return a + b;"};
    const UfuncDefinition copy{.name = "same", .signatures = {signature}, .body = "return T(b);"};
    for (const auto& [level, bits] : {std::pair{"x86-64", 128}, {"x86-64-v2", 128}, {"x86-64-v3", 256}, {"x86-64-v4", 512}}) {
      CAPTURE(std::string(level));
      CHECK(resources(compiled(sum, level)).vector_bits == bits);
      CHECK(resources(compiled(copy, level)).vector_bits == bits);
    }
  }
  const Resources scalar =
      resources(compiled({.name = "steps",
                          .signatures = {"int64(int64 a, int64 b)"},
                          .body = "int64 n = 0; while (a > b) { a = a / 3 - b; asm volatile(\"\"); ++n; } return n;"},
                         "x86-64-v3"));
  CHECK(reason_of(scalar) == "it has machine code of its own at steps:1:45");
  CHECK(scalar.vector_bits == 0);
  CHECK(scalar.spills == 0);
}

TEST_CASE("threads of a block on the CPU are vectors between barriers") {
  const kiln::RawKernel sums = kiln::kernel({.name = "block_sums",
                                             .signature = "void(const float32[:] x, float32[:] y)",
                                             .body = "KILN_SHARED float32 part[256]; part[thread.x] = x[item]; "
                                                     "for (int32 half = 128; half > 0; half /= 2) { barrier(); "
                                                     "if (thread.x < half) part[thread.x] += part[thread.x + half]; } "
                                                     "if (thread.x == 0) y[block.x] = part[0];"});
  const kiln::Array x = kiln::Array::zeros({1024}, kiln::DType::float32);
  const kiln::Array y = kiln::Array::zeros({4}, kiln::DType::float32);
  const kiln::LaunchOptions blocks{.grid = 4, .block = 256, .device = kiln::Device::cpu()};
  const Resources found = resources(sums.compiled(blocks, x, y));
  CHECK(found.vector_bits.value_or(0) >= 128);
  CHECK_FALSE(found.scalar_because);
}

TEST_CASE("the CPU says why a body with loops is scalar, and where") {
  const auto reason = [](const char* signature, const char* body, const char* functions = "", const char* level = "x86-64-v3") {
    return reason_of(resources(
        compiled({.name = "f", .signatures = {signature}, .body = body, .compile = {.functions = functions}}, level)));
  };
  const char* const kSteps = "int32(int32 a)";
  CHECK(reason(kSteps, "volatile int32 n = 0;\nwhile (a > 1) {\n  a = a / 2;\n  n = n + 1;\n}\nreturn n;") ==
        "it reads or writes what is volatile at f:1:16");
  CHECK(reason(kSteps, "int32 n = 0;\nwhile (a > 1) {\n  a = steps(a);\n  ++n;\n}\nreturn n;",
               "int32 steps(int32 a) {\n  asm volatile(\"\" : \"+r\"(a));\n  return a / 2;\n}") ==
        "it has machine code of its own at f.functions:2:3");
  const char* const kThirds = "int64 n = 0;\nwhile (a > 1) { a /= 3; ++n; }\nreturn n;";
  CHECK(reason("int64(int64 a)", kThirds) == "");
  CHECK(reason("int64(int64 a)", kThirds, "", "x86-64") == "a register holds two of its numbers only");
}

TEST_CASE("structures that are passed by value are vectors of their members") {
  for (const auto& [structure, value] :
       {std::pair{"struct S { float32 x, y; }; S next(S a, float32 t) { return {a.y + t, a.x}; }", "{u, 2}"},
        std::pair{"struct S { float32 x, y, z; }; S next(S a, float32 t) { return {a.y + t, a.z, a.x}; }", "{u, 2, 3}"},
        std::pair{"struct S { float32 x, y, z, w; }; S next(S a, float32 t) { return {a.y + t, a.z, a.w, a.x}; }",
                  "{u, 2, 3, 4}"},
        std::pair{"struct S { float32 x; int32 k; }; S next(S a, float32 t) { return {a.x + t * a.k, a.k + 1}; }", "{u, 2}"},
        std::pair{"struct S { float32 x; bool b; }; S next(S a, float32 t) { return {a.b ? a.x : t, !a.b}; }", "{u, false}"},
        std::pair{"struct S { int32 x, y, z; }; S next(S a, int32 t) { return {a.y + t, a.z, a.x}; }", "{int32(u), 2, 3}"},
        std::pair{"struct S { float32 x[3]; }; S next(S a, float32 t) { return {{a.x[1] + t, a.x[2], a.x[0]}}; }",
                  "{{u, 2, 3}}"}}) {
    CAPTURE(std::string(structure));
    const std::string functions =
        std::string(structure) + " float32 first(S a) { float32 r; __builtin_memcpy(&r, &a, 4); return r; }";
    const std::string body = "S a = " + std::string(value) +
                             "; float32 r = 0;\n#pragma nounroll\nfor (int32 i = 0; i < 3; ++i) { float32 t = 0, d = 1; "
                             "for (int32 j = 0; j < 120 && t < 30 && d > 0; ++j) { d = sqrt(t + first(next(a, d))); t += d; } "
                             "a = next(a, t); r += t; }\nreturn r + first(a);";
    for (const auto& [level, bits] : {std::pair{"x86-64", 128}, {"x86-64-v3", 256}, {"x86-64-v4", 512}}) {
      CAPTURE(std::string(level));
      const Resources found = resources(compiled(
          {.name = "f", .signatures = {"float32(float32 u)"}, .body = body, .compile = {.functions = functions}}, level));
      CHECK(reason_of(found) == "");
      CHECK(found.vector_bits == bits);
    }
  }
}

TEST_CASE("a large body on the CPU is of one vector at a time, not of two side by side") {
  const auto bytes = [](int statements) {
    std::string body = "float32 s = x;\nfor (int32 i = 0; i < int32(x); ++i) {\n";
    for (int i = 0; i < statements; ++i) body += "s = s * " + std::to_string(i) + " + x; s = s < 9 ? s + 1 : s - x;\n";
    return double(
        resources(compiled({.name = "f", .signatures = {"float32(float32 x)"}, .body = body + "} return s;"}, "x86-64-v3"))
            .code_bytes);
  };
  CHECK(bytes(200) / 200 < 0.75 * bytes(60) / 60);
}

// A function of AVX-512's registers computes one item, too.
TEST_CASE("vectors of one item alone make no kernel wide") {
  const Resources found =
      resources(compiled({.name = "f",
                          .signatures = {"float32(float32 a)"},
                          .body = "volatile int32 n = 0;\nwhile (a > 1) { a = exp(a) - a; n = n + 1; }\nreturn n;"},
                         "x86-64-v4"));
  CHECK(found.vector_bits == 0);
  CHECK(reason_of(found) == "it reads or writes what is volatile at f:1:16");
}
#endif

TEST_CASE("stack and spills on the CPU") {
  const Resources plain = resources(compiled(saxpy(), "native"));
  CHECK(plain.spills == 0);
  CHECK(plain.local_bytes == 0);
  CHECK(plain.code_bytes > 16);
  CHECK_FALSE(plain.registers.has_value());
  const Resources full = resources(compiled(crowded(80), "native"));
  CHECK(full.spills.value_or(0) >= 80 - 32);
  CHECK(full.local_bytes.value_or(0) >= (80 - 32) * 8);
}

TEST_CASE("an entry without a report has the size of its code alone") {
  auto kernel = compiled(crowded(80), "native");
  const Resources found = resources(kernel);
  kernel.report = {};
  CHECK(resources(kernel).code_bytes == found.code_bytes);
  CHECK_FALSE(resources(kernel).vector_bits.has_value());
  CHECK_FALSE(resources(kernel).spills.has_value());
  CHECK_FALSE(resources(kernel).local_bytes.has_value());
}
#endif

#if KILN_HAVE_CPU && defined(__x86_64__)
// What only converts halves took them one at a time wherever LLVM had brought a comparison or a rounding down to half.
TEST_CASE("loops over float16 are as wide as those over float32") {
  for (const char* body :
       {"return a > b ? a : b;", "return a != a || a == b ? b : -a;", "return floor(a) + b;",
        "return T(fabs(a) < 2 && b != 0);", "return copysign(a, b);", "return maximum(a, b);", "return T(int32(a) & 7) + b;",
        "return T(double(a) * 0.1);", "return sin(a) + b;", "return next_number<T>(a, b);"}) {
    CAPTURE(std::string(body));
    for (const auto& [level, bits] : {std::pair{"x86-64-v3", 256}, std::pair{"x86-64-v4", 512}}) {
      const std::string target = level;
      CAPTURE(target);
      const Resources found =
          resources(compiled({.name = "half", .signatures = {"T(T a, T b) where T: float16"}, .body = body}, target));
      CHECK(found.vector_bits == bits);
    }
  }
}
#endif
