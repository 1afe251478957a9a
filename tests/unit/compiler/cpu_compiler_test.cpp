#include "compiler/cpu/compiler.hpp"
#include "device/cpu/backend.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/child_process.hpp"
#include "base/environment.hpp"
#include "binary/code_block.hpp"
#include "compiler/cpu/features.hpp"
#include "compiler/cpu/target.hpp"
#include "device/backend.hpp"
#include "device/cpu_kernels.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "library/clang_module.hpp"

namespace kiln {
namespace {

using backend::CompileResult;
using test::binary_request;

CompileError compile_error(const backend::CompileRequest& request) {
  try {
    static_cast<void>(backend::cpu::native_compiler()->compile(request));
  } catch (const CompileError& error) {
    return error;
  }
  FAIL("it compiled");
  throw std::logic_error("unreachable");
}

std::vector<float> run(const CompileResult& result, const std::vector<float>& a, const std::vector<float>& b) {
  backend::Backend& device = backend::cpu::open(1);
  const auto module = device.load(result.code, "probe");
  std::vector<float> out(a.size(), -1.0F);
  const test::BinaryLaunch launch(a.data(), b.data(), out.data(), static_cast<std::int64_t>(a.size()));
  kinds::launch(device, *module, launch.get(), {.queue = nullptr, .keep = nullptr});
  return out;
}

/// Whether the object calls a function of the C library whose name begins so.
bool calls(const std::string& code, std::string_view name) {
  const auto block = base::CodeBlock::read(code, nullptr);
  REQUIRE(block.has_value());
  return std::ranges::any_of(block->imports(), [name](std::string_view each) { return each.starts_with(name); });
}

TEST_CASE("cpu compiler: a kernel computes what its text says") {
  const CompileResult result = backend::cpu::native_compiler()->compile(binary_request("return sqrtf(a * a + b * b);"));
  std::vector<float> a(1000);
  std::vector<float> b(1000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 3.0F * static_cast<float>(i);
    b[i] = 4.0F * static_cast<float>(i);
  }
  const std::vector<float> out = run(result, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == 5.0F * static_cast<float>(i));
  CHECK(result.log.empty());
  CHECK_FALSE(calls(result.code, ""));  // sqrtf is one instruction
}

TEST_CASE("cpu compiler: math functions come from the C library, vectorized where it can") {
  const CompileResult result = backend::cpu::native_compiler()->compile(binary_request("return expf(a) - b;"));
  CHECK(calls(result.code, backend::cpu::kHaveVectorMath ? "_ZGV" : "expf"));
  const std::vector<float> out = run(result, std::vector<float>(67, 1.0F), std::vector<float>(67, 1.0F));
  for (const float x : out) CHECK(std::abs(x - 1.7182818F) < 1e-6F);
}

// The vector ABI takes a vector in one register: one wider than those of the processor's preferred width would come in two.
TEST_CASE("cpu compiler: functions of libmvec are no wider than the vectors of the target") {
  if (!backend::cpu::kHaveVectorMath) return;
  const auto request = binary_request(
      "double x = a > 0 ? a : 0, y = b > 0 ? b : 0;\n  return float(__builtin_hypot(__builtin_hypot(x, y), __builtin_hypot(y, "
      "exp(x))));");
  struct Case {
    int level;
    const char* tune;
    char widest;
  };
  for (const Case& each : {Case{1, "generic", 'b'}, Case{2, "generic", 'b'}, Case{3, "haswell", 'd'},
                           Case{4, "cascadelake", 'd'}, Case{4, "sapphirerapids", 'e'}}) {
    const std::string tune = each.tune;
    CAPTURE(each.level);
    CAPTURE(tune);
    const bool runs = backend::cpu::native_target().short_name >= "x86-64-v" + std::to_string(each.level) || each.level == 1;
    const backend::cpu::ClangCompiler compiler(backend::cpu::target_of({.level = each.level, .features = {}, .tune = tune}));
    const CompileResult result = compiler.compile(request);
    CHECK(calls(result.code, "_ZGV"));
    for (const char wider : {'b', 'd', 'e'}) {
      CAPTURE(wider);
      const bool named = result.code.find(std::string("_ZGV") + wider) != std::string::npos;
      if (wider > each.widest) CHECK_FALSE(named);
      if (wider == each.widest) CHECK(named);
    }
    if (!runs) continue;
    std::vector<float> a(200);
    std::vector<float> b(200);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 5) - 1;
      b[i] = static_cast<float>(i % 7) - 2;
    }
    const std::vector<float> out = run(result, a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = std::max(a[i], 0.0F);
      const double y = std::max(b[i], 0.0F);
      CHECK(out[i] == doctest::Approx(std::hypot(std::hypot(x, y), std::hypot(y, std::exp(x)))).epsilon(1e-6));
    }
  }
}

