// NVRTC and hipRTC themselves: code for several architectures with no device, errors in the user's coordinates, options.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "../base/child_process.hpp"
#include "../device/gpu_compilers.hpp"
#include "compiler/gpu/compiler.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"
#include "library/driver.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace kiln::backend::gpu;
using kiln::test::have_compiler;

constexpr const char* kSource = R"(#include "kiln/scale.hpp"
extern "C" __global__ void __launch_bounds__(256) kiln_kernel(unsigned n, const float* __restrict__ a, float* __restrict__ out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale(a[i]) * a[i] + KILN_TEST_ADD;
}
)";

CompileRequest good() {
  return {
      .name = "k",
      .context = "float32(float32 a)",
      .source = kSource,
      .headers = {{"kiln/scale.hpp", "#define KILN_TEST_ADD 1\n__device__ inline float scale(float x) { return 3 * x; }\n"}}};
}

CompileRequest bad(const std::string& body) {
  CompileRequest request{.name = "disc", .context = "float32(float32 a, float32 b)"};
  request.source = "namespace user {\n#line 1 \"disc\"\n" + body + "\n#line 90 \"kiln/elementwise.hpp\"\n}\n";
  request.source += "extern \"C\" __global__ void kiln_kernel(float* o) { o[0] = user::body(o[1], o[2]); }\n";
  return request;
}

/// The error of a compile that must fail.
CompileError failure(const Compiler& compiler, const CompileRequest& request) {
  try {
    static_cast<void>(compiler.compile(request));
  } catch (const CompileError& error) {
    return error;
  }
  FAIL("compiled: ", request.source);
  throw 0;
}

