// The vendors' mathematical functions as bitcode behind Clang: libdevice for NVIDIA, ocml for AMD.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "../base/temporary_directory.hpp"
#include "all_functions.hpp"
#include "compiler/clang.hpp"
#include "compiler/gpu/clang_compiler.hpp"
#include "compiler/gpu/math_bitcode.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using test::message_of;

/// The machine's file; empty, and told, where there is none.
std::string file_of(DeviceKind kind) {
  for (const std::string& place : backend::gpu::math_bitcode_places(kind)) {
    if (backend::have_clang() && std::filesystem::exists(place)) return place;
  }
  std::printf("KILN-NOT-RUN %s 1\n", kind == DeviceKind::hip ? "ocml" : "libdevice");
  return {};
}

}  // namespace

TEST_CASE("libdevice has every function of bodies, in the place of kiln's own") {
  const std::string file = file_of(DeviceKind::cuda);
  if (file.empty()) return;
  for (const std::string target : {"sm_75", "sm_90"}) {
    const auto math = backend::gpu::math_bitcode(target, file);
    const auto compiler = backend::gpu::make_clang_compiler({.name = target, .math = math});
    CHECK(math->mark.starts_with("+libdevice-"));
    CHECK(compiler->version().ends_with(math->mark));
    CHECK(backend::gpu::has_math_bitcode("Clang " + compiler->version()));
    for (const DType dtype : {DType::float32, DType::float64}) {
      const std::string ptx = compiler->compile(test::request_of_all_functions(dtype, DeviceKind::cuda)).code;
      CHECK(ptx.find(".extern .func") == std::string::npos);
      CHECK(ptx.find("__cudart_i2opi_") != std::string::npos);  // its table for large angles
      CHECK(ptx.find("two_over_pi") == std::string::npos);      // and not kiln's
    }
  }
  CHECK_FALSE(backend::gpu::has_math_bitcode("Clang 19.1.7+10"));
}

TEST_CASE("ocml has every function of bodies, in the place of kiln's own") {
  const std::string file = file_of(DeviceKind::hip);
  if (file.empty()) return;
  for (const std::string target : {"gfx906", "gfx90a:sramecc+:xnack-", "gfx1030"}) {
    const auto math = backend::gpu::math_bitcode(target, file);
    const auto compiler = backend::gpu::make_clang_compiler({.name = target, .math = math});
    CHECK(math->mark.starts_with("+ocml-"));
    for (const DType dtype : {DType::float32, DType::float64}) {
      const auto request = test::request_of_all_functions(dtype, DeviceKind::hip);
      CHECK(
          compiler->compile(request).code.starts_with("\x7f"
                                                      "ELF"));
      const std::string ir = compiler->emit(request, inspect::Form::llvm_ir);
      CHECK(ir.find("declare float @__ocml_") == std::string::npos);
      CHECK(ir.find("two_over_pi") == std::string::npos);
    }
  }
  CHECK(backend::gpu::math_bitcode("gfx906", file)->mark != backend::gpu::math_bitcode("gfx1030", file)->mark);
  CHECK(message_of([&] { static_cast<void>(backend::gpu::math_bitcode("gfx9999", file)); }) ==
        file +
            " does not go with gfx9999: there is no oclc_isa_version_9999.bc beside it; KILN_OCML names its file, and kiln's "
            "own functions serve where it is not set");
}

TEST_CASE("bitcode that is not there, or is something else") {
  CHECK(message_of([] { static_cast<void>(backend::gpu::math_bitcode("sm_90", "/nowhere/libdevice.10.bc")); }) ==
        "cannot open /nowhere/libdevice.10.bc: No such file or directory; KILN_LIBDEVICE names its file, and kiln's own "
        "functions "
        "serve where it is not set");
  const test::TemporaryDirectory folder;
  test::write_text(folder / "libdevice.10.bc", "text");
  CHECK(message_of([&] {
          static_cast<void>(backend::gpu::math_bitcode("sm_90", folder / "libdevice.10.bc"));
        }).starts_with(folder / "libdevice.10.bc" + " is no bitcode of LLVM's; KILN_LIBDEVICE names"));
  // Bitcode by its first bytes alone: Clang's own words.
  test::write_text(folder / "libdevice.10.bc", "BC\xc0\xde and no more");
  if (!backend::have_clang()) return;
  const auto compiler = backend::gpu::make_clang_compiler(
      {.name = "sm_90", .math = backend::gpu::math_bitcode("sm_90", folder / "libdevice.10.bc")});
  const std::string said = message_of(
      [&] { static_cast<void>(compiler->compile(test::request_of_all_functions(DType::float32, DeviceKind::cuda))); });
  CAPTURE(said);
  CHECK(said.find("libdevice.10.bc") != std::string::npos);
}