// kernels-src/*_lanes_cpu.hpp, by lib/clang/passes/vector_math.cpp.
TEST_CASE("cpu compiler: powers are those of a register's lanes where vectors have 512 bits") {
  struct Body {
    std::string text, functions;
    const char* of_lanes;
  };
  const Body bodies[] = {
      {"return kiln::pow(a, b);", "", "scalef.ps.512"},
      {"return float(2.0 * kiln::pow(a, b) / 2);", "", "scalef.ps.512"},
      {"return float(kiln::pow(double(a), double(b)));", "", "scalef.pd.512"},
      {"return b < 0 ? 1 / kiln::pow(a, -b) : kiln::pow(a, b);", "", "scalef.ps.512"},
      {"return by_steps(a, b);",
       "inline float by_steps(float a, float b) { float x = 1; int n = 0; for (; n < 40 && x != kiln::pow(a, b); ++n) x = n < "
       "3 ? "
       "kiln::pow(a + n, b) : kiln::pow(a, b); return x; }",
       nullptr},  // its loop ends where its numbers say, and is one of single numbers
  };
  for (const Body& body : bodies) {
    CAPTURE(body.text);
    auto request = binary_request(body.text, body.functions);
    request.source.insert(0, "#include \"kiln/math/power.hpp\"\n");
    request.headers = codegen::resolve_includes({{request.name, request.source}}, {}, {});
    for (const auto& [level, tune] : {std::pair{3, "haswell"}, {4, "cascadelake"}, {4, "znver4"}}) {
      const std::string tuned = tune;
      CAPTURE(tuned);
      const backend::cpu::ClangCompiler compiler(backend::cpu::target_of({.level = level, .features = {}, .tune = tuned}));
      const std::string ir = compiler.emit(request, inspect::Form::llvm_ir);
      CHECK(ir.find("kiln_of_lanes") == std::string::npos);
      const bool lanes = body.of_lanes != nullptr && ir.find(body.of_lanes) != std::string::npos;
      CHECK(lanes == (body.of_lanes != nullptr && tuned == "znver4"));
      if (backend::cpu::native_target().short_name < "x86-64-v" + std::to_string(level)) continue;
      std::vector<float> a;
      std::vector<float> b;
      for (int i = 0; i < 150; ++i) {
        a.push_back(i % 11 == 0 ? 0.0F : static_cast<float>(i % 7) * 0.75F);
        b.push_back(static_cast<float>(i % 13) * 0.5F - 2);
      }
      const std::vector<float> out = run(compiler.compile(request), a, b);
      for (std::size_t i = 0; i < a.size(); ++i) {
        INFO(a[i], " ", b[i]);
        const float expected = std::pow(a[i], b[i]);
        CHECK((out[i] == expected || out[i] == doctest::Approx(expected).epsilon(1e-6)));
      }
    }
  }
}