std::string message_of(std::string_view target) {
  try {
    static_cast<void>(gpu::compiler_for_target(target));
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("names of GPU targets") {
  CHECK(vendor_of("sm_90") == DeviceKind::cuda);
  CHECK(vendor_of("sm_120a") == DeviceKind::cuda);
  CHECK(vendor_of("gfx90a:sramecc+:xnack-") == DeviceKind::hip);
  CHECK(vendor_of("gfx1030") == DeviceKind::hip);
  for (const char* other :
       {"", "sm_", "sm_x", "sm_9", "sm_90b", "sm_12345", "gfx", "gfx9", "gfx90A", "gfx90000", "x86-64-v3", "native"}) {
    CHECK_MESSAGE(!vendor_of(other), other);
    CHECK_MESSAGE(gpu::compiler_for_target(other) == nullptr, other);
  }
}

TEST_CASE("AMD's waves have 64 lanes up to gfx9, and 32 since") {
  for (const char* arch : {"gfx600", "gfx803", "gfx90a:sramecc+:xnack-", "gfx942", "gfx950"})
    CHECK_MESSAGE(wave_of(arch) == 64, arch);
  for (const char* arch : {"gfx1010:xnack-", "gfx1030", "gfx1103", "gfx1201"}) CHECK_MESSAGE(wave_of(arch) == 32, arch);
}

TEST_CASE("an AMD architecture is refused before hipRTC aborts on it") {
  CHECK(refuse_amd("gfx1153", 700).empty());
  CHECK(refuse_amd("gfx90a:sramecc+:xnack-", 502).empty());
  CHECK(refuse_amd("gfx1030", 502).empty());
  CHECK(refuse_amd("gfx942", 600).empty());
  CHECK(refuse_amd("gfx942", 502)
            .starts_with("gfx942 needs hipRTC 6.0 or newer, this is hipRTC 5.2, which compiles for gfx600, "));
  CHECK(refuse_amd("gfx940", 700).starts_with("gfx940 was dropped in hipRTC 7.0, this is hipRTC 7.0"));
  CHECK(
      refuse_amd("gfxfff", 502).starts_with("\"gfxfff\" is not an AMD architecture that kiln knows; hipRTC 5.2 compiles for "));
  CHECK(refuse_amd("gfx1030:xnack+", 502) == "gfx1030 has no feature \"xnack+\"; it has none");
  CHECK(refuse_amd("gfx90a:", 502) == "gfx90a has no feature \"\"; it has sramecc+, sramecc-, xnack+, xnack-");
  CHECK(refuse_amd("gfx900:sramecc+", 502) == "gfx900 has no feature \"sramecc+\"; it has xnack+, xnack-");
  CHECK(refuse_amd("gfx90a:xnack+:xnack-", 502) == "\"gfx90a:xnack+:xnack-\" names a feature twice");
}

TEST_CASE("a missing library lists every path tried") {
  const Dialect& cuda = dialect_of(DeviceKind::cuda);
  CHECK_THROWS_WITH_AS(
      (CompilerLibrary{cuda, {"/nowhere/libnvrtc.so.13", "libkiln-has-no-such.so.1"}}),
      "NVRTC was not found: tried /nowhere/libnvrtc.so.13 (no such file), libkiln-has-no-such.so.1 (not found by the "
      "loader); install the CUDA toolkit or its NVRTC package (pip install nvidia-cuda-nvrtc-cu12), set CUDA_PATH, or name the "
      "file in KILN_NVRTC",
      DeviceError);
  CHECK_THROWS_WITH_AS((Driver{cuda, {"/nowhere/libcuda.so.1"}}),
                       doctest::Contains("no CUDA driver was found: tried /nowhere/libcuda.so.1 ("), DeviceError);
}

TEST_CASE("candidates: newest first, the vendor's homes, the loader; not above the driver's major") {
  const LibrarySearch& search = dialect_of(DeviceKind::cuda).compiler_library;
  const auto all = candidates(search, "/first");
  REQUIRE(!all.empty());
  CHECK(all.front() == "/first/libnvrtc.so.13");
  CHECK(all.back() == "libnvrtc.so.11.2");
  CHECK(std::find(all.begin(), all.end(), std::string("/usr/local/cuda/lib64/libnvrtc.so.12")) != all.end());
  for (const std::string& name : candidates(search, {}, 12)) CHECK_MESSAGE(name.find(".so.13") == std::string::npos, name);
}

TEST_CASE("an environment variable names the compiler's file outright [child]" * doctest::skip()) {
  try {
    static_cast<void>(gpu::compiler_for_target("sm_90"));
    CHECK(false);
  } catch (const DeviceError& error) {
    CHECK(std::string(error.what()).starts_with("NVRTC was not found: tried /nowhere/nvrtc (no such file); "));
  }
}
TEST_CASE("an environment variable names the compiler's file outright") {
  CHECK(kiln::test::ChildProcess("an environment variable names the compiler's file outright [child]",
                                 {{"KILN_NVRTC", "/nowhere/nvrtc"}})
            .wait() == 0);
}

TEST_CASE("a version is read from a file's name") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("kiln-version-test-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto touch = [&](const char* name) { std::ofstream(folder / name) << "x"; };
  touch("libnvrtc.so.12.4.127");
  fs::create_symlink("libnvrtc.so.12.4.127", folder / "libnvrtc.so.12");
  CHECK(version_in_name((folder / "libnvrtc.so.12").string()) == "12.4.127");
  touch("libnvrtc.so.13");
  touch("libnvrtc-builtins.so.13.0");
  touch("libnvrtc-builtins.so.12.8");
  CHECK(version_in_name((folder / "libnvrtc.so.13").string()) == "13.0");
  touch("plain.so");
  CHECK(version_in_name((folder / "plain.so").string()).empty());
  CHECK(version_in_name((folder / "missing.so.1").string()).empty());
  CHECK(build_id((folder / "plain.so").string()).empty());
  fs::remove_all(folder);
}

TEST_CASE("NVRTC compiles for several architectures without a device") {
  if (!have_compiler(DeviceKind::cuda)) return;
  std::string previous;
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const auto compiler = gpu::compiler_for_target(target);
    REQUIRE(compiler);
    CHECK(compiler->name() == "NVRTC");
    CHECK(compiler->target() == target);
    CHECK(compiler->kind() == DeviceKind::cuda);
    const CompileResult result = compiler->compile(good());
    CHECK(
        result.code.starts_with("\x7f"
                                "ELF"));
    CHECK(result.code.find("kiln_kernel") != std::string::npos);
    CHECK(result.log == "");
    CHECK(result.code != previous);
    previous = result.code;
    CHECK_MESSAGE(compiler->compile(good()).code == result.code, "the same request gives the same bytes");
  }
}

TEST_CASE("a child forked after a compile is told that the compiler is its parent's [child]" * doctest::skip()) {
  const auto compiler = gpu::compiler_for_target("sm_90");
  static_cast<void>(compiler->compile(good()));
  const pid_t child = fork();
  if (child == 0) {
    try {
      static_cast<void>(compiler->compile(good()));
    } catch (const DeviceError& error) {
      _exit(std::string(error.what()).starts_with("cannot compile with NVRTC in a process forked from one that used kiln: ")
                ? 0
                : 1);
    }
    _exit(2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
TEST_CASE("a child forked after a compile is told that the compiler is its parent's") {
  if (!have_compiler(DeviceKind::cuda)) return;
  CHECK(
      kiln::test::ChildProcess("a child forked after a compile is told that the compiler is its parent's [child]", {}).wait() ==
      0);
}

TEST_CASE("hipRTC compiles for several architectures without a device") {
  if (!have_compiler(DeviceKind::hip)) return;
  for (const char* target : {"gfx906", "gfx90a", "gfx90a:sramecc+:xnack-", "gfx1030"}) {
    const auto compiler = gpu::compiler_for_target(target);
    REQUIRE(compiler);
    CHECK(compiler->name() == "hipRTC");
    CHECK(compiler->target() == target);
    const CompileResult result = compiler->compile(good());
    CHECK(result.code.find("kiln_kernel") != std::string::npos);
    CHECK(result.code.find("comgr-") == std::string::npos);
  }
}

TEST_CASE("a compiler's version is full and the same after loading") {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::hip}) {
    if (!have_compiler(kind)) continue;
    const CompilerLibrary& library = CompilerLibrary::of(kind);
    const std::string before = library.version();
    CHECK(before.find('.') != std::string::npos);
    CHECK(library.version_number() >= 500);
    int major = 0;
    int minor = 0;
    REQUIRE(library.table().version(&major, &minor) == 0);
    CHECK(library.version() == before);
    // hipRTC 5 answers with the NVRTC release that it imitates (9.0).
    if (kind == DeviceKind::cuda) CHECK(library.version_number() == major * 100 + minor);
  }
}

TEST_CASE("unknown architectures are clear errors") {
  if (have_compiler(DeviceKind::cuda)) {
    CHECK(message_of("sm_21").starts_with("NVRTC "));
    CHECK(message_of("sm_21").find(" does not compile for sm_21; it compiles for sm_") != std::string::npos);
  }
  if (have_compiler(DeviceKind::hip))
    CHECK(message_of("gfxfff").starts_with("\"gfxfff\" is not an AMD architecture that kiln knows; "));
}

TEST_CASE("compile errors have the user's line and column on both compilers") {
  for (const auto& [kind, target] : {std::pair{DeviceKind::cuda, "sm_90"}, {DeviceKind::hip, "gfx90a"}}) {
    if (!have_compiler(kind)) continue;
    const auto compiler = gpu::compiler_for_target(target);
    const CompileError error = failure(*compiler, bad("__device__ float body(float a, float b) {\n\treturn b*b - 4*a*d;\n}"));
    REQUIRE(!error.diagnostics().empty());
    const Diagnostic& first = error.diagnostics().front();
    CHECK(first.file == "disc");
    CHECK(first.line == 2);
    CHECK(first.column == 19);
    CHECK(first.severity == Severity::error);
    CHECK(first.source_line == "\treturn b*b - 4*a*d;");
    CHECK(error.target() == target);
    CHECK(error.compiler() == CompilerLibrary::of(kind).display());
    CHECK(error.source().find("#line 1") != std::string::npos);
    CHECK(error.options() == compiler->options(bad("")));
    CHECK(error.log().find("/tmp") == std::string::npos);
    CHECK(std::string(error.what()).find(std::string("while compiling \"float32(float32 a, float32 b)\" for ") + target) !=
          std::string::npos);
  }
}

TEST_CASE("a missing return is an error, a warning is in the log") {
  for (const auto& [kind, target] : {std::pair{DeviceKind::cuda, "sm_90"}, {DeviceKind::hip, "gfx90a"}}) {
    if (!have_compiler(kind)) continue;
    const auto compiler = gpu::compiler_for_target(target);
    const CompileError error = failure(*compiler, bad("__device__ float body(float a, float b) { if (a > b) return a; }"));
    CHECK(error.diagnostics().front().line == 1);
    CHECK(error.diagnostics().front().file == "disc");
    CHECK(error.diagnostics().front().severity == Severity::error);
    const CompileResult warned =
        compiler->compile(bad("#warning \"mind this\"\n__device__ float body(float a, float b) { return a * b; }"));
    CHECK(warned.log.find("mind this") != std::string::npos);
  }
}

TEST_CASE("functions without a qualifier are device functions on NVRTC") {
  if (!have_compiler(DeviceKind::cuda)) return;
  CHECK_NOTHROW(static_cast<void>(gpu::compiler_for_target("sm_90")->compile(
      bad("float body(float a, float b) { return [](auto x) { return x; }(a * b); }"))));
}

TEST_CASE("a file in the current folder takes no part") {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  const fs::path folder = fs::temp_directory_path() / ("kiln-cwd-test-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "unseen.hpp") << "#define UNSEEN 1\n";
  fs::current_path(folder);
  for (const auto& [kind, target] : {std::pair{DeviceKind::cuda, "sm_90"}, {DeviceKind::hip, "gfx90a"}}) {
    if (!have_compiler(kind)) continue;
    const CompileError error = failure(*gpu::compiler_for_target(target), {.name = "k", .source = "#include \"unseen.hpp\"\n"});
    CHECK(error.diagnostics().front().text.find("unseen.hpp") != std::string::npos);
  }
  fs::current_path(before);
  fs::remove_all(folder);
}

TEST_CASE("what hipRTC's environment variables add to its options is in the key") {
  if (!have_compiler(DeviceKind::hip)) return;
  const auto compiler = gpu::compiler_for_target("gfx90a");
  const auto plain = compiler->options(good());
  REQUIRE(setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-O1", 1) == 0);
  static_cast<void>(compiler->compile(good()));  // given as an option, "HIPRTC_COMPILE_OPTIONS_APPEND=-O1" would be an error
  REQUIRE(setenv("HIPRTC_LINK_OPTIONS_APPEND", "-O0", 1) == 0);
  const auto changed = compiler->options(good());
  REQUIRE(setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "", 1) == 0);
  REQUIRE(unsetenv("HIPRTC_LINK_OPTIONS_APPEND") == 0);
  auto expected = plain;
  expected.insert(expected.end(), {"HIPRTC_COMPILE_OPTIONS_APPEND=-O1", "HIPRTC_LINK_OPTIONS_APPEND=-O0"});
  CHECK(changed == expected);
  CHECK(compiler->options(good()) == plain);
  REQUIRE(unsetenv("HIPRTC_COMPILE_OPTIONS_APPEND") == 0);
}

TEST_CASE("what __has_include may name is there for the compilers") {
  CompileRequest request = good();
  request.source =
      "#if !__has_include(\"kiln/scale.hpp\") || !__has_include(<kiln/scale.hpp>)\n#error\n#endif\n" + request.source;
  if (have_compiler(DeviceKind::cuda)) CHECK_NOTHROW(static_cast<void>(gpu::compiler_for_target("sm_90")->compile(request)));
  if (have_compiler(DeviceKind::hip)) CHECK_NOTHROW(static_cast<void>(gpu::compiler_for_target("gfx90a")->compile(request)));
}

TEST_CASE("contraction and fast math follow the request") {
  if (!have_compiler(DeviceKind::cuda)) return;
  const CompilerLibrary& library = CompilerLibrary::of(DeviceKind::cuda);
  CompileRequest request = good();
  const std::string plain = ptx(library, "sm_90", request);
  CHECK(plain.find(".target sm_90") != std::string::npos);
  CHECK(plain.back() != '\0');
  CHECK(count_of(plain, "fma.rn") == 0);
  request.arithmetic.contract = true;
  CHECK(count_of(ptx(library, "sm_90", request), "fma.rn") == 1);
  request.arithmetic.contract = false;
  request.arithmetic.fast_math = true;
  CHECK(count_of(ptx(library, "sm_90", request), "fma.rn.ftz") == 1);
}

TEST_CASE("PTX is for the architecture in full, with the letter of its name") {
  if (!have_compiler(DeviceKind::cuda)) return;
  const auto compiler = gpu::compiler_for_target("sm_90a");
  CHECK(compiler->emit(good(), inspect::Form::ptx).find(".target sm_90a\n") != std::string::npos);
  // Letters of families came with 12.9.
  const CompilerLibrary& library = CompilerLibrary::of(DeviceKind::cuda);
  if (library.version_number() < 1209) return;
  CHECK(ptx(library, "sm_100f", good()).find(".target sm_100f\n") != std::string::npos);
}

TEST_CASE("a device newer than NVRTC gets PTX for the highest architecture known, and says so") {
  if (!have_compiler(DeviceKind::cuda)) return;
  const CompilerLibrary& library = CompilerLibrary::of(DeviceKind::cuda);
  const int highest = library.capabilities().back();
  const CompileTarget target = target_of_device(library, "sm_990", "the driver of CUDA 99.1");
  CHECK(target.assembly);
  CHECK(target.arch == "compute_" + std::to_string(highest));
  const auto compiler = make_compiler(library, target);
  CHECK(compiler->short_target() == "sm_990");
  CHECK(compiler->target() == "sm_990 (PTX for " + target.arch + ", finished by the driver of CUDA 99.1)");
  const std::string code = compiler->compile(good()).code;
  CHECK(code.find(".version") != std::string::npos);
  CHECK_MESSAGE(code.back() == '\0', "the driver wants a closing NUL");
  CHECK_FALSE(target_of_device(library, "sm_90", "x").assembly);
  CHECK_THROWS_WITH_AS(static_cast<void>(target_of_device(library, "sm_35", "x")),
                       doctest::Contains("does not compile for sm_35"), DeviceError);
}
