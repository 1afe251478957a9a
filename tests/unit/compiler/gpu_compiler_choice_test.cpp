// Which compiler makes a GPU's kernels, and the errors of a choice that cannot be had.
#include <doctest/doctest.h>

#include <string>

#include "../base/child_process.hpp"
#include "../device/gpu_compilers.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/compiler_choice.hpp"
#include "device/backend.hpp"
#include "kiln/error.hpp"
#include "library/arch.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend;
using namespace kiln::backend::gpu;

std::string error_of(const CompilerQuestion& question) {
  try {
    static_cast<void>(choose_compiler(question));
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_for(std::string_view target) {
  try {
    static_cast<void>(compiler_for(target));
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("gpu compiler: names") {
  CHECK(parse_compiler_name("") == std::nullopt);
  CHECK(parse_compiler_name("nvrtc") == CompilerName::nvrtc);
  CHECK(parse_compiler_name("hiprtc") == CompilerName::hiprtc);
  CHECK(parse_compiler_name("clang") == CompilerName::clang);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(parse_compiler_name("nvcc")),
      "KILN_GPU_COMPILER is \"nvcc\", which is no compiler of kiln's: set it to nvrtc, hiprtc or clang, or unset "
      "it to have kiln choose",
      DeviceError);
  CHECK_THROWS_AS(static_cast<void>(parse_compiler_name("Clang")), DeviceError);
}

TEST_CASE("gpu compiler: what Clang knows") {
  for (const char* target :
       {"sm_70", "sm_75", "sm_90", "sm_90a", "sm_88", "sm_100", "sm_121", "gfx803", "gfx906", "gfx90a",
        "gfx90a:sramecc+:xnack-", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201"}) {
    CHECK_MESSAGE(refuse_clang(target) == "", target);
  }
  CHECK(refuse_clang("sm_35") ==
        "Clang does not compile for sm_35; it compiles for sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_88, "
        "sm_100, "
        "sm_101, sm_103, sm_110, sm_120, sm_121");
  CHECK(refuse_clang("sm_99").starts_with("Clang does not compile for sm_99; it compiles for sm_70, "));
  CHECK(refuse_clang("gfx950").starts_with("Clang does not compile for gfx950; it compiles for gfx600, "));
  CHECK(refuse_clang("gfxfff").starts_with("Clang does not compile for gfxfff; it compiles for "));
  CHECK(refuse_clang("gfx1030:xnack+") == "gfx1030 has no feature \"xnack+\"; it has none");
  CHECK(ptx_target_of(60) == nullptr);
  CHECK(std::string(ptx_target_of(88)->arch) == "sm_87");
  CHECK(std::string(ptx_target_of(990)->arch) == "sm_90");
}

TEST_CASE("gpu compiler: the vendor's where it is there and knows the architecture, else Clang") {
  if (test::have_compiler(DeviceKind::cuda)) CHECK(choose_compiler({.target = "sm_90"})->name() == "NVRTC");
  if (test::have_compiler(DeviceKind::hip)) {
    CHECK(choose_compiler({.target = "gfx90a"})->name() == "hipRTC");
    if (!have_clang()) return;
    const int version = CompilerLibrary::of(DeviceKind::hip).version_number();
    CHECK(choose_compiler({.target = "gfx942"})->name() == (version < 600 ? "Clang" : "hipRTC"));
    CHECK(choose_compiler({.target = "gfx1201"})->name() == (version < 604 ? "Clang" : "hipRTC"));
  }
  if (!have_clang()) return;
  CHECK(choose_compiler({.target = "sm_90", .wanted = CompilerName::clang})->name() == "Clang");
  CHECK(choose_compiler({.target = "gfx90a", .wanted = CompilerName::clang})->name() == "Clang");
  // A device that is newer than any name there is.
  CHECK(choose_compiler({.target = "sm_990", .driver = "a driver", .wanted = CompilerName::clang})->target() ==
        "sm_990 (PTX for sm_90)");
}

TEST_CASE("gpu compiler: a target that none knows has the list of each") {
  if (!have_clang()) return;
  const std::string nvidia = error_of({.target = "sm_35"});
  CHECK(nvidia.find("Clang does not compile for sm_35; it compiles for sm_70, ") != std::string::npos);
  if (test::have_compiler(DeviceKind::cuda))
    CHECK(nvidia.find("does not compile for sm_35; it compiles for sm_75, ") != std::string::npos);
  const std::string amd = error_of({.target = "gfxfff"});
  CHECK(amd.find("Clang does not compile for gfxfff; it compiles for gfx600, ") != std::string::npos);
  const std::string wanted = error_of({.target = "gfx950", .wanted = CompilerName::clang});
  CHECK(wanted.ends_with(" (KILN_GPU_COMPILER=clang asks for this compiler; unset it to have kiln choose)"));
}

TEST_CASE("gpu compiler: a misspelt choice is an error of every GPU target [child]" * doctest::skip()) {
  CHECK(error_for("sm_90").starts_with("KILN_GPU_COMPILER is \"nvrt\", which is no compiler of kiln's: set it to nvrtc, "));
  CHECK(error_for("gfx90a").starts_with("KILN_GPU_COMPILER is \"nvrt\""));
  if (have_clang()) CHECK(error_for("native") == "no error");
}
TEST_CASE("gpu compiler: a misspelt choice is an error of every GPU target") {
  CHECK(test::ChildProcess("gpu compiler: a misspelt choice is an error of every GPU target [child]",
                           {{"KILN_GPU_COMPILER", "nvrt"}})
            .wait() == 0);
}

TEST_CASE("gpu compiler: a choice that is not there is an error with every path tried [child]" * doctest::skip()) {
  const std::string error = error_for("sm_90");
  CHECK(error.starts_with("NVRTC was not found: tried /nowhere/nvrtc (no such file); "));
  CHECK(error.ends_with(" (KILN_GPU_COMPILER=nvrtc asks for this compiler; unset it to have kiln choose)"));
}
TEST_CASE("gpu compiler: a choice that is not there is an error with every path tried") {
  CHECK(test::ChildProcess("gpu compiler: a choice that is not there is an error with every path tried [child]",
                           {{"KILN_GPU_COMPILER", "nvrtc"}, {"KILN_NVRTC", "/nowhere/nvrtc"}})
            .wait() == 0);
}

TEST_CASE("gpu compiler: without libkiln-clang.so the compile says where it was looked for [child]" * doctest::skip()) {
  const auto compiler = compiler_for("gfx942");
  CHECK(compiler->name() == "Clang");
  CHECK_THROWS_WITH_AS(static_cast<void>(compiler->compile({.name = "k", .source = ""})),
                       doctest::Contains("failed to open kiln's Clang, tried /nowhere/libkiln-clang.so ("), DeviceError);
}
TEST_CASE("gpu compiler: without libkiln-clang.so the compile says where it was looked for") {
  if (!have_clang()) return;
  CHECK(test::ChildProcess("gpu compiler: without libkiln-clang.so the compile says where it was looked for [child]",
                           {{"KILN_GPU_COMPILER", "clang"}, {"KILN_CLANG", "/nowhere/libkiln-clang.so"}})
            .wait() == 0);
}