TEST_CASE("cpu compiler: a syntax error is shown in the user's text") {
  const CompileError error = compile_error(binary_request("float d = a;\n  return sqrtf(b * b - 4 * a * x);"));
  REQUIRE(error.diagnostics().size() == 1);
  const Diagnostic& found = error.diagnostics()[0];
  CHECK(found.severity == Severity::error);
  CHECK(found.file == "probe");
  CHECK(found.line == 2);
  CHECK(found.column == 32);
  CHECK(found.text == "use of undeclared identifier 'x'");
  CHECK(found.source_line == "  return sqrtf(b * b - 4 * a * x);");
  CHECK(error.target() == backend::cpu::native_target().short_name);
  CHECK(error.compiler() == std::string("Clang ") + backend::cpu::clang_version());
  CHECK(error.source() == test::binary_source("float d = a;\n  return sqrtf(b * b - 4 * a * x);"));
  CHECK(error.log().find("probe:2:32: error: use of undeclared identifier 'x'") != std::string::npos);
  const std::string what = error.what();
  CHECK(what.starts_with("probe:2:32: error: use of undeclared identifier 'x'\n    return sqrtf(b * b - 4 * a * x);\n"));
  CHECK(what.find("while compiling \"float32(float32 a, float32 b)\" for x86-64") != std::string::npos);
}

TEST_CASE("cpu compiler: errors in functions, headers and notes name their own text") {
  auto request = binary_request("return twice(a);", "float twice(float x) { return 2 * y; }");
  CHECK(compile_error(request).diagnostics()[0].file == "probe.functions");
  CHECK(compile_error(request).diagnostics()[0].column == 35);

  request = binary_request("return helper(a);", "#include \"helper.hpp\"");
  request.headers["helper.hpp"] = "// mine\ninline float helper(float x) { return x +; }\n";
  const CompileError in_header = compile_error(request);
  CHECK(in_header.diagnostics()[0].file == "helper.hpp");
  CHECK(in_header.diagnostics()[0].line == 2);
  CHECK(in_header.diagnostics()[0].text == "expected expression");
  CHECK(in_header.diagnostics()[0].source_line == "inline float helper(float x) { return x +; }");

  const CompileError ambiguous = compile_error(
      binary_request("return f(1u);", "inline float f(int x) { return x; }\ninline float f(float x) { return x; }"));
  REQUIRE(ambiguous.diagnostics().size() == 3);
  CHECK(ambiguous.diagnostics()[1].severity == Severity::note);
  CHECK(ambiguous.diagnostics()[1].file == "probe.functions");
  CHECK(ambiguous.diagnostics()[1].line == 1);
  CHECK(ambiguous.diagnostics()[2].line == 2);
}

TEST_CASE("cpu compiler: a body that forgets its return is refused") {
  const CompileError error = compile_error(binary_request("if (a > b) return a;"));
  CHECK(error.diagnostics()[0].severity == Severity::error);
  CHECK(error.diagnostics()[0].text == "non-void function does not return a value in all control paths");
}

TEST_CASE("cpu compiler: a function that nobody defines is named") {
  const CompileError error = compile_error(binary_request("return nowhere(a) + nowhere(b);", "float nowhere(float x);"));
  REQUIRE(error.diagnostics().size() >= 1);
  const Diagnostic& found = error.diagnostics().back();
  CHECK(found.file == "probe");
  CHECK(found.severity == Severity::error);
  CHECK(
      found.text ==
      "undefined function 'nowhere(float)': it is declared and used, but neither the kernel nor the C math library defines it");
}

TEST_CASE("cpu compiler: functions that the kernel does not need are left out, unless it is debugged") {
  const auto& compiler = *backend::cpu::native_compiler();
  const std::string functions =
      "float nowhere(float x);\n"
      "float unneeded(float x) { return nowhere(x); }\n"
      "float inlined(float x) { return 2 * x; }\n"
      "__attribute__((noinline)) float called(float x) { return x - 1; }\n";
  const backend::CompileRequest request = binary_request("return called(inlined(a)) - b;", functions);
  const std::vector<float> out = run(compiler.compile(request), {3}, {1});
  CHECK(out == std::vector<float>{4});
  const std::string ir = compiler.emit(request, inspect::Form::llvm_ir);
  CHECK(ir.find("nowhere") == std::string::npos);
  CHECK(ir.find("unneeded") == std::string::npos);
  CHECK(ir.find("inlined") == std::string::npos);
  CHECK(ir.find("called") != std::string::npos);
  backend::CompileRequest debugged = request;
  debugged.debug = true;
  CHECK(compiler.emit(debugged, inspect::Form::llvm_ir).find("unneeded") != std::string::npos);
}

TEST_CASE("cpu compiler: large functions are part of the loop over elements") {
  const auto compiler = backend::compiler_for("x86-64-v3");
  const auto report = [&](int statements, const char* body) {
    std::string functions = "float large(float x, float y) {\n";
    for (int i = 0; i < statements; ++i) functions += "  if (x > y) x = x * 0.5f - y; else y = y * 0.25f + x;\n";
    functions += "  return x + y;\n}\n";
    return compiler->compile(binary_request(body, functions)).report;
  };
  CHECK(report(300, "return large(a, b);").vector_bits == 256);
  CHECK(report(30, "return large(a, b) + large(b, a);").vector_bits == 256);
  const CompileReport scalar = report(300, "return large(a, b) + large(b, a);");
  CHECK(scalar.vector_bits == 0);
  REQUIRE(scalar.scalar_because);
  CHECK(scalar.scalar_because->text ==
        "it calls large(float, float), which is not inlined; __forceinline__ inlines a function that does not call itself");
  CHECK(scalar.scalar_because->file == "probe");
  CHECK(scalar.scalar_because->line == 1);
}

TEST_CASE("cpu compiler: no file of the machine can be read") {
  CHECK(compile_error(binary_request("return a;", "#include <cmath>")).diagnostics()[0].text == "'cmath' file not found");
  CHECK(compile_error(binary_request("return a;", "#include \"/usr/include/math.h\"")).diagnostics()[0].text ==
        "'/usr/include/math.h' file not found");
}

TEST_CASE("cpu compiler: headers take part") {
  auto request = binary_request("return scale(a) + 0.5f;", "#include <units/scale.hpp>");
  request.headers["units/scale.hpp"] = "#include \"factor.hpp\"\ninline float scale(float x) { return FACTOR * x; }\n";
  request.headers["units/factor.hpp"] = "#define FACTOR 3\n";
  CHECK(run(backend::cpu::native_compiler()->compile(request), {2.0F}, {0.0F})[0] == 6.5F);
}

TEST_CASE("cpu compiler: multiply-add is fused only when asked for") {
  auto request = binary_request("float product = a * a;\nreturn product - b;");
  const float x = 1.0F + 0x1p-12F;
  const float rounded = x * x;
  const float fused = std::fma(x, x, -rounded);
  REQUIRE(fused != 0.0F);
  CHECK(run(backend::cpu::native_compiler()->compile(request), {x}, {rounded})[0] == 0.0F);
  const auto& features = backend::cpu::native_target().text;
  if (features.find("+fma ") == std::string::npos) return;
  request.arithmetic.contract = true;
  CHECK(run(backend::cpu::native_compiler()->compile(request), {x}, {rounded})[0] == fused);
}

TEST_CASE("cpu compiler: fast_math may reorder") {
  auto request = binary_request("return (a + b) - a;");
  const std::vector<float> big(64, 0x1p30F);
  CHECK(run(backend::cpu::native_compiler()->compile(request), big, std::vector<float>(64, 1.0F))[0] == 0.0F);
  request.arithmetic.fast_math = true;
  CHECK(run(backend::cpu::native_compiler()->compile(request), big, std::vector<float>(64, 1.0F))[0] == 1.0F);
}

TEST_CASE("cpu compiler: warnings come back in the log") {
  const CompileResult result = backend::cpu::native_compiler()->compile(binary_request("#warning mind the gap\nreturn a;"));
  CHECK(result.log.find("probe:1:2: warning: mind the gap") != std::string::npos);
}

TEST_CASE("cpu compiler: what options() says is all that differs") {
  const auto& native = *backend::cpu::native_compiler();
  const auto plain = native.options({});
  const auto has = [](const std::vector<std::string>& options, const char* text) {
    return std::find(options.begin(), options.end(), text) != options.end();
  };
  CHECK(has(plain, "-ffp-contract=off"));
  CHECK(has(native.options({.arithmetic = {.contract = true}}), "-ffp-contract=fast"));
  CHECK_FALSE(has(plain, "-ffast-math"));
  CHECK(has(native.options({.arithmetic = {.fast_math = true}}), "-ffast-math"));
  CHECK(native.name() == "Clang");
  CHECK(native.version().starts_with("19."));
  CHECK(native.kind() == DeviceKind::cpu);
}

TEST_CASE("cpu compiler: eight threads compile at once") {
  std::vector<std::thread> threads;
  std::vector<float> answers(8, -1.0F);
  for (std::size_t t = 0; t < answers.size(); ++t) {
    threads.emplace_back([t, &answers] {
      for (int turn = 0; turn < 3; ++turn) {
        if (t % 4 == 3) {
          static_cast<void>(compile_error(binary_request("return q;")));
        } else {
          const std::string body = "return a * " + std::to_string(t) + ".0f + expf(b);";
          answers[t] = run(backend::cpu::native_compiler()->compile(binary_request(body)), {2.0F}, {0.0F})[0];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < answers.size(); ++t)
    CHECK(answers[t] == (t % 4 == 3 ? -1.0F : 2.0F * static_cast<float>(t) + 1.0F));
}

TEST_CASE("cpu compiler: deep nesting is an error, not a crash") {
  const std::string deep = "return " + std::string(5000, '(') + "a" + std::string(5000, ')') + ";";
  CHECK(compile_error(binary_request(deep)).diagnostics()[0].text == "bracket nesting level exceeded maximum of 256");
}

TEST_CASE("cpu compiler: a bad asm statement is an error of the kernel") {
  const CompileError error = compile_error(binary_request("asm(\"frobnicate %0\" : \"+x\"(a)); return a;"));
  CHECK(error.diagnostics()[0].file == "probe");
  CHECK(error.diagnostics()[0].text.find("invalid instruction mnemonic 'frobnicate'") != std::string::npos);
}

TEST_CASE("cpu compiler: KILN_CLANG that leads nowhere is named" * doctest::skip()) {
  try {
    static_cast<void>(backend::cpu::native_compiler()->compile(binary_request("return a;")));
    FAIL("it compiled");
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    CHECK(what.starts_with("failed to open kiln's Clang, tried /nowhere/libkiln-clang.so ("));
    CHECK(what.find("No such file or directory") != std::string::npos);
    CHECK(what.ends_with("): install libkiln-clang.so beside libkiln.so, or name it in KILN_CLANG"));
    CHECK(what.find('\n') == std::string::npos);
  }
}

TEST_CASE("cpu compiler: a missing module is an error that lists the paths") {
  test::ChildProcess child("cpu compiler: KILN_CLANG that leads nowhere is named",
                           {{"KILN_CLANG", "/nowhere/libkiln-clang.so"}});
  CHECK(child.wait() == 0);

  const std::vector<std::string> paths{"/nowhere/a.so", "/nowhere/b.so"};
  try {
    backend::cpu::open_clang_module(paths);
    FAIL("it opened");
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    CHECK(what.find("/nowhere/a.so (") < what.find("/nowhere/b.so ("));
  }
  const std::vector<std::string> foreign{"libm.so.6"};
  CHECK_THROWS_WITH_AS(backend::cpu::open_clang_module(foreign), doctest::Contains("libm.so.6 has no function kiln_clang; "),
                       DeviceError);
}

TEST_CASE("cpu compiler: the module is looked for beside this code first") {
  const auto candidates = backend::cpu::clang_module_candidates();
  if (const auto named = base::env("KILN_CLANG"); named && !named->empty()) {
    CHECK(candidates == std::vector<std::string>{*named});
    return;
  }
  REQUIRE(candidates.size() == 3);
  std::string folder = candidates[0].substr(0, candidates[0].rfind('/'));
  CHECK(candidates[0] == folder + "/libkiln-clang.so");
  CHECK(std::filesystem::equivalent(std::filesystem::path(candidates[1]).parent_path(), folder + "/../lib"));
  CHECK(std::filesystem::equivalent(folder, std::filesystem::read_symlink("/proc/self/exe").parent_path()));
}

TEST_CASE("cpu compiler: what LLVM takes for the end of the process is an error, and the next compile works") {
  const kiln_clang_api& module = backend::cpu::clang_module();
  const std::string source = test::binary_source("return a;");
  // No processor of this kind has that code model: LLVM calls its fatal error handler.
  const char* const arguments[] = {"-triple", "x86_64-pc-linux-gnu", "-x", "c++", "-std=c++20", "-mcmodel=tiny"};
  const kiln_clang_request request{.form = KILN_CLANG_SHARED_OBJECT,
                                   .source = {source.data(), source.size()},
                                   .headers = nullptr,
                                   .header_count = 0,
                                   .arguments = arguments,
                                   .argument_count = std::size(arguments),
                                   .objects = nullptr,
                                   .object_count = 0,
                                   .bitcode = nullptr,
                                   .bitcode_count = 0,
                                   .debugs = {},
                                   .time_limit_ms = 0,
                                   .memory_limit = 0};
  for (int turn = 0; turn < 3; ++turn) {
    const kiln_clang_result* const result = module.compile(&request);
    CHECK(result->status == KILN_CLANG_CRASHED);
    CHECK(std::string(result->error.data, result->error.size).starts_with("clang gave up: "));
    module.release(result);
  }
  CHECK(run(backend::cpu::native_compiler()->compile(binary_request("return a + b;")), {2.0F}, {3.0F})[0] == 5.0F);
}

TEST_CASE("cpu compiler: nothing is printed") {
  std::FILE* const capture = std::tmpfile();
  REQUIRE(capture != nullptr);
  std::fflush(stdout);
  std::fflush(stderr);
  const int saved[] = {dup(1), dup(2)};
  dup2(fileno(capture), 1);
  dup2(fileno(capture), 2);
  for (const char* body : {"return a;", "return x;", "return expf(a);", "#warning hm\nreturn a;",
                           "asm(\"frobnicate\"); return a;", "float nowhere(float); return nowhere(a);"}) {
    try {
      static_cast<void>(backend::cpu::native_compiler()->compile(binary_request(body)));
    } catch (const CompileError&) {
    }
  }
  std::fflush(stdout);
  std::fflush(stderr);
  for (const int fd : {1, 2}) {
    dup2(saved[fd - 1], fd);
    close(saved[fd - 1]);
  }
  CHECK(lseek(fileno(capture), 0, SEEK_END) == 0);
  std::fclose(capture);
}

TEST_CASE("cpu compiler: keys and targets load no LLVM" * doctest::skip()) {
  const auto& compiler = backend::cpu::open(0).compiler();
  CHECK_FALSE(compiler->target().empty());
  CHECK_FALSE(compiler->version().empty());
  CHECK_FALSE(compiler->options({}).empty());
  std::ifstream maps("/proc/self/maps");
  const std::string all((std::istreambuf_iterator<char>(maps)), {});
  CHECK(all.find("libc.so") != std::string::npos);
  CHECK(all.find("LLVM") == std::string::npos);
  CHECK(all.find("kiln-clang") == std::string::npos);
}

TEST_CASE("cpu compiler: what a key needs is had without LLVM") {
  test::ChildProcess child("cpu compiler: keys and targets load no LLVM", {});
  CHECK(child.wait() == 0);
}

}  // namespace
}  // namespace kiln
